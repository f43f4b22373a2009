"""The one function between text from outside and a terminal.

Logs, steps, notes and paths are hostile: an escape sequence can write the clipboard, a bidi control can
turn a line around, a zero-width character can hide, and a joined emoji is two cells wide in one terminal and
six in the next. `visible` makes text of which every character shows itself and takes the room it is counted for.
"""

from __future__ import annotations

import unicodedata
from typing import Final

MARKS_ON_ONE_CHARACTER: Final = 3
"""Combining marks that may stand on one character; living scripts need no more, and a pile hides its neighbours."""

_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_UNSHOWN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})
_MARK_CATEGORIES = frozenset({"Mn", "Me"})
# Unicode calls these letters, marks or symbols; yet they have no shape of their own (Default_Ignorable_Code_Point)
# or change the character before them (variation selectors, skin tones)
_UNSHOWN = frozenset(
    chr(code)
    for first, last in (
        (0x034F, 0x034F),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFFA0, 0xFFA0),
        (0x1F3FB, 0x1F3FF),
        (0xE0100, 0xE01EF),
    )
    for code in range(first, last + 1)
)
_REMEMBERED = 8_192


def visible(text: str) -> str:
    r"""``text`` on one line, with what a terminal obeys, reorders, hides or joins written as an escape.

    Control characters become ``\n``, ``\x1b`` and so on; bidi controls, zero-width characters, separators of lines,
    lone surrogates and unassigned characters ``\u202e`` or ``\U000e0041``. All else, any script, stays as it is.
    The answer is never interpreted again: brackets and backslashes are not doubled.
    """
    if text.isascii():
        return text if text.isprintable() else text.translate(_ASCII)
    pieces: list[str] = []
    marks = MARKS_ON_ONE_CHARACTER  # a mark at the start would stand on what is written before this text
    for character in text:
        form = _forms[character]
        if form == "":
            marks += 1
            form = character if marks <= MARKS_ON_ONE_CHARACTER else _escape(character)
        else:
            marks = 0 if form == character else MARKS_ON_ONE_CHARACTER
        pieces.append(form)
    return "".join(pieces)


class _Forms(dict[str, str]):
    """How each character is written: as itself, as an escape, or (empty) as a mark, which depends on its place."""

    def __missing__(self, character: str) -> str:
        category = unicodedata.category(character)
        form = character
        if category in _UNSHOWN_CATEGORIES or character in _UNSHOWN:
            form = _escape(character)
        elif category in _MARK_CATEGORIES:
            form = ""
        if len(self) < _REMEMBERED:
            self[character] = form
        return form


def _escape(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    if code <= 0xFF:  # noqa: PLR2004 -- as Python and C write them
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004


_ASCII = {code: _escape(chr(code)) for code in (*range(0x20), 0x7F)}
_forms = _Forms()
