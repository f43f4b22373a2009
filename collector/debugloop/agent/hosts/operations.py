"""What an installation does to one file: put in a file of ours, or an entry into one of the user's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from debugloop.agent.hosts import jsonc, toml_table
from debugloop.agent.hosts.splice import Broken, Splice


@dataclass(frozen=True, slots=True)
class Drop:
    """A file of our own."""

    path: Path
    text: str

    def is_done(self, text: str) -> bool:
        return text == self.text

    def splice(self, text: str) -> Splice:
        if text:
            raise Broken("there is a file of that name already")
        return Splice(0, self.text)


@dataclass(frozen=True, slots=True)
class MergeJson:
    """A member of a JSON file, which may hold comments."""

    path: Path
    keys: tuple[str, ...]
    value: dict[str, Any]

    def is_done(self, text: str) -> bool:
        return jsonc.entry(text, self.keys) == self.value

    def splice(self, text: str) -> Splice:
        splice = jsonc.insert(text, self.keys, self.value)
        if not self.is_done(splice.into(text)):
            raise Broken("the entry would not be read back")
        return splice


@dataclass(frozen=True, slots=True)
class SetToml:
    """A table of a TOML file."""

    path: Path
    keys: tuple[str, ...]
    value: dict[str, Any]

    def is_done(self, text: str) -> bool:
        return toml_table.entry(text, self.keys) == self.value

    def splice(self, text: str) -> Splice:
        if toml_table.entry(text, self.keys) is not None:
            raise Broken(f"{'.'.join(self.keys)} is there already")
        return toml_table.insert(text, self.keys, self.value)


Operation: TypeAlias = Drop | MergeJson | SetToml
