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

OF_PROBES: Final = frozenset({"probe", "calls"})
"""What a probe says of itself: its id, and how often it was reached so far."""
PLACED: Final = frozenset({"hypothesisId", "location", "timestamp", "sessionId", "runId", "_"})
_NESTED: Final[frozenset[type]] = frozenset({dict, list})
_TIME: Final = b'"timestamp"'
_TIME_COLON: Final = b'"timestamp":'
_MS_DIGITS: Final = 13
_ENDS: Final = frozenset({b",", b"}"})
_TIME_MEMBER: Final = re.compile(rb'"timestamp":\s*(?:[0-9.]+|"[^"\\]*")')
_CALLS: Final = b'"calls"'
_CALLS_MEMBER: Final = re.compile(rb'"calls":\s*[0-9]+')


def content(row: Row, record: dict[str, Any]) -> bytes:
    """What makes two events equal: the bytes of the record but for its time and how often its probe was reached.

    So 1.10 and 1.1, or 1 and "1", are two.
    """
    raw = without_stamp(row)
    counted = "calls" in record and "probe" in record  # else the program itself says how many calls
    shorter: bytes | None = raw
    if "timestamp" in record:
        shorter = _untimed(raw)
    if shorter and counted:
        shorter = _without(_CALLS_MEMBER, shorter) if shorter.count(_CALLS) == 1 else None
    if shorter is None:
        moving = {"timestamp", "calls"} if counted else {"timestamp"}
        shorter = b",".join(raw[each.key_start : each.value_end] for each in members(raw) if each.key not in moving)
    return shorter


def _untimed(raw: bytes) -> bytes | None:
    """The line without its time, None where it is not plain which member that is."""
    if raw.count(_TIME) != 1:
        return None
    head, _, tail = raw.partition(_TIME_COLON)
    if tail[:_MS_DIGITS].isdigit() and tail[_MS_DIGITS : _MS_DIGITS + 1] in _ENDS:  # how nearly all write it
        return head + tail[_MS_DIGITS:]
    return _without(_TIME_MEMBER, raw)


def _without(member: re.Pattern[bytes], raw: bytes) -> bytes | None:
    found = member.search(raw)
    return raw[: found.start()] + raw[found.end() :] if found else None


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
