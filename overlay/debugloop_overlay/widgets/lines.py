"""Wrapped text in an area: header, steps, notices, help. Scrolls by lines where it is taller than its area."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from debugloop_overlay.palette import STYLES
from debugloop_overlay.paragraphs import Paragraph, Wrapped, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual import events

_WHEEL: Final = 3


class Lines(Widget):
    """Paragraphs by the line API: always complete, wrapped to the width, never cut off with an ellipsis."""

    DEFAULT_CSS = "Lines { display: none; width: 1fr; }"  # until it is given room

    class Moved(Message):
        """It was scrolled."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._paragraphs: tuple[Paragraph, ...] = ()
        self._lines: list[tuple[Wrapped, int]] = []
        self._laid_out_for = -1
        self._width = 0
        self._height = 0
        self._top = 0

    def show(self, paragraphs: Iterable[Paragraph]) -> bool:
        """Show these instead; whether anything changed."""
        new = tuple(paragraphs)
        if new == self._paragraphs:
            return False
        self._paragraphs = new
        self._laid_out_for = -1
        self.refresh()
        return True

    def lines_at(self, width: int) -> int:
        """How many lines the text takes at this width."""
        if width != self._laid_out_for:
            self._lines = wrap(self._paragraphs, width)
            self._laid_out_for = width
        return len(self._lines)

    def take_room(self, width: int, height: int) -> None:
        """Take this room; none hides it."""
        if (width, height) != (self._width, self._height):
            self._width, self._height = width, height
            self.display = height > 0
            self.styles.height = height
            self.refresh()

    @property
    def below(self) -> int:
        """Lines that stand below the area."""
        return max(self.lines_at(self._width) - self._height - self._first(), 0)

    def move(self, lines: int) -> None:
        """Scroll by lines, up where negative."""
        self._top = max(self._first() + lines, 0)
        self._top = self._first()
        self.refresh()
        self.post_message(self.Moved())

    def go_to_start(self) -> None:
        self.move(-len(self._lines))

    def go_to_end(self) -> None:
        self.move(self.lines_at(self._width))

    def turn(self, pages: float) -> None:
        """Scroll by pages, up where negative; one line of the old page stays in sight."""
        self.move(round(pages * max(self._height - 1, 1)))

    def _first(self) -> int:
        return max(min(self._top, self.lines_at(self._width) - self._height), 0)

    def render_line(self, y: int) -> Strip:
        """One line of the area."""
        line = self._first() + y
        if line < self.lines_at(self._width):
            wrapped, number = self._lines[line]
            return wrapped.strip(number)
        return Strip.blank(self._width, STYLES["text"])

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.move(-_WHEEL)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.move(_WHEEL)
