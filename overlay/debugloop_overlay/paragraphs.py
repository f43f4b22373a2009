"""Text as paragraphs with styled parts, wrapped to lines of cells. Pure: knows no widget and no file."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from rich.cells import cell_len, get_character_cell_size
from rich.segment import Segment
from textual.strip import Strip

from debugloop_overlay.palette import STYLES, Role

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.style import Style

_ESCAPES = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
_NARROWEST: Final = 8
"""Cells that a hanging line must have; with less, it hangs no longer."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One logical line: visible text with its roles. Lines after its first are indented by ``hang`` cells."""

    parts: tuple[tuple[str, Role], ...]
    hang: int = 0

    @classmethod
    def of(cls, *parts: tuple[str, Role], hang: int = 0) -> Self:
        return cls(tuple(part for part in parts if part[0]), hang)

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.parts)


class Wrapped:
    """A paragraph laid out for a width: where each of its lines starts, and the lines as strips on demand."""

    __slots__ = ("_end", "_paragraph", "_text", "hang", "starts", "width")

    def __init__(self, paragraph: Paragraph, width: int) -> None:
        self._paragraph = paragraph
        self._text = paragraph.text
        self.width = width
        self.hang = paragraph.hang if width - paragraph.hang >= _NARROWEST else 0
        self.starts = line_starts(self._text, width, self.hang)
        self._end = len(self._text)

    @classmethod
    def window(cls, paragraph: Paragraph, width: int, left: int) -> Self:
        """The paragraph on one line, of which ``width`` cells from ``left`` on are seen."""
        window = cls(Paragraph((), 0), width)
        window._paragraph, window._text = paragraph, paragraph.text
        measure = _ascii_end if window._text.isascii() else _cells_end
        start = measure(window._text, 0, len(window._text), left) if left else 0
        window.starts[0] = start
        window._end = measure(window._text, start, len(window._text), width)
        return window

    def __len__(self) -> int:
        return len(self.starts)

    def line_at(self, offset: int) -> int:
        """The line that holds the character at ``offset``."""
        line = len(self.starts) - 1
        while line > 0 and self.starts[line] > offset:
            line -= 1
        return line

    def strip(self, line: int) -> Strip:
        """One line, exactly ``width`` cells wide."""
        start = self.starts[line]
        end = self.starts[line + 1] if line + 1 < len(self.starts) else self._end
        segments = [Segment(" " * self.hang, STYLES["text"])] if line and self.hang else []
        position = 0
        for text, role in self._paragraph.parts:
            piece = text[max(start - position, 0) : max(end - position, 0)].rstrip("\n")
            if piece:
                segments += _with_escapes(piece, STYLES[role])
            position += len(text)
            if position >= end:
                break
        return Strip(segments).adjust_cell_length(self.width, STYLES["text"])


def _with_escapes(text: str, style: Style) -> list[Segment]:
    """Escapes that stand for what must not be shown are told apart by their style."""
    if "\\" not in text:
        return [Segment(text, style)]
    segments: list[Segment] = []
    position = 0
    for match in _ESCAPES.finditer(text):
        segments.append(Segment(text[position : match.start()], style))
        segments.append(Segment(match[0], style + STYLES["escape"]))
        position = match.end()
    segments.append(Segment(text[position:], style))
    return [segment for segment in segments if segment.text]


def line_starts(text: str, width: int, hang: int) -> array[int]:
    """The offset at which each line starts: the first has room for ``width`` cells, the others for ``hang`` fewer.

    Lines break at line feeds, else after a blank where one is near, else anywhere; no character is left out.
    """
    starts = array("L", [0])
    measure = _ascii_end if text.isascii() else _cells_end
    start = 0
    room = max(width, 1)
    while start < len(text):
        feed = text.find("\n", start)
        last = len(text) if feed < 0 else feed
        end = measure(text, start, last, room)
        if end < last:
            end = _word_end(text, start, end, room)
        if end == feed:
            end += 1
        if end < len(text):
            starts.append(end)
        start = end
        room = max(width - hang, 1)
    return starts


def _word_end(text: str, start: int, end: int, room: int) -> int:
    """A better place than ``end`` to break, if there is a blank not too far before it."""
    if text[end] == " ":
        return end + 1  # this blank falls off the edge
    blank = text.rfind(" ", start + 1, end)
    return blank + 1 if blank >= 0 and end - blank <= max(room // 3, 8) else end


def _ascii_end(_text: str, start: int, last: int, room: int) -> int:
    return min(start + room, last)


def _cells_end(text: str, start: int, last: int, room: int) -> int:
    """Where the characters from ``start`` on that fit into ``room`` cells end; at least one always does."""
    for offset in range(start, last):
        room -= get_character_cell_size(text[offset])
        if room < 0:
            return max(offset, start + 1)
    return last


def wrap(paragraphs: Iterable[Paragraph], width: int) -> list[tuple[Wrapped, int]]:
    """All lines of all paragraphs in order: each as its paragraph and the line's number there."""
    laid_out = [Wrapped(paragraph, width) for paragraph in paragraphs]
    return [(wrapped, line) for wrapped in laid_out for line in range(len(wrapped))]


def fits(parts: Iterable[str], room: int, gap: int) -> int:
    """How many of the parts, in order, stand side by side in ``room`` cells with ``gap`` cells between them."""
    fitting = used = 0
    for part in parts:
        used += cell_len(part) + (gap if fitting else 0)
        if used > room:
            break
        fitting += 1
    return fitting
