"""The log: any number of rows, of which only those on the screen are ever laid out.

The place is kept as a row and a character in it, not as a line number: whatever arrives, is wrapped anew or is
dropped, what the person reads stays where it is, and every operation costs what the screen holds.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from debugloop_overlay.languages.words import Words, count
from debugloop_overlay.log_row import row_paragraph
from debugloop_overlay.palette import STYLES
from debugloop_overlay.paragraphs import Paragraph, Wrapped, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.geometry import Size

    from debugloop.session.records import Row

KEPT: Final = 150_000
"""Rows that are kept; a full log of ordinary events has a third of it. Older ones stay in the file."""
_LAID_OUT: Final = 256
_WHEEL: Final = 3


class LogView(Widget):
    """Shows rows by the line API. Follows the end until the person scrolls up."""

    DEFAULT_CSS = "LogView { height: 1fr; width: 1fr; }"

    class Moved(Message):
        """Whether it follows, or how much is new below, may have changed."""

    def __init__(self, words: Words, *, kept: int = KEPT, id: str | None = None) -> None:
        super().__init__(id=id)
        self.words = words
        self.following = True
        self._placeholder: Sequence[Paragraph] = ()
        self._kept = kept
        self._rows: list[Row] = []
        self._dropped = 0
        self._seen = 0
        self._top = (0, 0)  # row (counted from the first ever) and character in it
        self._laid_out: OrderedDict[int, Wrapped] = OrderedDict()
        self._page: list[tuple[int, int]] = []
        self._page_for: Size | None = None

    # -- content -----------------------------------------------------------------------------------

    @property
    def total(self) -> int:
        """Rows since the last reset, those no longer kept included."""
        return self._dropped + len(self._rows)

    @property
    def new(self) -> int:
        """Rows below the lowest one that was ever on the screen."""
        if self.following or not self._rows:
            return 0
        self._shown()
        return self.total - self._seen

    @property
    def dropped(self) -> int:
        """Rows that are no longer kept here."""
        return self._dropped

    def extend(self, rows: Sequence[Row]) -> None:
        """Append rows. What is on the screen moves only while following."""
        self._rows += rows
        if len(self._rows) > self._kept * 1.1:
            surplus = len(self._rows) - self._kept
            del self._rows[:surplus]
            self._dropped += surplus
            self._top = max(self._top, (self._dropped, 0))
        self._changed()

    def reset(self) -> None:
        """Forget all rows and follow again."""
        self._rows.clear()
        self._dropped = self._seen = 0
        self._top = (0, 0)
        self._laid_out.clear()
        self.following = True
        self._changed()

    def say_when_empty(self, paragraphs: Sequence[Paragraph]) -> None:
        """What to show instead of rows while there are none."""
        if paragraphs != self._placeholder:
            self._placeholder = paragraphs
            if not self._rows:
                self.refresh()

    def retell(self, words: Words) -> None:
        """Show everything in another language."""
        self.words = words
        self._laid_out.clear()
        self._changed()

    # -- moving ------------------------------------------------------------------------------------

    @property
    def page_lines(self) -> int:
        """Lines by which a page moves: one of the old page stays in sight."""
        return max(self.size.height - 1, 1)

    def move(self, lines: int) -> None:
        """Scroll by lines, up where negative. Reaching the end follows it again."""
        if not self._rows:
            return
        row, line = self._shown()[0]
        if lines < 0:
            above = self._up(row, line, -lines)
            if above != (row, line):
                self._stay(*above)
        elif not self.following:
            self._stay(*self._down(row, line, lines))
            self.following = self._at_end()
        self._changed()

    def go_to_start(self) -> None:
        """Scroll to the first row that is kept."""
        if self._rows and self._shown()[0] != (self._dropped, 0):
            self._stay(self._dropped, 0)
            self._changed()

    def go_to_end(self) -> None:
        """Scroll to the last row and follow."""
        self.following = True
        self._changed()

    def toggle_following(self) -> None:
        """Stay where the screen is, or follow the end."""
        if self.following and self._rows:
            self._stay(*self._shown()[0])
        else:
            self.following = True
        self._changed()

    def _stay(self, row: int, line: int) -> None:
        self.following = False
        self._top = (row, self._wrapped(row).starts[line])

    def _up(self, row: int, line: int, lines: int) -> tuple[int, int]:
        while lines > line and row > self._dropped:
            lines -= line + 1
            row -= 1
            line = len(self._wrapped(row)) - 1
        return row, max(line - lines, 0)

    def _down(self, row: int, line: int, lines: int) -> tuple[int, int]:
        while line + lines >= len(self._wrapped(row)) and row + 1 < self.total:
            lines -= len(self._wrapped(row)) - line
            row, line = row + 1, 0
        return row, min(line + lines, len(self._wrapped(row)) - 1)

    def _at_end(self) -> bool:
        self._page_for = None
        row, line = self._shown()[-1]
        return row == self.total - 1 and line == len(self._wrapped(row)) - 1

    # -- showing -----------------------------------------------------------------------------------

    def _changed(self) -> None:
        self._page_for = None
        self.refresh()
        self.post_message(self.Moved())

    def _wrapped(self, row: int) -> Wrapped:
        found = self._laid_out.get(row)
        width = self.size.width
        if found is None or found.width != width:
            paragraph = row_paragraph(self._rows[row - self._dropped], self.words, width)
            found = self._laid_out[row] = Wrapped(paragraph, width)
            if len(self._laid_out) > _LAID_OUT:
                self._laid_out.popitem(last=False)
        self._laid_out.move_to_end(row)
        return found

    @property
    def _height(self) -> int:
        """Lines of a page: one at least, also where the terminal has no room for any."""
        return max(self.size.height, 1)

    def _shown(self) -> list[tuple[int, int]]:
        """The rows and lines on the screen, top down; there is at least one row."""
        if self._page_for != self.size:
            row, offset = self._top
            page = [] if self.following else self._page_from(row, self._wrapped(row).line_at(offset))
            if len(page) < self._height:
                page = self._page_to_end()
                self._top = (page[0][0], self._wrapped(page[0][0]).starts[page[0][1]])
            self._page, self._page_for = page, self.size
            self._seen = self.total if self.following else max(self._seen, page[-1][0] + 1)
        return self._page

    def _page_from(self, row: int, line: int) -> list[tuple[int, int]]:
        page: list[tuple[int, int]] = []
        while row < self.total and len(page) < self._height:
            page += [(row, each) for each in range(line, len(self._wrapped(row)))]
            row, line = row + 1, 0
        return page[: self._height]

    def _page_to_end(self) -> list[tuple[int, int]]:
        page: list[tuple[int, int]] = []
        row = self.total - 1
        while row >= self._dropped and len(page) < self._height:
            page[:0] = [(row, each) for each in range(len(self._wrapped(row)))]
            row -= 1
        return page[-self._height :]

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        if not self._rows:
            lines = wrap(self._placeholder, self.size.width)
            if y < len(lines):
                wrapped, line = lines[y]
                return wrapped.strip(line)
        elif y < len(page := self._shown()):
            row, line = page[y]
            return self._wrapped(row).strip(line)
        return Strip.blank(self.size.width, STYLES["text"])

    def on_resize(self) -> None:
        self._changed()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.move(-_WHEEL)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.move(_WHEEL)

    def position(self) -> str:
        """The last row on the screen of all rows, where not all are seen."""
        if not self._rows or self.following:
            return ""
        return f"{self._shown()[-1][0] + 1:,}/{self.total:,}"

    def earlier(self) -> str:
        """That rows were dropped, in words; empty where none was."""
        return count(self.words.earlier_rows, self._dropped) if self._dropped else ""
