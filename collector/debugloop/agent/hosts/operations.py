"""What an installation does to one file: put in a file of ours, or an entry into one of the user's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, cast

from debugloop.agent.hosts import jsonc, toml_table
from debugloop.agent.hosts.splice import Broken, Splice


@dataclass(frozen=True, slots=True)
class Drop:
    """A file of our own."""

    path: Path
    text: str

    def is_done(self, text: str) -> bool:
        return text == self.text

    def splices(self, text: str) -> Iterator[Splice]:
        if text:
            raise Broken("there is a file of that name already")
        yield Splice(0, self.text)


@dataclass(frozen=True, slots=True)
class MergeJson:
    """A member of a JSON file, which may hold comments."""

    path: Path
    keys: tuple[str, ...]
    value: dict[str, Any]

    def is_done(self, text: str) -> bool:
        return jsonc.entry(text, self.keys) == self.value

    def splices(self, text: str) -> Iterator[Splice]:
        for splice in _room(text, self.keys[:-1], {}):
            yield splice
            text = splice.into(text)
        yield jsonc.insert(text, self.keys, self.value)


@dataclass(frozen=True, slots=True)
class AddToList:
    """One more element of a list in a JSON file; ``head`` is what a file that is not there yet begins with."""

    path: Path
    keys: tuple[str, ...]
    element: dict[str, Any]
    head: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def is_done(self, text: str) -> bool:
        there = jsonc.entry(text, self.keys)
        return isinstance(there, list) and self.element in cast("list[object]", there)

    def splices(self, text: str) -> Iterator[Splice]:
        for splice in _room(text, self.keys, [], dict(self.head)):
            yield splice
            text = splice.into(text)
        yield jsonc.prepend(text, self.keys, self.element)


@dataclass(frozen=True, slots=True)
class SetToml:
    """A table of a TOML file."""

    path: Path
    keys: tuple[str, ...]
    value: dict[str, Any]

    def is_done(self, text: str) -> bool:
        return toml_table.entry(text, self.keys) == self.value

    def splices(self, text: str) -> Iterator[Splice]:
        if toml_table.entry(text, self.keys) is not None:
            raise Broken(f"{'.'.join(self.keys)} is there already")
        yield toml_table.insert(text, self.keys, self.value)


def _room(text: str, keys: tuple[str, ...], last: object, head: dict[str, Any] | None = None) -> Iterator[Splice]:
    """Empty containers under the keys where there are none, each by itself, so that the user may use them too."""
    if jsonc.is_blank(text):
        yield (splice := jsonc.insert(text, (), head or {}))
        text = splice.into(text)
    for depth in range(1, len(keys) + 1):
        if jsonc.entry(text, keys[:depth]) is None:
            yield (splice := jsonc.insert(text, keys[:depth], last if depth == len(keys) else {}))
            text = splice.into(text)


Operation: TypeAlias = Drop | MergeJson | AddToList | SetToml
