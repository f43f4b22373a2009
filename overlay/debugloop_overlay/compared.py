"""What a comparison of two runs says, for the panel. Pure: a comparison in, paragraphs out."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from debugloop.evidence.rows import compact
from debugloop.evidence.visible import visible
from debugloop.session.records import Number
from debugloop_overlay.languages.words import Words, count
from debugloop_overlay.paragraphs import Paragraph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from debugloop_overlay.history import Comparison


@lru_cache(maxsize=1)
def compared(words: Words, comparison: Comparison) -> list[Paragraph]:
    """Changed values, new places and gone places, in this order, each with the rows to look at."""
    # every number by the digits that the program wrote
    exact = json.loads(orjson.dumps(comparison.found), parse_int=Number, parse_float=Number)
    return list(_told(words, comparison, exact))


def _told(words: Words, runs: Comparison, found: dict[str, Any]) -> Iterator[Paragraph]:
    events = {"before": found["before"]["events"], "after": found["after"]["events"]}
    yield Paragraph.of(
        (words.compared_events.format(**events, before_run=runs.before, after_run=runs.after), "strong"),
    )
    if not (found["changed"] or found["new"] or found["gone"]):
        yield Paragraph.of((words.compared_alike, "text"))
    if found["changed"]:
        yield from _heading(words.compared_changed)
    for place in found["changed"]:
        yield from _changed(words, place)
    for name, heading, mark in (
        ("new", words.compared_new.format(run=runs.after), ("+ ", "good")),
        ("gone", words.compared_gone.format(run=runs.before), ("- ", "bad")),
    ):
        if found[name]:
            yield from _heading(heading)
        for place in found[name]:
            first = words.compared_first.format(at=place["first"])
            told = f"{count(words.events, int(place['events']))}, {first}"
            yield Paragraph.of(mark, *_place(words, place), (f"  {told}", "muted"), hang=4)
    yield Paragraph.of()
    yield Paragraph.of((count(words.compared_same, int(found["same"])), "muted"))
    left_out = sum(map(int, found["more"].values()))
    if left_out:
        yield Paragraph.of((count(words.compared_more, left_out), "attention"))


def _heading(text: str) -> Iterator[Paragraph]:
    yield Paragraph.of()
    yield Paragraph.of((text, "strong"))


def _changed(words: Words, place: dict[str, Any]) -> Iterator[Paragraph]:
    before, after = place["events"]
    counts = f"  {words.compared_count.format(before=before, after=after)}" if before != after else ""
    yield Paragraph.of(("~ ", "attention"), *_place(words, place), (counts, "attention"), hang=4)
    for value in place["values"]:
        old, new = (compact(value[side]) if side in value else words.no_value for side in ("before", "after"))
        times = f" ({value['times']}\N{MULTIPLICATION SIGN})" if value["times"] != "1" else ""
        yield Paragraph.of(
            ("    ", "text"),
            (f"{visible(value['path'])} ", "strong"),
            (old, "bad"),
            (" → ", "muted"),
            (new, "good"),
            (f"{times}  {' → '.join(value['at'])}", "muted"),
            hang=6,
        )
    if more := int(place.get("more", 0)):
        yield Paragraph.of(("    ", "text"), (count(words.compared_values, more), "attention"), hang=4)


def _place(words: Words, place: dict[str, Any]) -> list[tuple[str, str]]:
    hypothesis, message = place["hypothesis"], place.get("message")
    parts = [(f"{visible(hypothesis)} ", "tag")] if hypothesis else []
    parts.append((visible(place["location"]) if place["location"] else words.no_location, "location"))
    return [*parts, (f"  {visible(message)}", "text")] if message else parts
