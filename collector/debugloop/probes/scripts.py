"""Where code stands in a file: all of it, or the script elements of a page or component.

Only tags, quoted attribute values, comments and elements of raw text are told apart; what else stands in HTML, Vue or
Svelte is skipped. An element that ends by a tag of its own (``<script src>`` apart, which runs nothing of the file) is
JavaScript, or what its ``lang`` says. Source: HTML Standard, 13.2.5 (tokenization), in its raw text states.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from debugloop.probes.languages import Language, by_name, of_file

_SUFFIXES: Final = frozenset({".html", ".htm", ".xhtml", ".vue", ".svelte"})
_ATTRIBUTES: Final = rb"""(?:[^>"']|"[^"]*"|'[^']*')*"""
_TAG = re.compile(rb"<!--.*?(?:-->|\Z)|<([A-Za-z][\w:.-]*)(?=[\s/>])(" + _ATTRIBUTES + rb")>", re.DOTALL)
_ATTRIBUTE = re.compile(rb"""([^\s=/>"']+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_RAW: Final = frozenset({b"script", b"style", b"textarea", b"title"})
_KINDS: Final = {
    b"": "javascript",
    b"module": "javascript",
    b"text/javascript": "javascript",
    b"application/javascript": "javascript",
    b"text/babel": "javascript",
    b"js": "javascript",
    b"jsx": "javascript",
    b"ts": "typescript",
    b"typescript": "typescript",
    b"text/typescript": "typescript",
    b"tsx": "tsx",
}


@dataclass(frozen=True, slots=True)
class Code:
    """Code of one language in a file: the bytes from ``start`` up to ``end``."""

    language: Language
    start: int
    end: int


def code_of(file: str, data: bytes, language: str | None = None) -> list[Code]:
    """The pieces of code in a file, in their order; ``language`` overrules its name. Raises UnknownLanguage."""
    if PurePath(file).suffix.lower() not in _SUFFIXES:
        return [Code(by_name(language) if language else of_file(file, data[:256]), 0, len(data))]
    return list(_scripts(data, language))


def _scripts(data: bytes, language: str | None) -> Iterator[Code]:
    here = 0
    while match := _TAG.search(data, here):
        here = match.end()
        name = (match[1] or b"").lower()
        if name not in _RAW or match[2].endswith(b"/"):
            continue
        closing = re.compile(rb"</" + name + rb"(?=[\s/>])", re.IGNORECASE).search(data, here)
        if closing is None:
            return
        start, here = here, closing.start()
        if name != b"script":
            continue
        said = {each[1].lower(): each[2] or each[3] or each[4] or b"" for each in _ATTRIBUTE.finditer(match[2])}
        kind = _KINDS.get(said.get(b"lang", said.get(b"type", b"")).strip().lower())
        if kind is not None and b"src" not in said:
            yield Code(by_name(language or kind), start, closing.start())
