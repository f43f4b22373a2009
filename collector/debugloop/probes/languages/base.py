"""What a language file says, and the parts that all probes share.

A probe writes one line of JSON. Everything of it that is known when the probe is inserted (hypothesis, place, message)
is made JSON here, once: the program under test has only the values to add. ``body`` is the probe without its markers,
as lines without indentation, and holds these words between at signs:

    @probe@     the probe's id, as a literal
    @key@       the probe's id as a part of a name: letters, digits and underscores
    @file@      the file of its location, as a part of a name that no other file has
    @session@   the session's id, the same way
    @about@     the known members as one JSON object, as a literal
    @log@       the path of the log, as a literal
    @endpoint@  the collector's URL, as a literal
    @values@    the values to log, by ``value``, joined with ``between``
    @names@     their expressions, as literals, joined with commas
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from debugloop.errors import InvalidCapture, InvalidData

SHOWN: Final = 100
"""How many events a probe sends within one second; past that, only where the count is a power of two."""

_WORD = re.compile(r"@(\w+)@")
_NO_NAME = re.compile(r"\W")
_OPENING, _CLOSING, _QUOTES = "([{", ")]}", "'\"`"


@dataclass(frozen=True, slots=True)
class Event:
    """What one probe is to tell. ``data`` are expressions of its language, ``location`` is ``file:line``.

    With ``capture`` it is to tell what goes wrong anywhere in the program from then on.
    """

    probe: str
    location: str
    message: str
    hypothesis: str | None = None
    level: str | None = None
    data: tuple[str, ...] = ()
    capture: bool = False

    def about(self) -> str:
        """All that is known before the program runs, as ASCII JSON."""
        members = {"hypothesisId": self.hypothesis, "location": self.location, "message": self.message}
        members |= {"level": self.level, "probe": self.probe}
        return json.dumps({key: value for key, value in members.items() if value is not None})


@dataclass(frozen=True, slots=True)
class Target:
    """Where the events of a session go: the path of its log, and the URL of its collector."""

    log: str
    endpoint: str


@dataclass(frozen=True, slots=True)
class Language:
    """One language. ``suffixes`` and ``shebangs`` (names of interpreters) tell its files.

    ``quote`` makes a literal of any text, ``value`` an entry of the logged data of a literal and an expression.
    ``grammar`` is ``module:function`` of its tree-sitter package, or None where Python itself parses it. A statement
    may stand directly within a node of a type in ``blocks``, but not before one of a type in ``first``.
    Where the last statement of a block gives the block's value, none may stand last in a node of a type in ``valued``
    or directly within one, unless behind a statement that ends in ``discards``. A node of a type in ``beside`` stands beside another of its type only. Within ``barred``, pairs
    of a node's type and a word in its head ("" for any), code runs when it is compiled, or never. A value may hold no
    node of a type in ``around``: it acts on the function around it, or means it, and a probe may read values in one of
    their own.
    ``capture`` is another body, for what goes wrong anywhere. ``before`` are the lines of the region at the top of the file, which stands behind the last node of a type in
    ``heads``.
    """

    name: str
    names: tuple[str, ...]
    suffixes: tuple[str, ...]
    body: tuple[str, ...]
    quote: Callable[[str], str]
    value: Callable[[str, str], str]
    comment: str = "//"
    between: str = ", "
    shebangs: tuple[str, ...] = ()
    grammar: str | None = None
    blocks: frozenset[str] = frozenset()
    first: frozenset[str] = frozenset()
    capture: tuple[str, ...] = ()
    valued: frozenset[str] = frozenset()
    discards: str = ""
    beside: frozenset[str] = frozenset()
    barred: tuple[tuple[str, str], ...] = ()
    around: frozenset[str] = frozenset()
    before: tuple[str, ...] = ()
    heads: frozenset[str] = frozenset()

    def lines(self, event: Event, target: Target) -> list[str]:
        """The probe between its markers, without indentation. Raises InvalidCapture."""
        if event.capture and not self.capture:
            raise InvalidCapture(f"There is none for {self.name}; JavaScript and TypeScript have it.")
        words = {
            "probe": self.quote(event.probe),
            "key": name_of(event.probe),
            "file": file_key(event.location),
            "session": name_of(event.probe.partition("/")[0]),
            "about": self.quote(event.about()),
            "log": self.quote(target.log),
            "endpoint": self.quote(target.endpoint),
        }
        words["names"] = ", ".join(map(self.quote, event.data))
        words["values"] = _filled(self.between.join(self.value(self.quote(name), name) for name in event.data), words)
        return [_filled(line, words) for line in (self.capture if event.capture else self.body)]

    def imports(self, event: Event) -> list[str]:
        """The region at the top of the event's file between its markers, without indentation."""
        return [_filled(line, {"file": file_key(event.location)}) for line in self.before]


def name_of(probe: str) -> str:
    """A probe's id, or a session's, as a part of a name."""
    return _NO_NAME.sub("_", probe)


def file_key(location: str) -> str:
    """A part of a name for the file of a location."""
    return hashlib.sha256(location.rpartition(":")[0].encode("utf-8", "replace")).hexdigest()[:8]


def _filled(line: str, words: dict[str, str]) -> str:
    return _WORD.sub(lambda match: words.get(match[1], match[0]), line)


def double(text: str) -> str:
    """A literal in double quotes, for languages that read only backslashes in it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def single(text: str) -> str:
    """A literal in single quotes, for languages in which a backslash escapes itself and the quote."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def check_capture(message: str, data: str, level: str | None) -> None:
    """See that a probe that captures is asked for nothing that it finds by itself. Raises InvalidCapture."""
    if message or data or level:
        raise InvalidCapture("It takes no --message, --data or --level.")


def expressions(text: str) -> tuple[str, ...]:
    """``cart.total, user["a, b"]`` taken apart at commas outside of brackets and quotes. Raises InvalidData."""
    found: list[str] = []
    here, open_brackets, quote, escaped = "", "", "", False
    for character in text:
        if quote:
            quote = "" if character == quote and not escaped else quote
            escaped = character == "\\" and not escaped
        elif character in _QUOTES:
            quote = character
        elif character in _OPENING:
            open_brackets += character
        elif character in _CLOSING:
            if open_brackets[-1:] != _OPENING[_CLOSING.index(character)]:
                raise InvalidData(text)
            open_brackets = open_brackets[:-1]
        elif character == "," and not open_brackets:
            found.append(here)
            here = ""
            continue
        here += character
    if open_brackets or quote:
        raise InvalidData(text)
    return tuple(each.strip() for each in [*found, here] if each.strip())
