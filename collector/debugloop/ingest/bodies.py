"""A request's body made into records: pure, from bytes to bytes, whatever its content type says.

``sendBeacon`` sends JSON as text, curl sends it as a form, loggers send lines: the bytes decide. If the whole
body is a sequence of JSON values each is a record; if it looks like JSON and is not, it is refused with the
position; anything else is one text message.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import orjson

from debugloop.errors import InvalidSteps
from debugloop.ingest.flood import key_of
from debugloop.session import strict
from debugloop.session.records import STEPS_TYPE, Steps, steps_from

if TYPE_CHECKING:
    from debugloop.settings import Settings

_BOM: Final = b"\xef\xbb\xbf"
_LINE_BREAKS: Final = bytes.maketrans(b"\r\n", b"  ")
_CONTAINERS: Final = frozenset(b"{[")
_CLOSERS: Final = {ord("{"): b"}", ord("["): b"]"}
_JSON_TYPE: Final = re.compile(r"[^/;]+/(?:[^;]*\+)?(?:x-)?(?:json|ndjson|jsonl|jsonlines)\s*(?:;|$)", re.IGNORECASE)
_NEXT_LINE: Final = re.compile(rb"\n(?=[{\[])")
_BLANK: Final = b" \t\r\n"


class Event(NamedTuple):
    """A record as the journal takes it (a strict one-line JSON object without ``_``), and its key for flood control."""

    record: bytes
    key: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """A value of the body that is not stored: its index in the batch, and a sentence with the position."""

    index: int
    message: str


@dataclass(slots=True)
class Parsed:
    """What a body holds.

    ``indexes`` are the places of the events in the batch. ``steps`` is set, and ``events`` is empty, if the body
    opens a new run.
    """

    events: list[Event] = field(default_factory=list[Event])
    indexes: list[int] = field(default_factory=list[int])
    rejected: list[Rejected] = field(default_factory=list[Rejected])
    steps: Steps | None = None

    @property
    def batch(self) -> bool:
        """Whether the body holds more than one value."""
        return len(self.events) + len(self.rejected) > 1


def parse(body: bytes, content_type: str, settings: Settings, *, now_ms: int, from_page: bool = False) -> Parsed:
    """Judge a whole body, unpacked. ``from_page``: it came with an Origin, so it may not open a run."""
    plain = plain_event(body, settings.nesting, now_ms)
    if plain is not None:
        return Parsed([plain], [0])
    offset = len(_BOM) if body.startswith(_BOM) else 0
    text = body[offset:]
    if not text.strip(_BLANK):
        return _refused("The body is empty. Send one JSON object, or text.")
    reader = _Reader(text, settings.nesting, offset)
    reader.read()
    if reader.broken and not _is_json(text, content_type):
        # deeper than any limit, but JSON: then it is too deep, and no text
        lenient = _Reader(text, len(text), offset)
        if not reader.too_deep or not lenient.read():
            message = text.decode("utf-8", "replace")
            return Parsed([Event(orjson.dumps({"message": message, "timestamp": now_ms}), message)], [0])
    return _judged(reader, settings, now_ms, from_page=from_page)


@dataclass(frozen=True, slots=True)
class _Item:
    index: int
    text: bytes


class _Reader:
    """The values of a body, one after the other, and what is broken between them."""

    def __init__(self, text: bytes, nesting: int, offset: int) -> None:
        self.items: list[_Item] = []
        self.broken: list[Rejected] = []
        self.too_deep = False
        self._text = text
        self._nesting = nesting
        self._offset = offset
        self._index = 0

    def read(self) -> bool:
        """Read to the end; gives whether all of it is JSON."""
        text = self._text
        position = strict.skip_space(text, 0)
        ended = -1  # where the value before this one ended, if on this line
        while position < len(text):
            if ended >= 0 and b"\n" in text[ended:position]:
                ended = -1
            try:
                found, end = self._value(position, alone=ended < 0)
            except strict.Broken as broken:
                self.too_deep |= isinstance(broken, strict.TooDeep)
                following = self._after(position, broken)
                self._reject(broken, following, array=text[position] == ord("["))
                if following is None:
                    break
                position, ended = strict.skip_space(text, following), -1
                continue
            self.items += (_Item(self._index + number, value) for number, value in enumerate(found))
            self._index += len(found)
            position, ended = strict.skip_space(text, end), end
        return not self.broken

    def _value(self, start: int, *, alone: bool) -> tuple[list[bytes], int]:
        """The records that the value at ``start`` makes, and its end."""
        text = self._text
        first = text[start]
        if first == ord("["):
            return self._array(start)
        if not alone and first not in _CONTAINERS:
            raise strict.Broken(start, "expected a line break between two values")
        value = self._scan(start)
        if first not in _CONTAINERS:
            # "404 not found" is a message that begins with a number
            rest = strict.skip_space(text, value.end)
            if rest < len(text) and b"\n" not in text[value.end : rest]:
                raise strict.Broken(rest, "expected a line break between two values")
        return [_wrapped(value)], value.end

    def _array(self, start: int) -> tuple[list[bytes], int]:
        text = self._text
        found: list[bytes] = []
        position = strict.skip_space(text, start + 1)
        if text[position : position + 1] == b"]":
            return found, position + 1
        while True:
            try:
                value = self._scan(position)
                found.append(_wrapped(value))
                position = strict.skip_space(text, value.end)
                if text[position : position + 1] == b"]":
                    return found, position + 1
                if text[position : position + 1] != b",":
                    ends = ", but the text ends" if position >= len(text) else ""
                    raise strict.Broken(position, f"expected , or ]{ends}")
            except strict.Broken:
                self._index += len(found)  # the element that is broken is the one to name
                raise
            position = strict.skip_space(text, position + 1)

    def _scan(self, start: int) -> strict.Value:
        # an array becomes the value of an object, and so stands one deeper in the file
        nested_array = self._text[start : start + 1] == b"["
        value = strict.scan(self._text, start, nesting=self._nesting - nested_array)
        try:
            value.text.decode()
        except UnicodeDecodeError as error:
            raise strict.Broken(value.start + error.start, "invalid UTF-8") from error
        return value

    def _after(self, start: int, broken: strict.Broken) -> int | None:
        """Where to go on after the value at ``start`` broke, or None if nothing tells where it ends.

        A value that is closed on its own line is a line of its own, and the next one is none of its business. One
        that stays open may be cut off or may go on over lines: an array stores nothing, so it ends the reading; an
        object ends where the next object begins a line, which it never does inside an indented one.
        """
        text = self._text
        line_end = text.find(b"\n", start)
        if line_end < 0:
            return None
        closer = _CLOSERS.get(text[start])
        if closer is None or (broken.position <= line_end and text[start:line_end].rstrip(_BLANK).endswith(closer)):
            return line_end + 1
        following = _NEXT_LINE.search(text, line_end)
        return following.end() if following and closer == b"}" else None

    def _reject(self, broken: strict.Broken, following: int | None, *, array: bool) -> None:
        sentence = f"Record {self._index} is no JSON: {broken.reason} at byte {broken.position + self._offset}."
        if array:
            sentence += " Nothing of its array is stored."
        if following is None and self._text[broken.position :].strip(_BLANK):
            sentence += " Nothing after it was read."
        self.broken.append(Rejected(self._index, sentence))
        self._index += 1


def _judged(reader: _Reader, settings: Settings, now_ms: int, *, from_page: bool) -> Parsed:
    parsed = Parsed(rejected=reader.broken)
    for item in reader.items:
        value = _loads(item.text)
        if value.get("type") == STEPS_TYPE:
            alone = len(reader.items) == 1 and not reader.broken
            return _steps(value, settings, alone=alone, from_page=from_page)
        parsed.events.append(_finished(item.text, value, now_ms))
        parsed.indexes.append(item.index)
    if not reader.items and not reader.broken:
        return _refused("The array is empty. Send at least one record.")
    return parsed


def _steps(value: dict[str, Any], settings: Settings, *, alone: bool, from_page: bool) -> Parsed:
    if from_page:
        return _refused("A page may not publish reproduction steps. Use `debugloop steps`.")
    if not alone:
        return _refused("Reproduction steps open a new run, so they must be the only record. Nothing is stored.")
    try:
        return Parsed(steps=steps_from(value, settings, "http"))
    except InvalidSteps as error:
        return _refused(str(error))


def plain_event(body: bytes, nesting: int, now_ms: int) -> Event | None:
    """The event of a body that is one ordinary object, which nearly all are; None: look closer."""
    # looked at for each event of a hot loop: no casts and no calls that can be spared
    try:
        value: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    if value.__class__ is not dict or value.get("type") == STEPS_TYPE or strict.deeper_than(body, nesting):
        return None
    text = body.strip(_BLANK)
    if b"\n" in text or b"\r" in text:
        text = text.translate(_LINE_BREAKS)  # strings hold none, so these stand between tokens
    if "timestamp" in value and "_" not in value:
        return Event(text, key_of(value))
    return _finished(text, value, now_ms)


def _finished(text: bytes, value: dict[str, Any], now_ms: int) -> Event:
    """The record as stored: ``_`` is the server's, so the client's own is renamed; a missing time is set."""
    if "_" in value:
        pieces: list[bytes] = []
        copied = 0
        for member in strict.members(text):
            if member.key == "_":  # perhaps written as an escape, perhaps several times
                pieces += (text[copied : member.key_start], b'"_client"')
                copied = member.key_end
        text = b"".join((*pieces, text[copied:]))
    if "timestamp" not in value:
        text = b'%b%b"timestamp":%d}' % (text[:-1].rstrip(_BLANK), b"," if value else b"", now_ms)
    return Event(text, key_of(value))


def _wrapped(value: strict.Value) -> bytes:
    return value.text if value.kind == "object" else b'{"value":%b}' % value.text


def _loads(text: bytes) -> dict[str, Any]:
    try:
        return cast("dict[str, Any]", orjson.loads(text))
    except orjson.JSONDecodeError:  # a number past every float; no number matters here
        return cast("dict[str, Any]", json.loads(text, parse_int=len, parse_float=len))


def _is_json(text: bytes, content_type: str) -> bool:
    return text.lstrip(_BLANK).startswith((b'{"', b"[{")) or _JSON_TYPE.match(content_type.strip()) is not None


def _refused(message: str) -> Parsed:
    return Parsed(rejected=[Rejected(0, message)])
