"""Two runs side by side: where the program went that it did not before, where no longer, and which values changed.

Events are aligned by location and order: the n-th event of a location in one run belongs to the n-th of that location
in the other. An event without a location is aligned by its message.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from operator import eq
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import orjson

from debugloop.evidence.columns import Column, Columns, columns_of
from debugloop.evidence.content import OF_PROBES, leaves
from debugloop.evidence.cut import clipped
from debugloop.evidence.query import text_of
from debugloop.evidence.room import NOTICE, Room
from debugloop.session.pause import gc_paused

if TYPE_CHECKING:
    from debugloop.session.records import Row

Place = tuple[str, str, str]
"""Hypothesis, location and (only where there is no location) message of an event."""

_PATHS: Final = 20
_HEAD: Final = 600
_ABSENT: Final = object()

_Change: TypeAlias = "tuple[int, int, object, object]"
"""Of a path: in how many pairs of events it differs, the first of them, and its two values there."""


@dataclass(slots=True)
class _Events:
    """The events of one place: their lines, and what they say."""

    lines: list[int] = field(default_factory=list[int])
    records: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


def compare(
    before: Iterable[Row], before_run: int, after: Iterable[Row], after_run: int, *, limit: int = 16_384
) -> dict[str, Any]:
    """What differs between two runs, to be dumped by orjson into at most ``limit`` bytes (at least 2,000).

    ``new`` and ``gone`` list places that have events in one of the runs only; ``changed`` those whose count or whose
    values differ. A value is ``{"path", "times", "at": [run:line, run:line], "before", "after"}``: the first pair of
    events that differ in it, and how many do; a side is left away where the event has no such member. ``same`` counts
    places without a difference but in time, ``more`` those that there was no room for.
    """
    with gc_paused():
        return _compare(before, before_run, after, after_run, limit)


def _compare(
    before: Iterable[Row], before_run: int, after: Iterable[Row], after_run: int, limit: int
) -> dict[str, Any]:
    old, old_events = _by_place(before)
    new, new_events = _by_place(after)
    answer: dict[str, Any] = {
        "notice": NOTICE,
        "before": {"run": before_run, "events": old_events},
        "after": {"run": after_run, "events": new_events},
    }
    room = Room(limit - _HEAD)
    gone = [_alone(place, rows, before_run) for place, rows in old.items() if place not in new]
    came = [_alone(place, rows, after_run) for place, rows in new.items() if place not in old]
    changed: list[dict[str, Any]] = []
    same = 0
    for place, rows in old.items():
        if place in new:
            difference = _difference(rows, before_run, new[place], after_run)
            if difference:
                changed.append({**_named(place), **difference})
            else:
                same += 1
    lists = {"changed": changed, "new": came, "gone": gone}
    shown = {name: [each for each in listed if room.take(each)] for name, listed in lists.items()}
    more = {name: len(listed) - len(shown[name]) for name, listed in lists.items()}
    return answer | shown | {"same": same, "more": more}


def _by_place(rows: Iterable[Row]) -> tuple[dict[Place, _Events], int]:
    places: dict[Place, _Events] = {}
    known: dict[object, _Events] = {}
    events = 0
    for row in rows:
        if row.steps:
            continue
        events += 1
        if row.malformed:
            continue
        record = row.record()
        said = record.get("hypothesisId"), record.get("location")
        plain = said[0].__class__ is str and said[1].__class__ is str and said[1] != ""
        found = known.get(said) if plain else None
        if found is None:
            location = text_of(said[1])
            message = "" if location else text_of(record.get("message"))
            found = places.setdefault((text_of(said[0]), location, message), _Events())
            if plain:
                known[said] = found
        found.lines.append(row.line)
        found.records.append(record)
    return places, events


def _named(place: Place) -> dict[str, Any]:
    hypothesis, location, message = place
    named = {"hypothesis": clipped(hypothesis, 80) or None, "location": clipped(location, 160) or None}
    return {**named, "message": clipped(message, 120)} if message else named


def _alone(place: Place, events: _Events, run: int) -> dict[str, Any]:
    return {**_named(place), "events": len(events.lines), "first": f"{run}:{events.lines[0]}"}


def _difference(old: _Events, old_run: int, new: _Events, new_run: int) -> dict[str, Any]:
    """How the events of one place differ; empty where they do not."""
    pairs = min(len(old.lines), len(new.lines))
    mine, theirs = columns_of(old.records[:pairs]), columns_of(new.records[:pairs])
    if mine is None or theirs is None:
        changes = _pair_by_pair(old.records, new.records)
    else:
        changes = _column_by_column(mine, theirs, pairs)
    if len(old.lines) == len(new.lines) and not changes:
        return {}
    values: list[dict[str, Any]] = []
    for path, (times, pair, first, second) in islice(changes.items(), _PATHS):
        sides = {"before": first, "after": second}
        shown = {side: _shown(value) for side, value in sides.items() if value is not _ABSENT}
        at = [f"{old_run}:{old.lines[pair]}", f"{new_run}:{new.lines[pair]}"]
        values.append({"path": path, "times": times, "at": at, **shown})
    more = {"more": len(changes) - _PATHS} if len(changes) > _PATHS else {}
    return {"events": [len(old.lines), len(new.lines)], "values": values, **more}


def _column_by_column(old: Columns, new: Columns, pairs: int) -> dict[str, _Change]:
    absent = Column((_ABSENT,) * pairs, frozenset({object}))
    found: dict[str, _Change] = {}
    for path in _paths(old, new):
        (mine, mine_are), (theirs, theirs_are) = old.get(path, absent), new.get(path, absent)
        truths = bool in mine_are | theirs_are
        if mine == theirs and not truths:
            continue
        alike = map(_equal if truths else eq, mine, theirs)
        differ = [pair for pair, same in enumerate(alike) if not same]
        if differ:
            found[path] = (len(differ), differ[0], mine[differ[0]], theirs[differ[0]])
    return dict(sorted(found.items(), key=lambda change: change[1][1]))


def _pair_by_pair(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> dict[str, _Change]:
    found: dict[str, _Change] = {}
    for pair, (before, after) in enumerate(zip(old, new, strict=False)):
        mine, theirs = dict(leaves(before)), dict(leaves(after))
        for path in _paths(mine, theirs):
            first, second = mine.get(path, _ABSENT), theirs.get(path, _ABSENT)
            if not _equal(first, second):
                known = found.get(path)
                found[path] = (known[0] + 1, *known[1:]) if known else (1, pair, first, second)
    return found


def _paths(old: Iterable[str], new: Iterable[str]) -> list[str]:
    """Those of either side, but what a probe says of itself: it is another one, or was reached more often by now."""
    paths = dict.fromkeys((*old, *new))
    return [path for path in paths if path not in OF_PROBES] if "probe" in paths else list(paths)


def _equal(first: object, second: object) -> bool:
    # 1 and true are equal in Python, and no program means the same by them
    return first == second and isinstance(first, bool) == isinstance(second, bool)


def _shown(value: object) -> object:
    if isinstance(value, str):
        return clipped(value, 120)
    return value if len(orjson.dumps(value)) <= 120 else clipped(text_of(value), 120)  # noqa: PLR2004 -- as texts
