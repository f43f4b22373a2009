"""The place in the log: which rows and lines are on the screen, and how a person moves among them. Knows no widget.

The place is kept as a row and a character in it, not as a line number: whatever arrives, is wrapped anew, is left out
or is dropped, what the person reads stays where it is, and every operation costs what the screen holds.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from debugloop_overlay.lens import Conditions, Shown
from debugloop_overlay.log_row import Look, Standing, row_paragraph, seconds_of
from debugloop_overlay.paragraphs import Wrapped
from debugloop_overlay.patience import TooSlow, patience

if TYPE_CHECKING:
    from debugloop_overlay.kept import Rows

_LAID_OUT: Final = 256
_PATIENCE: Final = 0.1
"""Seconds that the highlights of one row may take."""
Place = tuple[int, int]
"""The number of a row, and one of its lines."""


class Pager:
    """A page of lines over the rows that are shown. Follows the end until the person moves up.

    ``cursor``: the number of the row that keys are about, if the person has chosen one. What moves needs a row at
    least.
    """

    def __init__(self, rows: Rows, look: Look) -> None:
        self.rows = rows
        self.conditions = Conditions()
        self.shown = Shown(rows, self.conditions)
        self.following = True
        self.cursor: int | None = None
        self.began: float | None = None
        """The second at which the run began."""
        self.width = self.height = 1
        self._look = look
        self._top: Place = (0, 0)  # a row and a character in it
        self._seen = -1
        self._laid_out: OrderedDict[tuple[int, bool], Wrapped] = OrderedDict()
        self._page: list[Place] | None = None

    def reset(self) -> None:
        """Begin anew, without any row; what is shown of rows stays chosen."""
        self.following = True
        self.cursor = self.began = None
        self._top, self._seen = (0, 0), -1
        self.shown = Shown(self.rows, self.conditions)
        self.lay_out()

    def resize(self, width: int, height: int) -> None:
        """Make the page so large; a line at least."""
        if (width, height) != (self.width, self.height):
            self.width, self.height = max(width, 1), max(height, 1)
            self._page = None

    def changed(self) -> None:
        """The rows, or which of them are shown, changed."""
        if self.rows.dropped:
            self.shown.forget_dropped()
            self._top = max(self._top, (self.rows.first, 0))
        if self.conditions.folds or self._look.times != "clock":
            self._laid_out.clear()  # what these show of a row depends on others
        if self.shown:
            if self.following and self.cursor is not None:
                self.cursor = self.shown.last
            elif self.cursor is not None and self.shown.done:
                self.cursor = self.shown.nearest(self.cursor)
        self._page = None

    def lay_out(self) -> None:
        """Lay out every row anew."""
        self._laid_out.clear()
        self._page = None

    @property
    def look(self) -> Look:
        return self._look

    def show_as(self, **changes: object) -> None:
        """Change how rows look; the row at the cursor, else at the top, stays where it is."""
        with_anchor = self._anchor()
        self._look = replace(self._look, **changes)  # type: ignore[arg-type] # the fields of Look, by name
        self.lay_out()
        self._hold(with_anchor)

    def narrow(self, conditions: Conditions, until: float) -> None:
        """Show only the rows that meet these; what is found until then (`time.perf_counter`) is there at once."""
        anchor = self._anchor()
        self.conditions = conditions
        self.shown = Shown(self.rows, conditions)
        self.shown.work(until)
        self.lay_out()
        self._hold(anchor)
        self.changed()

    def _anchor(self) -> Place | None:
        """The row to hold, and its line on the screen."""
        if not self.shown or self.following:
            return None
        page = self.page()
        at = next((line for line, (number, _) in enumerate(page) if number == self.cursor), None)
        return (page[0][0], 0) if at is None or self.cursor is None else (self.cursor, at)

    def _hold(self, anchor: Place | None) -> None:
        if anchor and not self.shown:
            self._top = (anchor[0], 0)
        elif anchor:
            self.stay(*self._up(self.shown.nearest(anchor[0]), 0, anchor[1]))

    # -- the page ----------------------------------------------------------------------------------

    def wrapped(self, number: int) -> Wrapped:
        """A row, laid out."""
        key = (number, number == self.cursor)
        found = self._laid_out.get(key)
        if found is None or found.width != self.width:
            found = self._laid_out[key] = self._lay_out(number, chosen=key[1])
            if len(self._laid_out) > _LAID_OUT:
                self._laid_out.popitem(last=False)
        self._laid_out.move_to_end(key)
        return found

    def _lay_out(self, number: int, *, chosen: bool) -> Wrapped:
        look = self._look
        standing = Standing(self._since(number), self.shown.repeats(number), chosen)
        show = partial(row_paragraph, self.rows[number], width=self.width, standing=standing)
        try:
            with patience(_PATIENCE):
                paragraph = show(look=look)
        except TooSlow:
            paragraph = show(look=replace(look, pattern=None))
        return Wrapped(paragraph, self.width) if look.wraps else Wrapped.window(paragraph, self.width, look.left)

    def _since(self, number: int) -> float | None:
        if self._look.times == "row":
            before = self.shown.before(number)
            return None if before is None else seconds_of(self.rows[before])
        return self.began if self._look.times == "run" else None

    def page(self) -> list[Place]:
        """The rows and lines on the screen, top down; there is at least one row that is shown."""
        if self._page is None:
            page = [] if self.following else self._page_from(self._top)
            if len(page) < self.height:
                page = self._page_to_end()
                if self.shown.done:
                    self._top = (page[0][0], self.wrapped(page[0][0]).starts[page[0][1]])
            self._page = page
            self._seen = self.shown.last if self.following else max(self._seen, page[-1][0])
        return self._page

    def _page_from(self, top: Place) -> list[Place]:
        first = self.shown.nearest(top[0])
        line = self.wrapped(first).line_at(top[1]) if first == top[0] else 0
        number: int | None = first
        page: list[Place] = []
        while number is not None and len(page) < self.height:
            page += [(number, each) for each in range(line, len(self.wrapped(number)))]
            number, line = self.shown.after(number), 0
        return page[: self.height]

    def _page_to_end(self) -> list[Place]:
        page: list[Place] = []
        number: int | None = self.shown.last
        while number is not None and len(page) < self.height:
            page[:0] = [(number, each) for each in range(len(self.wrapped(number)))]
            number = self.shown.before(number)
        return page[-self.height :]

    @property
    def new(self) -> int:
        """Rows below the lowest one that was ever on the screen."""
        if self.following or not self.shown:
            return 0
        self.page()
        return len(self.shown) - self.shown.place(self._seen)

    @property
    def mark(self) -> tuple[bool, Place, int | None]:
        """Where the person is, for `return_to`."""
        return self.following, self._top, self.cursor

    def return_to(self, mark: tuple[bool, Place, int | None]) -> None:
        """Be where the person was."""
        self.following, self._top, self.cursor = mark
        self.changed()

    # -- moving ------------------------------------------------------------------------------------

    def stay(self, number: int, line: int) -> None:
        """Make this line of this row the first on the screen, and follow no longer."""
        self.following = False
        self._top = (number, self.wrapped(number).starts[line])
        self._page = None

    def move(self, lines: int) -> None:
        """Scroll by lines, up where negative. Reaching the end follows it again."""
        number, line = self.page()[0]
        if lines < 0:
            above = self._up(number, line, -lines)
            if above != (number, line):
                self.stay(*above)
        elif not self.following:
            self.stay(*self._down(number, line, lines))
            self.following = self._at_end()
        self._page = None

    def turn(self, pages: float) -> None:
        """Scroll by pages, of which one line of the old page stays in sight; the cursor stays on the screen."""
        before = self.page()
        self.move(round(pages * max(self.height - 1, 1)))
        if self.cursor is not None:
            page = self.page()
            if page == before:
                self.cursor = page[-1 if pages > 0 else 0][0]
            elif self.cursor not in {number for number, _ in page}:
                self.cursor = page[0 if pages > 0 else -1][0]

    def go_to_start(self) -> None:
        """To the first row that is shown."""
        if self.page()[0] != (self.shown.first, 0):
            self.stay(self.shown.first, 0)
        if self.cursor is not None:
            self.cursor = self.shown.first

    def follow(self) -> None:
        """To the last row, and on with whatever comes."""
        self.following = True
        self.changed()

    def halt(self) -> None:
        """Follow no longer, and stay where the screen is."""
        self.stay(*self.page()[0])

    def step(self, rows: int) -> None:
        """Move the cursor by rows; the first step puts it on the screen."""
        if self.cursor is None:
            self.cursor = self.page()[-1 if self.following else 0][0]
            return
        to = self.cursor
        for _ in range(abs(rows)):
            beyond = self.shown.after(to) if rows > 0 else self.shown.before(to)
            if beyond is None:
                self.following = self.following or rows > 0
                break
            to = beyond
        self.go_to(to)

    def go_to(self, number: int, *, around: int = 0) -> None:
        """Put the cursor on a row that is shown; where it is not on the screen yet, scroll to it.

        ``around``: lines that are then seen before or after it.
        """
        if self.following and number != self.shown.last:
            self.halt()
        self.cursor = number
        lines = len(self.wrapped(number))
        page = self.page()
        seen = sum(each == number for each, _ in page)
        if seen < min(lines, self.height):
            if (number, 0) < page[0]:
                self.stay(*self._up(number, 0, around))
            else:
                last = min(lines, self.height) - 1
                self.stay(*self._up(number, last, max(self.height - 1 - around, last)))

    def _up(self, number: int, line: int, lines: int) -> Place:
        while lines > line and (above := self.shown.before(number)) is not None:
            lines -= line + 1
            number, line = above, len(self.wrapped(above)) - 1
        return number, max(line - lines, 0)

    def _down(self, number: int, line: int, lines: int) -> Place:
        while line + lines >= len(self.wrapped(number)) and (below := self.shown.after(number)) is not None:
            lines -= len(self.wrapped(number)) - line
            number, line = below, 0
        return number, min(line + lines, len(self.wrapped(number)) - 1)

    def _at_end(self) -> bool:
        number, line = self.page()[-1]
        return number == self.shown.last and line == len(self.wrapped(number)) - 1
