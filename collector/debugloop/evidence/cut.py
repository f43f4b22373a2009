"""Records made to fit: long texts and lists are cut with their size, every number keeps its digits."""

from __future__ import annotations

import re
from typing import Any, Final, cast

import orjson

from debugloop.session.records import Number, Row

_ADDED: Final = re.compile(rb'"_":\{"observed":"[^"\\]*","run":\d+\}\}$')

_TRIES: Final = ((400, 40), (120, 20), (40, 6), (16, 3))
"""Characters of a text and items of a list or object that are kept, from generous to strict."""


def without_stamp(row: Row) -> bytes:
    """The record's JSON as it came, without the field that the collector added."""
    start = row.raw.rfind(b'"_":{"observed":')
    added = _ADDED.match(row.raw, start) if start > 0 else None
    return row.raw[: start - (row.raw[start - 1 : start] == b",")] + b"}" if added else row.raw


def fitted(row: Row, room: int) -> tuple[bytes, bool]:
    """The record as JSON of at most ``room`` bytes (at least 60), and whether it had to be cut.

    Cut, it is the same record with its long texts ended by ``… (n characters)`` and its long lists by ``… (n more)``;
    where even that does not fit, a JSON string of its first characters.
    """
    whole = without_stamp(row)
    if len(whole) <= room:
        return whole, False
    record = row.exact()
    record.pop("_", None)
    for characters, items in _TRIES:
        cut = orjson.dumps(_cut(record, characters, items))
        if len(cut) <= room:
            return cut, True
    return orjson.dumps(clipped(whole.decode("utf-8", "replace"), max(1, (room - 40) // 6))), True


def clipped(text: str, characters: int) -> str:
    """The first characters of a text, and how many there are in all where some are left out."""
    return text if len(text) <= characters else f"{text[:characters]}… ({len(text):,} characters)"


def _cut(value: object, characters: int, items: int) -> object:
    # nesting is bounded by the reader
    if isinstance(value, Number):
        return orjson.Fragment(str(value)) if len(value) <= characters else clipped(str(value), characters)
    if isinstance(value, str):
        return clipped(value, characters)
    if isinstance(value, list):
        listed = cast("list[object]", value)
        kept = [_cut(item, characters, items) for item in listed[:items]]
        return [*kept, f"… ({len(listed) - items:,} more)"] if len(listed) > items else kept
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        some = {clipped(key, characters): _cut(members[key], characters, items) for key in list(members)[:items]}
        return {**some, "…": f"{len(members) - items:,} more"} if len(members) > items else some
    return value
