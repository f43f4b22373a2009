"""Writing ``debug.jsonl``: append, clear, new run. Every change of the log by debugloop goes through here.

All of it happens under the journal lock. Programs that append lines by themselves take no lock; for them
a change of the log is one truncation in place, so that their descriptors stay good.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Self

import orjson

from debugloop.errors import LockBusy, SessionFinished, StateUnwritable, WriteFailed
from debugloop.session import files, runs
from debugloop.session.locks import try_lock, unlock
from debugloop.session.records import STEPS_TYPE, Steps
from debugloop.session.state import Cut, State

if TYPE_CHECKING:
    from debugloop.session.session import Session

_MAKES_ROOM: Final = 65_536
"""Bytes of a log that, when they go, are surely enough for session.json."""
_HEAD: Final = 4_096
"""Bytes at the head of the log that tell one content from another."""
_LOOK_SECONDS: Final = 0.0005
"""How often to try a lock that another process holds."""


def utc_now() -> str:
    """The time as the ``observed`` of records: ISO 8601, UTC, microseconds."""
    seconds, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
    return f"{_second(seconds)}.{nanoseconds // 1000:06d}Z"


@lru_cache(maxsize=1)
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


class Journal:
    """The log of one session, opened for writing. Descriptors are kept open; `close` gives them back.

    Each method takes the journal lock, and waits up to ``lock_seconds`` for another process that holds it; in a
    ``with journal.held(seconds):`` several share it. Not safe for two threads at once; any number of processes may
    have one each.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._log = -1
        self._lock = -1
        self._depth = 0
        """How many blocks of ours hold the lock, one in the other."""
        self._patience = session.settings.lock_seconds
        self._session_file = os.fspath(session.layout.session)
        self._size = 0
        """Bytes in the log, as far as we saw."""
        self._ended = -1
        """Where our last write ended with a line feed: if the log still ends there, the next line is a fresh one."""
        self._seen: files.Signature | None = None
        self._state: State | None = None

    def append(self, records: Sequence[bytes]) -> list[int]:
        """Store records with one write, each on a line of its own, stamped with time and run.

        A record is strict JSON on one line, an object without ``_``. Gives the indexes of those that did not
        fit under the cap. Raises WriteFailed (then nothing is stored) or SessionGone.
        """
        with self:
            run = self._current().run
            stamp = b',"_":{"observed":"%b","run":%d}}\n' % (utc_now().encode(), run)
            size = self._size
            pieces = [self._fresh_line(size)]
            room = self.session.settings.log_bytes - size - len(pieces[0])
            refused: list[int] = []
            for index, record in enumerate(records):
                body = record[:-1].rstrip()
                end = stamp if len(body) > 1 else stamp[1:]
                room -= len(body) + len(end)
                if room < 0:
                    room += len(body) + len(end)
                    refused.append(index)
                else:
                    pieces += (body, end)
            if len(pieces) > 1:
                self._write(b"".join(pieces), size)
            return refused

    def clear(self) -> None:
        """Empty the log of the current run in place; its steps stand in it again afterwards."""
        with self:
            old = self._current()
            clears = {**old.clears, str(old.run): old.clears.get(str(old.run), 0) + 1}
            try:
                self._replace(self._size, clears=clears)
            except StateUnwritable:
                if self._size < _MAKES_ROOM:
                    raise
                # a full disk: what is to go makes room for what has to be noted
                os.ftruncate(self._log, 0)
                self._replace(0, clears=clears)

    def new_run(self, steps: Steps) -> int:
        """Open the next run with these steps; the run so far goes to ``runs/`` if it had events. Gives its number.

        Raises SessionFinished: a finished session opens no run.
        """
        with self:
            old = self._current()
            if old.mode != "debug":
                raise SessionFinished(self.session.id)
            archived = runs.archive(self.session.layout, self.session.settings, self._log, old.run)
            self._replace(archived, run=old.run + 1, steps=steps)
            return old.run + 1

    @property
    def size(self) -> int:
        """Bytes in the log at the end of the last append or look."""
        return self._size

    def look(self) -> None:
        """Bring `size` and `epoch` up to date with what others did."""
        with self:
            self._current()

    @property
    def epoch(self) -> tuple[int, int]:
        """The run, and how often it was cleared, as of the last append or look: another epoch is another content."""
        now = self._state
        return (now.run, now.clears.get(str(now.run), 0)) if now else (0, 0)

    def read(self, start: int, size: int) -> bytes:
        """Up to ``size`` bytes of the log from ``start`` on."""
        return os.pread(self._log, size, start)

    def close(self) -> None:
        """Close the descriptors; the journal can be used again afterwards."""
        for descriptor in (self._log, self._lock):
            if descriptor >= 0:
                os.close(descriptor)
        self._log = self._lock = -1
        self._seen = None

    def held(self, seconds: float) -> Self:
        """Hold the lock for a ``with`` block; entering it waits at most ``seconds``, or raises LockBusy."""
        self._patience = seconds
        return self

    def __enter__(self) -> Self:
        patience, self._patience = self._patience, self.session.settings.lock_seconds
        if self._depth == 0:
            self._lock_log(patience)
        self._depth += 1
        return self

    def __exit__(self, *error: object) -> None:
        self._depth -= 1
        if self._depth == 0 and self._lock >= 0:
            unlock(self._lock)

    def _lock_log(self, patience: float) -> None:
        deadline = time.monotonic() + patience
        while True:
            self._open()
            if try_lock(self._lock):
                # the folder may have been deleted, or deleted and made again, since we opened it
                log = os.fstat(self._log)
                if log.st_nlink:
                    self._size = log.st_size
                    return
                self.close()
            elif time.monotonic() >= deadline:
                raise LockBusy(self.session.layout.journal_lock)
            else:
                time.sleep(_LOOK_SECONDS)

    def _open(self) -> None:
        layout = self.session.layout
        if self._lock < 0:
            self._lock = files.open_private(layout.journal_lock, os.O_RDWR | os.O_CREAT)
        if self._log < 0:
            self._log = files.open_private(layout.log, os.O_RDWR | os.O_APPEND | os.O_CREAT)

    def _current(self) -> State:
        """session.json, read again only if it changed. A change of the log that a crash cut off is ended first."""
        seen = files.signature(self._session_file)
        if self._state is None or seen is None or seen != self._seen:
            self._state = self.session.state()
            if self._state.cut:
                self._finish_cut(self._state)
            self._seen = seen if self._state.cut is None else None
        return self._state

    def _replace(self, size: int, **changes: object) -> None:
        """Put the steps in place of the first ``size`` bytes of the log, so that a crash at any point loses nothing."""
        cut = Cut(size, os.pread(self._log, min(size, _HEAD), 0).hex(), utc_now())
        self._finish_cut(self.session.update_locked(**changes, cut=cut))

    def _finish_cut(self, planned: State) -> None:
        cut = planned.cut
        if cut is None:
            return
        size = self._size
        steps = _steps_line(planned, cut)
        head = bytes.fromhex(cut.head)
        untouched = size >= cut.size > 0 and os.pread(self._log, len(head), 0) == head
        if untouched or os.pread(self._log, len(steps), 0) != steps:
            # what a program appended since the cut was planned stays, within what a log may hold
            rest = os.pread(self._log, self.session.settings.log_bytes, cut.size if untouched else 0)
            os.ftruncate(self._log, 0)
            if steps or rest:
                self._write(steps + rest, 0)
        self._size = os.fstat(self._log).st_size
        self._state = planned
        with suppress(StateUnwritable):  # the log is as planned; whoever writes next notes it
            self._state = self.session.update_locked(cut=None)
        self._seen = files.signature(self._session_file)

    def _fresh_line(self, size: int) -> bytes:
        ends = size in {0, self._ended} or os.pread(self._log, 1, size - 1) == b"\n"
        return b"" if ends else b"\n"

    def _write(self, data: bytes, size: int) -> None:
        try:
            written = os.write(self._log, data)
        except OSError as error:
            raise WriteFailed(self.session.layout.log, (error.strerror or "").lower()) from error
        if written != len(data):
            if os.fstat(self._log).st_size == size + written:
                os.ftruncate(self._log, size)
            raise WriteFailed(self.session.layout.log, "no space left on device")
        self._size = size + written
        self._ended = self._size if data.endswith(b"\n") else -1


def _steps_line(planned: State, cut: Cut) -> bytes:
    if planned.steps is None:
        return b""
    record = {"type": STEPS_TYPE, **planned.steps.to_json()}
    record["_"] = {"observed": cut.observed, "run": planned.run}
    return orjson.dumps(record) + b"\n"
