"""A scanner for JSON in bytes that says where each value stands and gives it back as strict JSON on one line.

orjson decides first wherever it can; this scanner is for what orjson cannot do: several values in one
text, positions of members, numbers of any length, and the three things that programs write although
RFC 8259 forbids them (NaN, Infinity, half a surrogate pair). It never recurses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NoReturn, TypeAlias, cast

import orjson

Kind: TypeAlias = Literal["object", "array", "string", "number", "literal"]

_SPACE = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(rb"true|false|null|NaN|-?Infinity")
_NOT_JSON = frozenset({b"NaN", b"Infinity", b"-Infinity"})
_WORD_GOES_ON = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-$")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?|.)")
_HIGH = range(0xD800, 0xDC00)
_LOW = range(0xDC00, 0xE000)
_HOPS_PAY = 1_024
"""Bytes from which on looking for each bracket is faster than counting: long texts are mostly text."""
_BREAKS = bytes.maketrans(b"\r\n", b"  ")


class Broken(Exception):
    """The text is no JSON value from some byte on. ``position`` counts bytes from 0."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"{reason} at byte {position}")
        self.position = position
        self.reason = reason


class TooDeep(Broken):
    """Arrays and objects stand in each other deeper than allowed."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value: the bytes ``[start, end)`` it came from, and those bytes as strict JSON on one line."""

    start: int
    end: int
    kind: Kind
    text: bytes


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object: its decoded key, and where key and value stand."""

    key: str
    key_start: int
    key_end: int
    value_start: int
    value_end: int


def skip_space(data: bytes, position: int) -> int:
    """The position of the first byte that is no JSON white space, from ``position`` on."""
    return _SPACE.match(data, position).end()  # type: ignore[union-attr] # pyright: ignore[reportOptionalMemberAccess] -- matches the empty string too


def scan(data: bytes, start: int = 0, *, nesting: int = 128) -> Value:  # noqa: C901 -- one state machine, read in one piece
    """The value that begins at ``start`` or after white space from there.

    Line breaks between tokens become blanks, ``NaN`` and ``Infinity`` strings, half a surrogate pair U+FFFD; every
    other byte stays, so numbers keep their digits and objects their order and their duplicates.
    Raises Broken, or TooDeep past ``nesting``. The caller has checked that the bytes are UTF-8.
    """
    first = position = skip_space(data, start)
    open_ends: list[bytes] = []
    changes: list[tuple[int, int, bytes]] = []
    expected = "value"
    while True:
        position = skip_space(data, position)
        byte = data[position : position + 1]
        if expected == "more":
            if byte == b",":
                position += 1
                expected = "key" if open_ends[-1] == b"}" else "value"
                continue
            if byte != open_ends[-1]:
                _fail(data, position, f"expected , or {open_ends[-1].decode()}")
            expected = "end"
        if expected in {"key", "key or }"} and byte == b'"':
            position = skip_space(data, _string(data, position, changes))
            if data[position : position + 1] != b":":
                _fail(data, position, "expected :")
            position += 1
            expected = "value"
            continue
        if (
            expected == "end"
            or (expected == "key or }" and byte == b"}")
            or (expected == "value or ]" and byte == b"]")
        ):
            position += 1
            open_ends.pop()
        elif expected in {"key", "key or }"}:
            _fail(data, position, "expected a key in double quotes")
        elif byte in {b"{", b"["}:
            open_ends.append(b"}" if byte == b"{" else b"]")
            if len(open_ends) > nesting:
                raise TooDeep(position, f"nested deeper than {nesting}")
            position += 1
            expected = "key or }" if byte == b"{" else "value or ]"
            continue
        else:
            position = _scalar(data, position, byte, changes)
        if not open_ends:
            return Value(first, position, _kind(data[first : first + 1]), _rewritten(data, first, position, changes))
        expected = "more"


def members(data: bytes) -> list[Member]:
    """The members of the object that ``data`` is, in order, duplicates too. ``data`` is a text of `scan`."""
    found: list[Member] = []
    position = skip_space(data, 0) + 1
    while data[(position := skip_space(data, position)) : position + 1] != b"}":
        key_end = _string(data, position, [])
        value_start = skip_space(data, skip_space(data, key_end) + 1)
        value = scan(data, value_start, nesting=len(data))
        key = cast("str", orjson.loads(data[position:key_end]))
        found.append(Member(key, position, key_end, value_start, value.end))
        position = skip_space(data, value.end)
        if data[position : position + 1] == b",":
            position += 1
    return found


def deeper_than(data: bytes, nesting: int) -> bool:
    """Whether valid JSON is nested deeper than ``nesting``; nearly always answered by counting brackets."""
    if len(data) < _HOPS_PAY:
        few = data.count(b"{") + data.count(b"[") <= nesting
    else:
        few = _fewer_than(data, b"{", nesting // 2) and _fewer_than(data, b"[", nesting // 2)
    if few:
        return False
    try:
        scan(data, nesting=nesting)
    except TooDeep:
        return True
    return False


def _fewer_than(data: bytes, byte: bytes, limit: int) -> bool:
    position = -1
    for _ in range(limit):
        position = data.find(byte, position + 1)
        if position < 0:
            return True
    return False


def _string(data: bytes, position: int, changes: list[tuple[int, int, bytes]]) -> int:
    match = _STRING.match(data, position)
    if match is None:
        end = data.find(b'"', position + 1)
        raise Broken(len(data) if end < 0 else position, "a string that does not end or holds what it must not")
    if _SURROGATE.search(match[0]):
        whole = _ESCAPE.sub(_mend_surrogates, match[0])
        if whole != match[0]:
            changes.append((position, match.end(), whole))
    return match.end()


def _mend_surrogates(match: re.Match[bytes]) -> bytes:
    first, second = match[1], match[2]
    if first is None:
        return match[0]
    code = int(first, 16)
    if code in _HIGH and second:
        return match[0]
    head = b"\\ufffd" if code in _HIGH or code in _LOW else b"\\u" + first
    return head + (b"\\ufffd" if second else b"")


def _scalar(data: bytes, position: int, byte: bytes, changes: list[tuple[int, int, bytes]]) -> int:
    if byte == b'"':
        return _string(data, position, changes)
    match = _WORD.match(data, position) or _NUMBER.match(data, position)
    if match is None:
        _fail(data, position, "expected a JSON value")
    if match.end() < len(data) and data[match.end()] in _WORD_GOES_ON:
        raise Broken(match.end(), "expected the end of a value")
    if match[0] in _NOT_JSON:
        changes.append((position, match.end(), b'"' + match[0] + b'"'))
    return match.end()


def _fail(data: bytes, position: int, reason: str) -> NoReturn:
    raise Broken(position, reason + (", but the text ends" if position >= len(data) else ""))


def _kind(byte: bytes) -> Kind:
    kinds: dict[bytes, Kind] = {
        b"{": "object",
        b"[": "array",
        b'"': "string",
        b"t": "literal",
        b"f": "literal",
        b"n": "literal",
    }
    return kinds.get(byte, "number")


def _rewritten(data: bytes, start: int, end: int, changes: list[tuple[int, int, bytes]]) -> bytes:
    if changes:
        pieces: list[bytes] = []
        copied = start
        for at, until, text in changes:
            pieces += (data[copied:at], text)
            copied = until
        text = b"".join((*pieces, data[copied:end]))
    else:
        text = data[start:end]
    # strings hold no raw control characters, so these stand between tokens
    return text.translate(_BREAKS)
