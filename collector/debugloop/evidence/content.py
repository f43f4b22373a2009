"""What an event says apart from when: whether two are equal, and each of their values with its path."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from debugloop.evidence.cut import clipped, without_stamp
from debugloop.evidence.query import text_of
from debugloop.session.strict import members

if TYPE_CHECKING:
    from debugloop.session.records import Row

PATH_CHARACTERS: Final = 80
LIST_CHARACTERS: Final = 60

PLACED: Final = frozenset({"hypothesisId", "location", "timestamp", "sessionId", "runId", "_"})
_NESTED: Final[frozenset[type]] = frozenset({dict, list})
_TIME: Final = b'"timestamp"'
_TIME_COLON: Final = b'"timestamp":'
_MS_DIGITS: Final = 13
_ENDS: Final = frozenset({b",", b"}"})
_TIME_MEMBER: Final = re.compile(rb'"timestamp":\s*(?:[0-9.]+|"[^"\\]*")')


def content(row: Row, record: dict[str, Any]) -> bytes:
    """What makes two events equal: the bytes of the record but for its time. So 1.10 and 1.1, or 1 and "1", are two."""
    raw = without_stamp(row)
    if "timestamp" not in record:
        return raw
    if raw.count(_TIME) == 1:
        head, _, tail = raw.partition(_TIME_COLON)
        if tail[:_MS_DIGITS].isdigit() and tail[_MS_DIGITS : _MS_DIGITS + 1] in _ENDS:  # how nearly all write it
            return head + tail[_MS_DIGITS:]
        if time := _TIME_MEMBER.search(raw):
            return raw[: time.start()] + raw[time.end() :]
    kept = [member for member in members(raw) if member.key != "timestamp"]
    return b",".join(raw[member.key_start : member.value_end] for member in kept)


def leaves(record: dict[str, Any]) -> list[tuple[str, object]]:
    """Every scalar of an event's own members, with its path such as ``data.total``; a list counts as one value."""
    found: list[tuple[str, object]] = []
    for key, value in record.items():
        if key not in PLACED:
            _add(found, key[:PATH_CHARACTERS], value)
    return found


def _add(found: list[tuple[str, object]], path: str, value: object) -> None:
    # nesting is bounded by the reader; a call for each scalar would double the time of a digest
    if isinstance(value, dict):
        for key, member in cast("dict[str, object]", value).items():
            below = f"{path}.{key}"[:PATH_CHARACTERS]
            if member.__class__ in _NESTED:
                _add(found, below, member)
            else:
                found.append((below, member))
    elif isinstance(value, list):
        found.append((path, clipped(text_of(cast("list[object]", value)), LIST_CHARACTERS)))
    else:
        found.append((path, value))
