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
_TIME: Final = re.compile(rb'"timestamp":\s*(?:[0-9.]+|"[^"\\]*")')
_CALLS: Final = re.compile(rb'"calls":\s*[0-9]+')


def content(row: Row, record: dict[str, Any]) -> bytes:
    """What makes two events equal: the bytes of the record but for its time and how often its probe was reached.

    So 1.10 and 1.1, or 1 and "1", are two.
    """
    raw = without_stamp(row)
    moving = {key: member for key, member in (("timestamp", _TIME), ("calls", _CALLS)) if key in record}
    if "probe" not in record:  # then the program itself says how many calls
        moving.pop("calls", None)
    shorter = raw
    for key, member in moving.items():
        quoted = b'"%b"' % key.encode()
        found = member.match(shorter, shorter.find(quoted)) if shorter.count(quoted) == 1 else None
        if found is None:
            kept = [each for each in members(raw) if each.key not in moving]
            return b",".join(raw[each.key_start : each.value_end] for each in kept)
        shorter = shorter[: found.start()] + shorter[found.end() :]
    return shorter


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
