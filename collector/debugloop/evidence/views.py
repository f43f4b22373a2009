"""Two bounded views of a run beside its digest: the rows as they are, and the timeline of what came after what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from debugloop.evidence.cut import clipped, fitted
from debugloop.evidence.gaps import milliseconds
from debugloop.evidence.query import hypotheses_of, text_of
from debugloop.evidence.room import NOTICE, Room

if TYPE_CHECKING:
    from debugloop.session.records import Row

_ROW_BYTES: Final = 2_000
_GAPS: Final = 3
_HEAD: Final = 400
"""Bytes of an answer besides its list."""


def rows_view(rows: Iterable[Row], run: int, *, limit: int = 16_384) -> dict[str, Any]:
    """The rows in order, to be dumped by orjson into at most ``limit`` bytes (at least 2,000).

    A row is ``{"at": "run:line", "record"}``, cut where it is long (``"cut": size``), or
    ``{"at", "malformed", "text"}``. ``cursor`` is the line to go on after, null where nothing was left out.
    """
    listed = list(rows)
    room = Room(limit - _HEAD)
    shown: list[dict[str, Any]] = []
    for row in listed:
        quoted = _quoted(row, run, min(_ROW_BYTES, max(200, room.left - 60)))
        if not room.take(quoted):
            break
        shown.append(quoted)
    return {"notice": NOTICE, "run": run, "matched": len(listed), "rows": shown, **_rest(listed, len(shown))}


def timeline(rows: Iterable[Row], run: int, *, limit: int = 16_384) -> dict[str, Any]:
    """What came after what, to be dumped by orjson into at most ``limit`` bytes (at least 2,000).

    An entry is ``{"at", "ms", "hypothesis", "location", "message"}``; equal ones in a row fold (``"times"``,
    ``"last"``). ``ms`` is the time after the first event by the program's own clock, null where it gave none.
    ``gaps`` are the longest silences. ``cursor`` as in `rows_view`.
    """
    listed = [row for row in rows if not row.steps]
    room = Room(limit - _HEAD)
    entries: list[dict[str, Any]] = []
    used = 0
    moments = _Moments()
    silences: list[tuple[int, str]] = []
    for entry, folded in _folded(listed, run, moments, silences):
        if not room.take(entry):
            break
        entries.append(entry)
        used += folded
    gaps = [{"after": at, "ms": ms} for ms, at in sorted(silences, key=lambda each: -each[0])[:_GAPS]]
    return {
        "notice": NOTICE,
        "run": run,
        "events": len(listed),
        "entries": entries,
        "gaps": gaps,
        **_rest(listed, used),
    }


def _rest(listed: list[Row], shown: int) -> dict[str, Any]:
    left = len(listed) - shown
    return {"more": left, "cursor": listed[shown - 1].line if left and shown else None}


def _quoted(row: Row, run: int, room: int) -> dict[str, Any]:
    at = f"{run}:{row.line}"
    if row.malformed:
        return {"at": at, "malformed": row.malformed, "text": clipped(row.text, 200)}
    record, cut = fitted(row, room)
    size = {"cut": len(row.raw)} if cut else {}
    return {"at": at, **size, "record": orjson.Fragment(record)}


@dataclass(slots=True)
class _Moments:
    """The program's clock, counted from its first event. Clocks of several processes may disagree and run back."""

    first: float | None = None
    last: int | None = None

    def take(self, timestamp: object) -> int | None:
        now = milliseconds(timestamp)
        if now is None:
            return None
        if self.first is None:
            self.first = now
        return round(now - self.first)


def _folded(
    rows: list[Row], run: int, moments: _Moments, silences: list[tuple[int, str]]
) -> Iterator[tuple[dict[str, Any], int]]:
    """Each entry with how many rows it stands for; ``silences`` gains the time before each event (ms, after which)."""
    entry: dict[str, Any] = {}
    same: tuple[object, ...] = ()
    folded = 0
    before = ""
    for row in rows:
        at = f"{run}:{row.line}"
        record = row.record()
        ms = None if row.malformed else moments.take(record.get("timestamp"))
        if ms is not None:
            if moments.last is not None and ms > moments.last:
                silences.append((ms - moments.last, before))
            moments.last, before = ms, at
        words = _words(row, record)
        if entry and words == same:
            folded += 1
            entry |= {"times": folded, "last": at}
            continue
        if entry:
            yield entry, folded
        same, folded = words, 1
        what = {"malformed": row.malformed} if row.malformed else {}
        entry = {"at": at, "ms": ms, **what, "hypothesis": words[0], "location": words[1], "message": words[2]}
    if entry:
        yield entry, folded


def _words(row: Row, record: dict[str, Any]) -> tuple[str | None, str | None, str | None, str | None]:
    if row.malformed:
        return None, None, clipped(row.text, 120), row.malformed
    hypothesis = clipped(", ".join(hypotheses_of(record)), 80)
    location, message = clipped(text_of(record.get("location")), 160), clipped(text_of(record.get("message")), 120)
    return hypothesis or None, location or None, message or None, None
