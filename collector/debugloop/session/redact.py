"""Secrets taken out of records: ``[redacted:<kind> len=36 #a1b2]``, spliced in so that nothing else changes.

The four hex digits are a keyed hash of what was hidden: within a session equal secrets can still be seen to be
equal, and nothing can be looked up from them elsewhere.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

import orjson

from debugloop.session import collector_file, endpoint
from debugloop.session.redaction_rules import HARMLESS_AFTER, KEY_WORDS, SHAPES, SHORTEST, TRACE

if TYPE_CHECKING:
    from debugloop.session.session import Session

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TOKEN = re.compile(rb'("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[\[\]{}]')
_DONE = re.compile(r"\[redacted:[a-z-]+ len=\d+ #[0-9a-f]{4}\]")
_LONGEST_WORDS: Final = max(map(len, KEY_WORDS))


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
        self._token = token
        self._key = hashlib.blake2s(token.encode()).digest()
        self._trace = re.compile(TRACE + b"|" + re.escape(token.encode()))

    def line(self, record: bytes) -> tuple[bytes, int]:
        """A record (strict JSON on one line) without its secrets, and how many were hidden."""
        return self._walk(record) if self._trace.search(record.lower()) else (record, 0)

    def text(self, text: str) -> tuple[str, int]:
        """Any text without what looks like a credential, and how many were hidden."""
        hidden = 0
        if self._token in text:
            text, hidden = text.replace(self._token, self._mark("endpoint", self._token)), text.count(self._token)
        for kind, shape in SHAPES:
            text, count = shape.subn(partial(self._hidden, kind), text)
            hidden += count
        return text, hidden

    def _walk(self, record: bytes) -> tuple[bytes, int]:
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
            new, count = self._value(_decoded(string), key_kind)
            if count:
                pieces += (record[copied : match.start(1)], orjson.dumps(new))
                copied = match.end(1)
                hidden += count
        return (b"".join((*pieces, record[copied:])), hidden) if hidden else (record, 0)

    def _value(self, value: str, kind: str | None) -> tuple[str, int]:
        if kind and len(value) >= SHORTEST and not _DONE.fullmatch(value):
            return self._mark(kind, value), 1
        return self.text(value)

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
