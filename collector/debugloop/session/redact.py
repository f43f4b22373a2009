"""Secrets taken out of records: ``[redacted:<kind> len=36 #a1b2]``, spliced in so that nothing else changes.

The four hex digits are a keyed hash of what was hidden: within a session equal secrets can still be seen to be
equal, and nothing can be looked up from them elsewhere.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

import orjson
from ahocorasick_rs import BytesAhoCorasick, MatchKind

from debugloop.session import collector_file, endpoint
from debugloop.session.redaction_rules import HARMLESS_AFTER, KEY_WORDS, SHAPES, SHORTEST, Shape

if TYPE_CHECKING:
    from debugloop.session.session import Session

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TOKEN = re.compile(rb'("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[\[\]{}]')
_DONE = re.compile(r"\[redacted:[a-z-]+ len=\d+ #[0-9a-f]{4}\]")
_IN_ONE_GO: Final = 16_384
"""Bytes up to which one look at many records costs less than a look at each."""
_LONGEST_WORDS: Final = max(map(len, KEY_WORDS))
# an escape may hide any letter; it comes first, and so is the one that _wanted looks for
_KEY_TRACES: Final = (b"\\u00", *{max(reversed(words), key=len).encode() for words in KEY_WORDS})


@lru_cache(maxsize=4096)
def kind_of_key(key: str) -> str | None:
    """The kind of secret that a key names, or None: ``userToken`` does, ``tokenCount`` and ``tokenizer`` do not."""
    words = [word.lower() for word in _WORDS.findall(key)]
    for start in range(len(words)):
        for length in range(1, _LONGEST_WORDS + 1):
            kind = KEY_WORDS.get(tuple(words[start : start + length]))
            if kind and not HARMLESS_AFTER.intersection(words[start + length : start + length + 1]):
                return kind
    return None


class Redactor:
    """The rules with one session's key. ``token`` is the endpoint's: the key of the hash, and a secret itself."""

    def __init__(self, token: str) -> None:
        self._key = hashlib.blake2s(token.encode()).digest()
        own = Shape("endpoint", (token.encode(),), re.escape(token))
        self._shapes = (own, *SHAPES)
        traces = [(trace, shape) for shape in self._shapes for trace in shape.traces]
        patterns = [*(trace for trace, _ in traces), *_KEY_TRACES]
        # the first says in a tenth of the time whether there is any trace, which there seldom is; the second finds all
        self._any = BytesAhoCorasick(patterns, MatchKind.LeftmostFirst).find_matches_as_indexes
        self._all = BytesAhoCorasick(patterns).find_matches_as_indexes
        self._shape_of = [shape for _, shape in traces]

    def may_hold(self, data: bytes) -> bool:
        """Whether anything in these bytes looks as if a secret could be there."""
        return bool(self._any(data.lower()))

    def may_hold_any(self, records: Sequence[bytes]) -> bool:
        """Whether anything in any of these looks as if a secret could be there."""
        if sum(map(len, records)) <= _IN_ONE_GO:
            return self.may_hold(b"\n".join(records))
        return any(map(self.may_hold, records))

    def line(self, record: bytes) -> tuple[bytes, int]:
        """A record (strict JSON on one line) without its secrets, and how many were hidden."""
        lower = record.lower()
        if not self._any(lower):
            return record, 0
        return self._walk(record, self._wanted({index for index, _, _ in self._all(lower, overlapping=True)}))

    def text(self, text: str) -> tuple[str, int]:
        """Any text without what looks like a credential, and how many were hidden."""
        return self._hide(text, self._shapes)

    def _wanted(self, found: set[int]) -> tuple[Shape, ...]:
        """The shapes that may stand in a record with these traces: all, if it has letters written as escapes."""
        if len(self._shape_of) in found:
            return self._shapes
        wanted = {self._shape_of[index].kind for index in found if index < len(self._shape_of)}
        return tuple(shape for shape in self._shapes if shape.kind in wanted)

    def _hide(self, text: str, shapes: tuple[Shape, ...]) -> tuple[str, int]:
        hidden = 0
        for shape in shapes:
            text, count = shape.pattern.subn(partial(self._hidden, shape.kind), text)
            hidden += count
        return text, hidden

    def _walk(self, record: bytes, shapes: tuple[Shape, ...]) -> tuple[bytes, int]:
        pieces: list[bytes] = []
        copied = hidden = 0
        kinds: list[str | None] = []  # of the containers around; a secret's key speaks for all that is under it
        key_kind: str | None = None
        for match in _TOKEN.finditer(record):
            string = match[1]
            if string is None:
                if match[0] in b"{[":
                    kinds.append(key_kind)
                else:
                    kinds.pop()
                    key_kind = kinds[-1] if kinds else None
                continue
            if match[2] is not None:
                key_kind = kind_of_key(_decoded(string)) or (kinds[-1] if kinds else None)
                continue
            new, count = self._value(string, key_kind, shapes)
            if count:
                pieces += (record[copied : match.start(1)], orjson.dumps(new))
                copied = match.end(1)
                hidden += count
        return (b"".join((*pieces, record[copied:])), hidden) if hidden else (record, 0)

    def _value(self, string: bytes, kind: str | None, shapes: tuple[Shape, ...]) -> tuple[str, int]:
        if kind is None and not shapes:
            return "", 0
        value = _decoded(string)
        if kind and len(value) >= SHORTEST and not _DONE.fullmatch(value):
            return self._mark(kind, value), 1
        return self._hide(value, shapes)

    def _hidden(self, kind: str, match: re.Match[str]) -> str:
        return self._mark(kind, match[0])

    def _mark(self, kind: str, secret: str) -> str:
        digest = hashlib.blake2s(secret.encode("utf-8", "replace"), key=self._key, digest_size=2).hexdigest()
        return f"[redacted:{kind} len={len(secret)} #{digest}]"


def of_session(session: Session) -> Redactor | None:
    """The session's redactor, for those who read: programs append lines past the collector. None: switched off."""
    if not collector_file.load(session.layout).redact:
        return None
    known = endpoint.load(session.layout)
    return Redactor(known.token if known else hashlib.sha256(session.id.encode()).hexdigest())


def _decoded(string: bytes) -> str:
    return orjson.loads(string) if b"\\" in string else string[1:-1].decode("utf-8", "replace")
