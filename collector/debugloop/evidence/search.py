"""Looking for text in rows: what `/` and `&` of the panel and ``logs --filter`` mean.

A pattern meets what a row shows after its time and level. Making that text costs a hundred times what a look at the
line's bytes does; so a row whose bytes lack a word that every match holds is passed over by its bytes alone.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from debugloop.errors import InvalidPattern
from debugloop.evidence.rows import body, parts

if TYPE_CHECKING:
    from debugloop.session.records import Row

LONGEST: Final = 2_000
"""Characters of a pattern."""

_WORD: Final = re.compile(r"[A-Za-z0-9_]+")
_LETTERS: Final = re.compile(r"[A-Za-z_]{2,}")
_TOKEN: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|[*+?]|[()]|.", re.DOTALL)
_UNCERTAIN: Final = re.compile(r"\||\(\?|\\[xuUN0-9]")
"""Alternatives, flags and characters by number: what such a pattern needs is not told by its letters."""
_BY_PLACE: Final = re.compile(r"\^|\$|\\[bBAZ]|\(\?")
"""What looks beyond its own match: found in a part of the text, it may still not be found in the whole."""
_QUANTIFIERS: Final = "*+?{"


class Pattern:
    """A text or a regular expression. Ignores the case of letters unless it holds a capital one.

    ``error``: where the regular expression is none, InvalidPattern is raised.
    """

    def __init__(self, text: str, *, regex: bool) -> None:
        self.text = text
        self.regex = regex
        ignores_case = not _has_capital(text, regex=regex)
        self._compiled = _compile(text, ignores_case=ignores_case, regex=regex)
        words = certain_words(text) if regex else _WORD.findall(text)
        self._folds = ignores_case
        self._words = [(word.lower() if ignores_case else word).encode() for word in sorted(words, key=len)[-2:]]
        self._anywhere = not (regex and _BY_PLACE.search(text))
        self._is_word = not regex and _LETTERS.fullmatch(text) is not None

    def matches(self, row: Row) -> bool:
        """Whether what the row shows holds it."""
        raw = row.raw
        # only such a line shows its bytes as they are
        if raw.isascii() and not (b"\\" in raw or b"\x7f" in raw or row.malformed or row.steps):
            folded = raw.lower() if self._folds else raw
            for word in self._words:
                if word not in folded:
                    return False
            if self._anywhere and self._in_a_part(row.record()):
                return True
        return self._compiled.search(body(parts(row, line_break="\n"))) is not None

    def _in_a_part(self, record: dict[str, Any]) -> bool:
        """Whether a part that is shown as it stands in the record holds it; if none does, it may still be shown."""
        for part in ("message", "location", "hypothesisId"):
            text: object = record.get(part)
            if isinstance(text, str) and self._compiled.search(text):
                return True
        # data is shown in another form, which holds the same words; of numbers it shows digits as they were written
        data: object = record.get("data") if self._is_word else None
        return data is not None and self._compiled.search(orjson.dumps(data).decode()) is not None

    def spans(self, text: str, start: int = 0) -> list[tuple[int, int]]:
        """Where it is found in ``text`` from ``start`` on; matches of nothing are left out."""
        return [found.span() for found in self._compiled.finditer(text, start) if found.end() > found.start()]


@dataclass(frozen=True, slots=True)
class Filter:
    """A pattern that rows must meet, or must not."""

    pattern: Pattern
    excludes: bool = False

    @classmethod
    def of(cls, text: str) -> Filter:
        """A filter as people write it: a text, ``/regex/``, or either after a ``-`` that excludes.

        Raises InvalidPattern.
        """
        excludes = text.startswith("-") and len(text) > 1
        wanted = text[1:] if excludes else text
        regex = len(wanted) > 2 and wanted[0] == wanted[-1] == "/"  # noqa: PLR2004 -- both slashes and something between
        return cls(Pattern(wanted[1:-1] if regex else wanted, regex=regex), excludes)

    @property
    def text(self) -> str:
        """The filter as people write it."""
        return f"{'-' if self.excludes else ''}{f'/{self.pattern.text}/' if self.pattern.regex else self.pattern.text}"

    def matches(self, row: Row) -> bool:
        """Whether the row is to be shown."""
        return self.pattern.matches(row) is not self.excludes


def certain_words(regex: str) -> list[str]:
    """Words (ASCII letters, digits and ``_``) that every match of a regular expression holds, as far as is plain."""
    if _UNCERTAIN.search(regex):
        return []
    words: list[str] = []
    word = ""
    depth = 0
    for piece in _TOKEN.findall(regex):
        depth += (piece == "(") - (piece == ")")
        if not depth and _WORD.fullmatch(piece):
            word += piece
            continue
        if piece[0] in _QUANTIFIERS:
            word = word[:-1]  # the last letter may occur not at all
        words.append(word)
        word = ""
    return [each for each in (*words, word) if each]


def _has_capital(text: str, *, regex: bool) -> bool:
    letters = re.sub(r"\\.", "", text, flags=re.DOTALL) if regex else text
    return any(letter.isupper() for letter in letters)


def _compile(text: str, *, ignores_case: bool, regex: bool) -> re.Pattern[str]:
    if len(text) > LONGEST:
        raise InvalidPattern(text[:20] + "…", f"it is longer than {LONGEST} characters")
    flags = re.IGNORECASE if ignores_case else re.NOFLAG
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what a later Python may read in another way
            return re.compile(text if regex else re.escape(text), flags)
    except re.error as error:
        raise InvalidPattern(text, str(error)) from error
    except (OverflowError, RecursionError) as error:
        raise InvalidPattern(text, "it asks for too much") from error
