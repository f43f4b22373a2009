"""Reading ``debug.jsonl`` while others write, cut, replace and delete it. Believes nothing, shows each row once.

Polling, because network and bind mounts send no file events. Between two looks the log may have been emptied
and have grown past its old size; so the bytes at its head and those just before the reading position are
remembered and compared.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from debugloop.errors import SessionGone
from debugloop.session import files
from debugloop.session.records import KEPT_OF_MALFORMED, Row, parse_line

if TYPE_CHECKING:
    from debugloop.session.redact import Redactor
    from debugloop.settings import Settings

_MARK: Final = 4_096
"""Bytes that are compared at the head and before the position."""
_CHUNK: Final = 262_144
_CHUNKS_A_POLL: Final = 4
_ODD: Final = re.compile(rb"[\\\x80-\xff]")
_NOWHERE: Final = 1 << 62


@dataclass(slots=True)
class Batch:
    """What one look found.

    ``reset``: the log began anew, and every row given before is void. ``gone``: there is no log at the moment.
    ``more``: there is more to read at once.
    """

    rows: list[Row] = field(default_factory=list[Row])
    reset: bool = False
    gone: bool = False
    more: bool = False


class LineReader:
    """Cuts bytes into rows, in bounded memory; secrets are hidden.

    ``has_steps``: line 1 may be the run's steps. ``start``: bytes of the log before those that are fed. ``wanted`` are
    small letters of ASCII that every line which is meant holds, unless it writes them otherwise: lines without are
    counted, but not read.
    """

    def __init__(
        self,
        settings: Settings,
        redactor: Redactor | None = None,
        *,
        has_steps: bool = True,
        start: int = 0,
        wanted: bytes | None = None,
    ) -> None:
        self._redactor = redactor
        self._wanted = wanted
        self._settings = settings
        self._has_steps = has_steps
        self._partial = b""
        self._too_long = False
        self._lines = 0
        self._start = start

    @property
    def partial(self) -> bool:
        """Whether a last line waits for its LF."""
        return bool(self._partial)

    def feed(self, data: bytes) -> list[Row]:
        """The rows that these bytes complete. A last line without its LF waits for the next call."""
        rows: list[Row] = []
        whole = self._partial + data
        complete = whole.rfind(b"\n") + 1
        self._partial = whole[complete:]
        for piece in self._lines_of(whole, complete):
            row = self._row(piece)
            if row is not None:
                rows.append(row)
        # most logs hold no secret: that is told of all their lines at once
        if self._redactor and self._redactor.may_hold(b"\n".join([row.raw for row in rows])):
            rows = [_redacted(row, self._redactor) for row in rows]
        if len(self._partial) > self._settings.line_bytes:
            self._too_long = True
            self._start += len(self._partial) - KEPT_OF_MALFORMED
            self._partial = self._partial[:KEPT_OF_MALFORMED]
        return rows

    def _lines_of(self, whole: bytes, complete: int) -> Iterable[bytes]:
        if self._wanted is None or self._too_long:
            return whole[:complete].split(b"\n")[:-1]
        return self._wanted_of(whole, complete, self._wanted)

    def _wanted_of(self, whole: bytes, complete: int, wanted: bytes) -> Iterator[bytes]:
        """The lines that hold what is wanted, or write something by an escape or in another alphabet."""
        small = whole.lower()
        strange_in = _first_escape if whole.isascii() else _first_odd
        at = 0
        plain, strange = _first(small, wanted, 0), strange_in(whole, 0)
        while (found := min(plain, strange)) < complete:
            begin = whole.rfind(b"\n", at, found) + 1 or at
            self._pass(whole, at, begin)
            at = whole.index(b"\n", found) + 1
            yield whole[begin : at - 1]
            if plain < at:
                plain = _first(small, wanted, at)
            if strange < at:
                strange = strange_in(whole, at)
        self._pass(whole, at, complete)

    def _pass(self, whole: bytes, start: int, end: int) -> None:
        """Count lines that are not read."""
        self._lines += whole.count(b"\n", start, end)
        self._start += end - start

    def _row(self, line: bytes) -> Row | None:
        self._lines += 1
        self._start += len(line) + 1
        too_long, self._too_long = self._too_long or len(line) > self._settings.line_bytes, False
        if self._start > self._settings.log_bytes:
            return Row(self._lines, line[:KEPT_OF_MALFORMED], "over_cap")
        if too_long:
            return Row(self._lines, line[:KEPT_OF_MALFORMED], "too_long")
        if line[:1] != b"{" and not line.strip(b" \t\r"):  # nobody meant an empty line as an event
            return None
        steps_line = self._has_steps and self._lines == 1
        return parse_line(self._lines, line, nesting=self._settings.nesting, steps_line=steps_line)


def _first(data: bytes, part: bytes, start: int) -> int:
    at = data.find(part, start)
    return _NOWHERE if at < 0 else at


def _first_escape(data: bytes, start: int) -> int:
    return _first(data, b"\\", start)


def _first_odd(data: bytes, start: int) -> int:
    found = _ODD.search(data, start)
    return found.start() if found else _NOWHERE


def _redacted(row: Row, redactor: Redactor) -> Row:
    if row.malformed:
        text, hidden = redactor.text(row.text)
        raw = text.encode()
    else:
        raw, hidden = redactor.line(row.raw)
    return row._replace(raw=raw) if hidden else row


class Follower:
    """Follows one log file. Not safe for two threads at once."""

    def __init__(
        self,
        path: Path,
        settings: Settings,
        redactor: Redactor | None = None,
        wanted: bytes | None = None,
    ) -> None:
        self._redactor = redactor
        self._wanted = wanted
        self._path = path
        self._settings = settings
        self._file = -1
        self._signature: files.Signature | None = None
        self._begin()

    @property
    def position(self) -> int:
        """Bytes read so far, a partial last line included."""
        return self._position

    @property
    def size(self) -> int:
        """Bytes of the log that are known of: those read so far, or more where the last page was read first."""
        return max(self._position, self._end)

    def poll(self) -> Batch:
        """Look once, read at most 1 MiB, never wait. Raises UnsafeFile."""
        signature = files.signature(self._path)
        if signature is None:
            return self._gone()
        batch = Batch()
        if self._file < 0 or os.fstat(self._file).st_ino != signature[0]:
            batch.reset = self._file >= 0 or self._position > 0
            if not self._reopen():
                return self._gone()
        elif signature == self._signature:
            return batch
        if os.fstat(self._file).st_size < self._position or not self._is_same():
            self._begin()
            batch.reset = True
        self._read(batch)
        # looked at before reading: what came since then is seen at the next look
        self._signature = None if batch.more else signature
        return batch

    def last_page(self, size: int) -> list[Row]:
        """The rows in the last ``size`` bytes of a log that is much longer, before anything else of it is read.

        Their line numbers are not known yet, and 0. The polls that follow begin at the start; until they come to these
        rows, `before_page` is true, and no batch holds rows from both sides. Raises UnsafeFile.
        """
        if self._file >= 0 or not self._reopen():
            return []
        end = os.fstat(self._file).st_size
        if not 2 * size < end <= 2 * self._settings.log_bytes:
            return []
        data = os.pread(self._file, size, end - size)
        start = end - size + data.find(b"\n") + 1
        rows = LineReader(self._settings, self._redactor, has_steps=False, start=start).feed(data[start - end + size :])
        if rows:
            self._page, self._end, self._page_head = start, end, data[start - end + size :][:_MARK]
        return [row._replace(line=0) for row in rows]

    @property
    def before_page(self) -> bool:
        """Whether the rows that `last_page` gave are still to come."""
        return self._position < self._page

    def close(self) -> None:
        """Give the descriptor back."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _begin(self) -> None:
        self._position = 0
        self._page = self._end = 0
        self._page_head = b""
        self._head = b""
        self._tail = b""
        self._reader = LineReader(self._settings, self._redactor, wanted=self._wanted)

    def _gone(self) -> Batch:
        reset = self._position > 0
        self.close()
        self._begin()
        self._signature = None
        return Batch(reset=reset, gone=True)

    def _reopen(self) -> bool:
        self.close()
        self._begin()
        try:
            self._file = files.open_private(self._path, os.O_RDONLY)
        except (FileNotFoundError, SessionGone):
            return False
        return True

    def _is_same(self) -> bool:
        """Whether what was read before still stands where it stood."""
        before = self._position - len(self._tail)
        return (
            os.pread(self._file, len(self._head), 0) == self._head
            and os.pread(self._file, len(self._tail), before) == self._tail
            and not (self.before_page and os.pread(self._file, len(self._page_head), self._page) != self._page_head)
        )

    def _read(self, batch: Batch) -> None:
        for _ in range(_CHUNKS_A_POLL):
            before_page = self.before_page
            data = os.pread(
                self._file, min(_CHUNK, self._page - self._position) if before_page else _CHUNK, self._position
            )
            if not data:
                return
            if not self._is_same():
                # cut between our look and our reading: these bytes may belong to either content
                self._begin()
                batch.rows.clear()
                batch.reset = batch.more = True
                return
            self._position += len(data)
            if len(self._head) < _MARK:
                self._head = (self._head + data)[:_MARK]
            self._tail = (self._tail + data)[-_MARK:]
            batch.rows += self._reader.feed(data)
            if before_page and not self.before_page:
                break
        batch.more = True
