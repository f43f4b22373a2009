"""The one kind of change that is made to a user's file: a piece of text goes in, and the same piece comes out."""

from __future__ import annotations

from dataclasses import dataclass


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


def taken_out(text: str, piece: str) -> str | None:
    """The text without the piece; None where it is not there exactly once, for then its place is not known."""
    if not piece or text.count(piece) != 1:
        return None
    return text.replace(piece, "")
