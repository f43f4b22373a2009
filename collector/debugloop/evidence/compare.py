"""Two runs side by side: where the program went that it did not before, where no longer, and which values changed.

Events are aligned by location and order: the n-th event of a location in one run belongs to the n-th of that location
in the other. An event without a location is aligned by its message.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import orjson

from debugloop.evidence.content import content, leaves
from debugloop.evidence.cut import clipped
from debugloop.evidence.query import text_of
from debugloop.evidence.room import NOTICE, Room

if TYPE_CHECKING:
    from debugloop.session.records import Row

Place = tuple[str, str, str]
"""Hypothesis, location and (only where there is no location) message of an event."""

_PATHS: Final = 20
_HEAD: Final = 600
_ABSENT: Final = object()

Event: TypeAlias = "tuple[Row, dict[str, Any]]"
"""A row, and what it says."""


def compare(
    before: Iterable[Row], before_run: int, after: Iterable[Row], after_run: int, *, limit: int = 16_384
) -> dict[str, Any]:
    """What differs between two runs, to be dumped by orjson into at most ``limit`` bytes (at least 2,000).

    ``new`` and ``gone`` list places that have events in one of the runs only; ``changed`` those whose count or whose
    values differ. A value is ``{"path", "times", "at": [run:line, run:line], "before", "after"}``: the first pair of
    events that differ in it, and how many do; a side is left away where the event has no such member. ``same`` counts
    places without a difference but in time, ``more`` those that there was no room for.
    """
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


def _by_place(rows: Iterable[Row]) -> tuple[dict[Place, list[Event]], int]:
    places: dict[Place, list[Event]] = {}
    known: dict[tuple[str, str], list[Event]] = {}
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
        if plain and (listed := known.get(cast("tuple[str, str]", said))) is not None:
            listed.append((row, record))
            continue
        location = text_of(said[1])
        message = "" if location else text_of(record.get("message"))
        listed = places.setdefault((text_of(said[0]), location, message), [])
        listed.append((row, record))
        if plain:
            known[cast("tuple[str, str]", said)] = listed
    return places, events


def _named(place: Place) -> dict[str, Any]:
    hypothesis, location, message = place
    named = {"hypothesis": clipped(hypothesis, 80) or None, "location": clipped(location, 160) or None}
    return {**named, "message": clipped(message, 120)} if message else named


def _alone(place: Place, events: list[Event], run: int) -> dict[str, Any]:
    return {**_named(place), "events": len(events), "first": f"{run}:{events[0][0].line}"}


def _difference(old: list[Event], old_run: int, new: list[Event], new_run: int) -> dict[str, Any]:
    """How the events of one place differ; empty where they do not."""
    values: dict[str, dict[str, Any]] = {}
    left_out: set[str] = set()
    for (one, before), (other, after) in zip(old, new, strict=False):
        if one.raw == other.raw or content(one, before) == content(other, after):
            continue
        mine, theirs = dict(leaves(before)), dict(leaves(after))
        for path in dict.fromkeys((*mine, *theirs)):
            first, second = mine.get(path, _ABSENT), theirs.get(path, _ABSENT)
            if _equal(first, second):
                continue
            if path in values:
                values[path]["times"] += 1
            elif len(values) < _PATHS:
                sides = {"before": first, "after": second}
                shown = {side: _shown(value) for side, value in sides.items() if value is not _ABSENT}
                at = [f"{old_run}:{one.line}", f"{new_run}:{other.line}"]
                values[path] = {"path": path, "times": 1, "at": at, **shown}
            else:
                left_out.add(path)
    if len(old) == len(new) and not values:
        return {}
    more = {"more": len(left_out)} if left_out else {}
    return {"events": [len(old), len(new)], "values": list(values.values()), **more}


def _equal(first: object, second: object) -> bool:
    # 1 and true are equal in Python, and no program means the same by them
    return first == second and isinstance(first, bool) == isinstance(second, bool)


def _shown(value: object) -> object:
    if isinstance(value, str):
        return clipped(value, 120)
    return value if len(orjson.dumps(value)) <= 120 else clipped(text_of(value), 120)  # noqa: PLR2004 -- as texts
