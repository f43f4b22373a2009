"""The values of many events of one place, by their paths: how many, which, and between what bounds.

A probe sends the same members each time, so its events are read as a table, a column at a time. Where they differ in
shape, each is taken apart for itself, which costs several times as much.
"""

from __future__ import annotations

from types import NoneType
from typing import Any, Final, cast

import orjson

from debugloop.evidence.content import LIST_CHARACTERS, PATH_CHARACTERS, PLACED, leaves
from debugloop.evidence.cut import clipped
from debugloop.evidence.query import text_of

FIRST: Final = 6
"""Values that are shown of a path."""

_ALONE: Final = ({int}, {str}, {float}, {bool}, {NoneType}, {int, str})
"""Types whose values, in one column, are told apart by comparing them; 1, 1.0 and true would be one."""


def summaries(records: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Of each path with more than one value ``{"distinct", "min"?, "max"?, "first"}``."""
    columns: dict[str, list[object]] = {}
    try:
        _fill(columns, "", records)
    except _Uneven:
        return {
            path: _summary(list(values.values())) for path, values in _one_by_one(records).items() if len(values) > 1
        }
    found: dict[str, dict[str, Any]] = {}
    for path, column in columns.items():
        distinct = _distinct(column)
        if len(distinct) > 1:
            found[path] = _summary(distinct)
    return found


class _Uneven(Exception):
    """The events do not have the same members."""


def _fill(columns: dict[str, list[object]], prefix: str, members: list[dict[str, Any]]) -> None:
    """Add a column for each scalar, as `leaves` names them. Nesting is bounded by the reader."""
    if len(set(map(len, members))) > 1:
        raise _Uneven
    for key in members[0]:
        if not prefix and key in PLACED:
            continue
        path = f"{prefix}{key}"[:PATH_CHARACTERS]
        try:
            column: list[object] = [each[key] for each in members]
        except KeyError:
            raise _Uneven from None
        types = set(map(type, column))
        if types == {dict}:
            _fill(columns, f"{path}.", cast("list[dict[str, Any]]", column))
        elif dict in types or path in columns:
            raise _Uneven
        else:
            columns[path] = [_short(value) for value in column] if list in types else column


def _short(value: object) -> object:
    return clipped(text_of(cast("object", value)), LIST_CHARACTERS) if isinstance(value, list) else value


def _distinct(column: list[object]) -> list[object]:
    kinds = set(map(type, column))
    if kinds in _ALONE and (kinds != {float} or 0.0 not in column):  # 0.0 and -0.0 would be one
        return list(dict.fromkeys(column))
    return list({orjson.dumps(value): value for value in reversed(column)}.values())[::-1]


def _one_by_one(records: list[dict[str, Any]]) -> dict[str, dict[bytes, object]]:
    seen: dict[str, dict[bytes, object]] = {}
    for record in records:
        for path, value in leaves(record):
            seen.setdefault(path, {}).setdefault(orjson.dumps(value), value)
    return seen


def _summary(values: list[object]) -> dict[str, Any]:
    kinds = set(map(type, values))
    numbers = values if kinds <= {int, float} else [each for each in values if type(each) in {int, float}]
    bounds = {"min": min(numbers), "max": max(numbers)} if numbers else {}  # type: ignore[type-var] # pyright: ignore[reportArgumentType] -- numbers, by the line above
    first = [clipped(value, 60) if isinstance(value, str) else value for value in values[:FIRST]]
    return {"distinct": len(values), **bounds, "first": first}
