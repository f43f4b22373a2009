"""A digest as text for people: the same content as its JSON, every quoted line marked with a bar."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import orjson

from debugloop.evidence.rows import REASONS, compact
from debugloop.evidence.visible import visible
from debugloop.session.records import Number


def as_text(digest: dict[str, Any]) -> str:
    """A digest on some lines of visible text, numbers by the digits that were written."""
    exact = json.loads(orjson.dumps(digest), parse_int=Number, parse_float=Number)
    return "\n".join(_lines(cast("dict[str, Any]", exact)))


def _lines(digest: dict[str, Any]) -> Iterator[str]:
    yield f"Evidence of run {digest['run']}: {_events(digest['events'])}{_losses(digest)}."
    yield from (f"To let in what was rejected: {visible(mend)}" for mend in digest["mend"])
    if keys := digest["sampled_keys"]:
        yield f"Sampled out most: {', '.join(f'{visible(key)} ({count})' for key, count in keys.items())}"
    if digest["events"] == "0" and not digest["never_fired"]:
        return
    yield digest["notice"]
    for entry in digest["hypotheses"]:
        yield ""
        name = visible(entry["id"] or "(no hypothesis)")
        text = f"  {visible(entry['text'])}" if "text" in entry else ""
        yield f"{name}{text}  ({_events(entry['events'])})"
        for location in entry["locations"]:
            yield from _location(location)
    if digest["silent"]:
        yield f"\nNo event for: {', '.join(map(visible, digest['silent']))}."
    if digest["never_fired"]:
        silent = ", ".join(visible(f"{each['probe']} ({each['location']})") for each in digest["never_fired"])
        yield f"Probes that never fired: {silent}."
    more = digest["more"]
    if digest["cursor"] is not None:
        yield (
            f"\nLeft out: {more['rows']} rows, {more['groups']} of them locations. "
            f"All of them: debugloop logs --run {digest['run']} --after {digest['cursor']}"
        )


def _location(location: dict[str, Any]) -> Iterator[str]:
    span = location["first"] if location["events"] == "1" else f"{location['first']} to {location['last']}"
    errors = f", {location['errors']} of them errors" if "errors" in location else ""
    yield f"  {visible(location['location'] or '(no location)')}  {_events(location['events'])}{errors}, {span}"
    if gap := location.get("gap"):
        yield f"    longest silence: {gap['ms']} ms after {gap['after']}"
    for path, values in location.get("values", {}).items():
        bounds = f", {values['min']} to {values['max']}" if "min" in values else ""
        first = ", ".join(map(compact, values["first"]))
        yield f"    | {visible(path)}: {values['distinct']} values{bounds}: {first}, …"
    for row in location.get("rows", []):
        times = f" ({row['times']} times)" if "times" in row else ""
        cut = f"  (cut, {row['cut']} bytes)" if "cut" in row else ""
        yield f"    | {row['at']}{times}  {compact(row['record'])}{cut}"
    if "more" in location:
        yield f"    {location['more']} more"


def _events(count: str) -> str:
    return f"{count} event" + ("" if count == "1" else "s")


def _losses(digest: dict[str, Any]) -> str:
    malformed = "".join(f", {count} malformed ({REASONS.get(why, why)})" for why, count in digest["malformed"].items())
    rejected = "".join(f", {count} rejected ({visible(code)})" for code, count in digest["rejected"].items())
    sampled = f", {digest['sampled']} sampled out" if digest["sampled"] != "0" else ""
    redacted = f", {digest['redacted']} secrets hidden" if digest["redacted"] != "0" else ""
    return malformed + rejected + sampled + redacted
