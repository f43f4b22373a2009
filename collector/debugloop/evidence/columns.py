"""The values of many events of one place, by their paths: how many, which, and between what bounds.

A probe sends the same members each time, so its events are read as a table, a column at a time. Where they differ in
shape, each is taken apart for itself, which costs several times as much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from types import NoneType
from typing import Any, Final, NamedTuple, TypeAlias, cast

import orjson

from debugloop.evidence.content import LIST_CHARACTERS, PATH_CHARACTERS, PLACED, leaves
from debugloop.evidence.cut import clipped
from debugloop.evidence.query import text_of

FIRST: Final = 6
"""Values that are shown of a path."""

Types: TypeAlias = frozenset[type]

_OBJECTS: Final[Types] = frozenset({dict})
_FLOATS: Final[Types] = frozenset({float})
_KINDS: Final[tuple[set[type], ...]] = ({int}, {str}, {float}, {bool}, {NoneType}, {int, str})
_ALONE: Final = frozenset(map(Types, _KINDS))
"""Types whose values, in one column, are told apart by comparing them; 1, 1.0 and true would be one."""


class Column(NamedTuple):
    """The values of one scalar in the order of the events, and of which types they are."""

    values: tuple[object, ...]
    types: Types


Columns: TypeAlias = dict[str, Column]
"""Each scalar by its path, as `leaves` names it."""


def columns_of(records: Sequence[dict[str, Any]]) -> Columns | None:
    """The events as a table, or None if they do not have the same members."""
    columns: Columns = {}
    try:
        _fill(columns, "", records)
    except _Uneven:
        return None
    return columns


def distinct(column: Column) -> list[object]:
    """The values of a column that differ, in the order of their first."""
    values, types = column
    if types in _ALONE and (types != _FLOATS or 0.0 not in values):  # 0.0 and -0.0 would be one
        return list(dict.fromkeys(values))
    seen: dict[bytes, object] = {}
    for value in values:
        seen.setdefault(orjson.dumps(value), value)
    return list(seen.values())


def one_by_one(records: Sequence[dict[str, Any]]) -> dict[str, list[object]]:
    """The values of each path that differ, of events that do not have the same members."""
    seen: dict[str, dict[bytes, object]] = {}
    for record in records:
        for path, value in leaves(record):
            seen.setdefault(path, {}).setdefault(orjson.dumps(value), value)
    return {path: list(values.values()) for path, values in seen.items()}


def summaries(different: dict[str, list[object]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Of each path with more than one value ``{"distinct", "min"?, "max"?, "first"}``."""
    return ((path, _summary(values)) for path, values in different.items() if len(values) > 1)


class _Uneven(Exception):
    """The events do not have the same members."""


def _fill(columns: Columns, prefix: str, members: Sequence[dict[str, Any]]) -> None:
    """Add a column for each scalar, as `leaves` names them. Nesting is bounded by the reader."""
    if len(set(map(len, members))) > 1:
        raise _Uneven
    keys = list(members[0])
    if not keys:
        return
    try:  # all keys at once, also those that are not asked for: another one may stand in the place of theirs
        found = zip(*map(itemgetter(*keys, keys[0]), members), strict=True)
    except KeyError:
        raise _Uneven from None
    for key, column in zip(keys, found, strict=False):
        if not prefix and key in PLACED:
            continue
        path = f"{prefix}{key}"[:PATH_CHARACTERS]
        types = frozenset(map(type, column))
        if types == _OBJECTS:
            _fill(columns, f"{path}.", cast("tuple[dict[str, Any], ...]", column))
        elif dict in types or path in columns:
            raise _Uneven
        elif list in types:
            columns[path] = Column(tuple(map(_short, column)), types - {list} | {str})
        else:
            columns[path] = Column(column, types)


def _short(value: object) -> object:
    return clipped(text_of(cast("object", value)), LIST_CHARACTERS) if isinstance(value, list) else value


def _summary(values: list[object]) -> dict[str, Any]:
    kinds = set(map(type, values))
    numbers = values if kinds <= {int, float} else [each for each in values if type(each) in {int, float}]
    bounds = {"min": min(numbers), "max": max(numbers)} if numbers else {}  # type: ignore[type-var] # pyright: ignore[reportArgumentType] -- numbers, by the line above
    first = [clipped(value, 60) if isinstance(value, str) else value for value in values[:FIRST]]
    return {"distinct": len(values), **bounds, "first": first}
