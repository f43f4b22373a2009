"""The one kind of change that is made to a user's file: a piece of text goes in, and the same piece comes out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_ROOM: Final = re.compile(r"(?:\{\}|\[\])[\s,}\]]*\Z")
"""How a piece ends that holds nothing yet: an empty object or list, for others to go into."""


class Broken(ValueError):
    """A configuration file that cannot be read, or that has no room for the entry; the text says why."""


@dataclass(frozen=True, slots=True)
class Splice:
    """A piece that goes in at a character of the text."""

    at: int
    piece: str

    def into(self, text: str) -> str:
        """The text with the piece."""
        return text[: self.at] + self.piece + text[self.at :]


def taken_out(text: str, pieces: Sequence[str]) -> tuple[str, list[str]]:
    """The text without the pieces, the last one first, for it may stand in one before it; and those that are left.

    A piece is left where it is not there exactly once, for then its place is not known. One that only made room, and
    that the user put something of their own into, is theirs by now.
    """
    left: list[str] = []
    for piece in reversed(pieces):
        # blanks and commas around an entry are another's as soon as the user adds a neighbour
        found = next((each for each in (piece, piece.strip(" \t\r\n,")) if each and text.count(each) == 1), None)
        if found is not None:
            text = _joined(*text.split(found))
        elif not _ROOM.search(piece):
            left.append(piece)
    return text, left


def _joined(before: str, after: str) -> str:
    """What stood around an entry, without the comma that parted it from a neighbour that came after us."""
    left, right = before.rstrip(), after.lstrip()
    if right.startswith(",") and left.endswith(("{", "[", ",")):
        return before + right[1:]
    if left.endswith(",") and right.startswith(("}", "]")):
        return left[:-1] + after
    return before + after
