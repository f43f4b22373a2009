"""What a line of ``debug.jsonl`` may be: a record, the reproduction steps, or a row that says why it is neither."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, cast

import orjson

from debugloop.errors import InvalidSteps
from debugloop.session import strict

if TYPE_CHECKING:
    from debugloop.settings import Settings

Malformed: TypeAlias = Literal[
    "torn", "not_json", "not_an_object", "bom", "nul", "invalid_utf8", "too_long", "too_deep", "over_cap"
]
Source: TypeAlias = Literal["cli", "mcp", "http"]

STEPS_TYPE: Final = "reproduction_steps"
KEPT_OF_MALFORMED: Final = 400
"""Bytes of a malformed line that its row keeps."""

_BOM = b"\xef\xbb\xbf"


class Number(str):
    """A JSON number by its own digits: ``1.10``, ``1e999`` and 30-digit integers stay what was written."""

    __slots__ = ()


_EXACT: Final = json.JSONDecoder(parse_int=Number, parse_float=Number)


class Row(NamedTuple):
    """One line of a run. A tuple, because a full log is tens of thousands of them.

    ``raw`` is strict JSON on one line for a record, else the first bytes of the malformed line as they are.
    ``line`` counts from 1 within the run's file; a row is cited as ``run:line``.
    """

    line: int
    raw: bytes
    malformed: Malformed | None = None
    steps: bool = False

    def record(self) -> dict[str, Any]:
        """The record's members; integers past 64 bits are floats here. Empty for a malformed row."""
        if self.malformed:
            return {}
        try:
            value: dict[str, Any] = orjson.loads(self.raw)
            return value
        except orjson.JSONDecodeError:  # a number past every float, such as 1e999
            return self.exact()

    def exact(self) -> dict[str, Any]:
        """The record's members with every number as a Number, for showing. Empty for a malformed row."""
        if self.malformed:
            return {}
        return cast("dict[str, Any]", _EXACT.decode(self.raw.decode()))

    @property
    def text(self) -> str:
        """The line as text, what is no UTF-8 replaced. It is hostile: show it through evidence.visible only."""
        return self.raw.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Steps:
    """The reproduction steps of a run, and by which door they came."""

    title: str | None
    steps: tuple[str, ...]
    source: Source = "cli"

    def to_json(self) -> dict[str, Any]:
        return {"title": self.title, "steps": list(self.steps), "source": self.source}


def parse_line(line: int, raw: bytes, *, nesting: int, steps_line: bool = False) -> Row:
    """Judge one whole line without its LF. ``steps_line``: steps may stand here, on line 1 of a run that has some."""
    try:
        value: object = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _repaired(line, raw, nesting)
    if not isinstance(value, dict):
        return _malformed(line, raw, "not_an_object")
    # each level opens and closes, so a shorter line cannot be nested as deep
    if len(raw) > 2 * nesting and strict.deeper_than(raw, nesting):
        return _malformed(line, raw, "too_deep")
    if not steps_line and b"\r" not in raw:
        return Row(line, raw)
    record = cast("dict[str, Any]", value)
    # a CR can only stand between tokens here
    text = raw.replace(b"\r", b" ").strip() if b"\r" in raw else raw
    return Row(line, text, steps=steps_line and record.get("type") == STEPS_TYPE and "_" in record)


def _repaired(line: int, raw: bytes, nesting: int) -> Row:
    if raw.startswith(_BOM):
        return _malformed(line, raw, "bom")
    if b"\0" in raw:
        return _malformed(line, raw, "nul")
    try:
        raw.decode()
    except UnicodeDecodeError:
        return _malformed(line, raw, "invalid_utf8")
    try:
        value = strict.scan(raw, nesting=nesting)
    except strict.TooDeep:
        return _malformed(line, raw, "too_deep")
    except strict.Broken as broken:
        torn = broken.position >= len(raw.rstrip()) and raw.lstrip()[:1] in {b"{", b"["}
        return _malformed(line, raw, "torn" if torn else "not_json")
    if strict.skip_space(raw, value.end) < len(raw):
        return _malformed(line, raw, "not_json")
    if value.kind != "object":
        return _malformed(line, raw, "not_an_object")
    return Row(line, value.text)


def _malformed(line: int, raw: bytes, reason: Malformed) -> Row:
    return Row(line, raw[:KEPT_OF_MALFORMED], reason)


def steps_from(value: dict[str, Any], settings: Settings, source: Source) -> Steps:
    """Judge ``{"title"?, "steps": […]}`` from outside. Raises InvalidSteps."""
    title: object = value.get("title")
    listed: object = value.get("steps")
    if title is not None and not isinstance(title, str):
        raise InvalidSteps("the title must be text")
    if not isinstance(listed, list | tuple):
        raise InvalidSteps("steps must be a list of texts")
    steps = cast("list[object]", listed)
    if not 1 <= len(steps) <= settings.steps:
        raise InvalidSteps(f"there must be 1 to {settings.steps} steps, and there are {len(steps)}")
    for number, step in enumerate(steps, 1):
        if not isinstance(step, str) or not step.strip():
            raise InvalidSteps(f"step {number} is empty or no text")
    texts = tuple(cast("str", step).strip().encode("utf-8", "replace").decode() for step in steps)
    title = title.strip().encode("utf-8", "replace").decode() if title and title.strip() else None
    for name, text in (("the title", title or ""), *((f"step {n}", step) for n, step in enumerate(texts, 1))):
        if len(text) > settings.step_chars:
            raise InvalidSteps(f"{name} has {len(text)} characters, and {settings.step_chars} are the limit")
    size = sum(len(text.encode()) for text in (title or "", *texts))
    if size > settings.steps_bytes:
        raise InvalidSteps(f"together they are {size} bytes, and {settings.steps_bytes} are the limit")
    return Steps(title, texts, source)
