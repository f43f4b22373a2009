"""The timeline and the comparison as text for people: visible text only, what was quoted marked with a bar."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import orjson

from debugloop.evidence.rows import compact
from debugloop.evidence.visible import visible
from debugloop.session.records import Number


def timeline_text(timeline: dict[str, Any]) -> str:
    """A timeline, one entry a line."""
    lines = [f"Timeline of run {timeline['run']}: {timeline['events']} events.", timeline["notice"]]
    for entry in timeline["entries"]:
        ms = "" if entry["ms"] is None else f"+{entry['ms']} ms"
        times = f" ({entry['times']} times, to {entry['last']})" if "times" in entry else ""
        malformed = f"malformed ({entry['malformed']})" if "malformed" in entry else None
        words = (malformed, entry["hypothesis"], entry["location"], entry["message"])
        said = "  ".join(visible(word) for word in words if word)
        lines.append(f"  | {entry['at']:<7} {ms:>11}  {said}{times}")
    lines += [f"Nothing for {gap['ms']} ms after {gap['after']}." for gap in timeline["gaps"]]
    if timeline["cursor"] is not None:
        run, cursor = timeline["run"], timeline["cursor"]
        lines.append(f"{timeline['more']} more: debugloop logs --timeline --run {run} --after {cursor}")
    return "\n".join(lines)


def compare_text(comparison: dict[str, Any]) -> str:
    """A comparison, one place or value a line, numbers by the digits that were written."""
    exact = json.loads(orjson.dumps(comparison), parse_int=Number, parse_float=Number)
    return "\n".join(_compared(cast("dict[str, Any]", exact)))


def _compared(comparison: dict[str, Any]) -> Iterator[str]:
    before, after = comparison["before"], comparison["after"]
    yield f"Run {before['run']} ({before['events']} events) and run {after['run']} ({after['events']} events)."
    yield comparison["notice"]
    for place in comparison["changed"]:
        old, new = place["events"]
        counts = f": {old} events, then {new}" if old != new else ""
        yield f"Changed  {_place(place)}{counts}"
        for value in place["values"]:
            sides = (compact(value[side]) if side in value else "(none)" for side in ("before", "after"))
            times = f" ({value['times']} times)" if value["times"] != "1" else ""
            yield f"    | {visible(value['path'])}: {' → '.join(sides)}  [{' and '.join(value['at'])}]{times}"
    for title, name in (("New", "new"), ("Gone", "gone")):
        for place in comparison[name]:
            yield f"{title:<8} {_place(place)}: {place['events']} events, first {place['first']}"
    yield f"The same: {comparison['same']} places."
    left = [f"{count} {name}" for name, count in comparison["more"].items() if count != "0"]
    if left:
        yield f"Left out: {', '.join(left)}."


def _place(place: dict[str, Any]) -> str:
    words = (place["hypothesis"], place["location"] or "(no location)", place.get("message"))
    return "  ".join(visible(word) for word in words if word)
