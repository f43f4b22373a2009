"""JSON with comments, changed by one splice: every other byte, comment and blank of the user's stays."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final, Self, cast

from debugloop.agent.hosts.splice import Broken, Splice

_BLANK: Final = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_WORD: Final = re.compile(r"[^\s,\]}/\"{\[:]+")
_COMMENT_OR_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING: Final = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_INDENT: Final = re.compile(r"\n([ \t]+)[\"/]")


def parse(text: str) -> dict[str, Any]:
    """The value of the text, which may hold comments and trailing commas; empty text is an empty object."""
    bare = _COMMENT_OR_STRING.sub(lambda found: found[0] if found[0].startswith('"') else " ", text.lstrip("\ufeff"))
    bare = _TRAILING.sub(lambda found: found[1] or "", bare)
    if not bare.strip():
        return {}
    try:
        value: object = json.loads(bare)
    except (ValueError, RecursionError) as error:
        raise Broken(str(error)) from None
    if not isinstance(value, dict):
        raise Broken("it holds no object")
    return cast("dict[str, Any]", value)


def is_blank(text: str) -> bool:
    """Whether the text holds nothing but blanks and comments."""
    return _start(text) == len(text)


def entry(text: str, keys: tuple[str, ...]) -> object:
    """What stands under the keys, None where nothing does."""
    value: object = parse(text)
    for key in keys:
        if not isinstance(value, dict):
            raise Broken(f"{key} cannot stand in what is no object")
        value = cast("dict[str, object]", value).get(key)
        if value is None:
            return None
    return value


def insert(text: str, keys: tuple[str, ...], value: object) -> Splice:
    """The splice that puts a value under the keys, as the first member there, in the file's own style."""
    style = _Style.of(text)
    at = _start(text)
    if not keys and at == len(text):
        return Splice(at, style.json(value, 0) + style.newline)
    for depth, key in enumerate(keys, 1):
        if text[at] != "{":
            raise Broken(f"{key} cannot stand in what is no object")
        members = _members(text, at)
        if key not in members:
            member = f"{json.dumps(key)}: {style.json(_nested(keys[depth:], value), depth)}"
            return _first(style, at, member, depth, alone=not members)
        at = members[key]
    raise Broken(f"{'.'.join(keys)} is there already")


def prepend(text: str, keys: tuple[str, ...], element: object) -> Splice:
    """The splice that puts an element first into the list that stands under the keys."""
    style = _Style.of(text)
    at = _start(text)
    for key in keys:
        at = _members(text, at)[key]
    if text[at] != "[":
        raise Broken(f"{'.'.join(keys)} is no list")
    depth = len(keys) + 1
    alone = text[_blank(text, at + 1)] == "]"
    return _first(style, at, style.json(element, depth), depth, alone=alone)


def _first(style: _Style, at: int, entry: str, depth: int, *, alone: bool) -> Splice:
    """The splice that puts an entry behind the bracket at ``at``."""
    end = style.newline + style.indent * (depth - 1) if alone else ","
    return Splice(at + 1, style.newline + style.indent * depth + entry + end)


@dataclass(frozen=True, slots=True)
class _Style:
    """How a file is written."""

    indent: str
    newline: str

    @classmethod
    def of(cls, text: str) -> Self:
        found = _INDENT.search(text)
        return cls(found[1] if found else "  ", "\r\n" if "\r\n" in text else "\n")

    def json(self, value: object, depth: int) -> str:
        lines = json.dumps(value, indent=self.indent, ensure_ascii=False)
        return lines.replace("\n", self.newline + self.indent * depth)


def _nested(keys: tuple[str, ...], value: object) -> object:
    for key in reversed(keys):
        value = {key: value}
    return value


def _start(text: str) -> int:
    return _blank(text, 1 if text.startswith("\ufeff") else 0)


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _members(text: str, at: int) -> dict[str, int]:
    """Where the value of each member of the object at ``at`` begins."""
    members: dict[str, int] = {}
    at = _blank(text, at + 1)
    while text[at : at + 1] != "}":
        name = _STRING.match(text, at)
        if name is None:
            raise Broken("a key is no text")
        at = _blank(text, name.end())
        if text[at : at + 1] != ":":
            raise Broken("a key has no value")
        at = _blank(text, at + 1)
        members[json.loads(name[0])] = at
        at = _blank(text, _end(text, at))
        if text[at : at + 1] == ",":
            at = _blank(text, at + 1)
    return members


def _end(text: str, at: int) -> int:
    """Where the value that begins at ``at`` ends."""
    depth = 0
    while at < len(text):
        if text[at] in "{[":
            depth += 1
            at += 1
        elif text[at] in "}]":
            depth -= 1
            at += 1
        elif text[at] in ",:":
            at += 1
        else:
            word = _STRING.match(text, at) or _WORD.match(text, at)
            if word is None:
                break
            at = word.end()
        if depth == 0:
            return at
        at = _blank(text, at)
    raise Broken("it ends too early")
