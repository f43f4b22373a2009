"""The log: any number of rows, of which only those on the screen are ever laid out."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from debugloop.evidence.query import hypotheses_of
from debugloop_overlay.finder import FIRST, Finder
from debugloop_overlay.kept import MOST, Rows
from debugloop_overlay.languages.words import Words, count
from debugloop_overlay.lens import is_error
from debugloop_overlay.log_row import TIMES, Look, seconds_of
from debugloop_overlay.pager import Pager
from debugloop_overlay.palette import STYLES
from debugloop_overlay.paragraphs import Paragraph, wrap
from debugloop_overlay.patience import TooSlow, patience

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events

    from debugloop.evidence.search import Filter, Pattern
    from debugloop.session.records import Row
    from debugloop_overlay.opening import Older

_WHEEL: Final = 3
_SLICE: Final = 0.006
"""Seconds of work between two chances for a key."""
_SHOW_EVERY: Final = 0.05
_PATIENCE: Final = 0.3
"""Seconds that one slice of a search may take at most."""
_SIDEWAYS: Final = 8


class LogView(Widget):
    """Shows rows by the line API. Follows the end until the person scrolls up."""

    DEFAULT_CSS = "LogView { height: 1fr; width: 1fr; }"

    class Moved(Message):
        """Whether it follows, what is found, or how much is new below, may have changed."""

    class Opened(Message):
        """The person asked for the row at the cursor."""

    def __init__(self, words: Words, *, kept: int = MOST, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows = Rows(kept)
        self.pager = Pager(self.rows, Look(words))
        self.finder: Finder | None = None
        self.too_slow = False
        """The latest pattern took too long, and was given up."""
        self._origin: int | None = None
        self._placeholder: Sequence[Paragraph] = ()
        self._works = False

    # -- content -----------------------------------------------------------------------------------

    def extend(self, rows: Sequence[Row]) -> None:
        """Append rows; steps are no row here. What is on the screen moves only while following."""
        if self.rows.extend(self._events(rows)) and self.finder:
            self.finder.forget_dropped()
        self._work_on()
        self._changed()

    def complete(self, older: Older) -> None:
        """Add what stands before the rows that came first; nothing on the screen moves."""
        first = older.first or next(iter(older.same), None)
        self.pager.began = seconds_of(first) if first else None
        self.rows.complete(older.rows, older.same)
        self.pager.lay_out()
        self._work_on()
        self._changed()

    def _events(self, rows: Sequence[Row]) -> Sequence[Row]:
        if rows and (self.pager.began is None or rows[0].steps):
            self.pager.began = seconds_of(rows[0])
        return [row for row in rows if not row.steps]

    def reset(self) -> None:
        """Forget all rows and follow again; a filter stays."""
        self.rows.clear()
        self.pager.reset()
        if self.finder:
            self.finder = Finder(self.rows, self.pager.conditions, self.finder.pattern)
        self._changed()

    def say_when_empty(self, paragraphs: Sequence[Paragraph]) -> None:
        """What to show instead of rows while there are none."""
        if paragraphs != self._placeholder:
            self._placeholder = paragraphs
            if not self.rows:
                self.refresh()

    def retell(self, words: Words) -> None:
        """Show everything in another language."""
        self.show_as(words=words)

    # -- moving ------------------------------------------------------------------------------------

    @property
    def following(self) -> bool:
        return self.pager.following

    def move(self, lines: int) -> None:
        """Scroll by lines, up where negative; where there is a cursor, move that."""
        self._go(lambda: self.pager.move(lines) if self.pager.cursor is None else self.pager.step(lines))

    def turn(self, pages: float) -> None:
        """Scroll by pages, up where negative."""
        self._go(lambda: self.pager.turn(pages))

    def go_to_start(self) -> None:
        """Scroll to the first row that is shown."""
        self._go(self.pager.go_to_start)

    def go_to_end(self) -> None:
        """Scroll to the last row and follow."""
        self._go(self.pager.follow)

    def toggle_following(self) -> None:
        """Stay where the screen is, or follow the end."""
        self._go(self.pager.halt if self.following else self.pager.follow)

    def step(self, rows: int) -> None:
        """Move the cursor by rows; the first step shows it."""
        self._go(lambda: self.pager.step(rows))

    def sideways(self, steps: int) -> None:
        """Show what lies left or right of the screen, where rows are not wrapped."""
        if not self.pager.look.wraps:
            self.show_as(left=max(self.pager.look.left + steps * _SIDEWAYS, 0))

    def go_to(self, number: int) -> None:
        """Put the cursor on the row with this number, or the nearest above it that is shown."""
        self._go(lambda: self.pager.go_to(self.pager.shown.nearest(number), around=self.pager.height // 3))

    def go_to_error(self, step: int) -> bool:
        """Go to the next error, or (-1) the one before; whether there is one."""
        pager = self.pager
        beyond = pager.shown.after if step > 0 else pager.shown.before
        number = beyond(self.place) if self.has_shown else None
        while number is not None and not is_error(self.rows[number]):
            number = beyond(number)
        if number is not None:
            self.go_to(number)
        return number is not None

    def leave_cursor(self) -> None:
        self._go(lambda: setattr(self.pager, "cursor", None))

    @property
    def has_shown(self) -> bool:
        """Whether any row is shown."""
        return len(self.pager.shown) > 0

    @property
    def place(self) -> int:
        """The row at the cursor, else the last on the screen while following, else the first; one must be shown."""
        cursor = self.pager.cursor
        return self.pager.page()[-1 if self.following else 0][0] if cursor is None else cursor

    def chosen(self) -> Row | None:
        """The row that keys are about; it gets the cursor."""
        if not self.has_shown:
            return None
        number = self.place
        self._go(lambda: self.pager.go_to(number))
        return self.rows[number]

    def _go(self, move: Callable[[], object]) -> None:
        if self.has_shown:
            move()
            self._changed()

    # -- what is shown, and how --------------------------------------------------------------------

    def show_as(self, **changes: object) -> None:
        """Change how rows look (fields of Look); what the person reads stays where it is."""
        self.pager.show_as(**changes)
        self._changed()

    def toggle_wrap(self) -> None:
        self.show_as(wraps=not self.pager.look.wraps, left=0)

    def next_times(self) -> None:
        """Show the next kind of time in the first column."""
        at = TIMES.index(self.pager.look.times) + 1
        self.show_as(times=TIMES[at % len(TIMES)])

    def narrow(self, **changes: object) -> None:
        """Change which rows are shown (fields of Conditions)."""
        conditions = replace(self.pager.conditions, **changes)  # type: ignore[arg-type] # fields, by name
        self._patiently(lambda: self.pager.narrow(conditions, time.perf_counter() + FIRST))
        if self.finder:
            self.finder = Finder(self.rows, self.pager.conditions, self.finder.pattern)
        self._work_on()
        self._changed()

    def filter(self, wanted: Filter | None) -> None:
        self.too_slow = False
        self.narrow(filter=wanted)

    def widen(self) -> None:
        """Show all rows."""
        self.narrow(filter=None, least=0, hypotheses=None)

    def toggle_level(self, least: int) -> None:
        """Show only rows of this level (an index in LETTERS) and graver ones; again: all."""
        self.narrow(least=0 if self.pager.conditions.least == least else least)

    def toggle_hypothesis(self) -> None:
        """Show only what speaks for the hypothesis of the row at the cursor; again: all."""
        row = self.chosen()
        if self.pager.conditions.hypotheses is not None or row is None:
            self.narrow(hypotheses=None)
        else:
            self.narrow(hypotheses=hypotheses_of(row.record()))

    def toggle_folding(self) -> None:
        self.narrow(folds=not self.pager.conditions.folds)

    # -- searching ---------------------------------------------------------------------------------

    def search(self, pattern: Pattern | None) -> None:
        """Look for a pattern from where the person is on, while following upwards, and highlight it; None ends it."""
        self.too_slow = False
        self.finder = Finder(self.rows, self.pager.conditions, pattern) if pattern else None
        self.pager.show_as(pattern=pattern)
        if self.finder and self.has_shown:
            self._look(self.finder, self.place, -1 if self.following else 1)
        self._changed()

    def next_match(self, step: int) -> None:
        """Go to the next match, or (-1) the one before."""
        if self.finder and self.has_shown:
            self._look(self.finder, self.place + step, step)
            self._changed()

    def _look(self, finder: Finder, start: int, step: int) -> None:
        found = self._patiently(lambda: finder.look(start, step))
        if found is not None:
            self.go_to(found)
        self._work_on()

    def _patiently(self, work: Callable[[], int | None]) -> int | None:
        """Do some work with a pattern; one that takes for ever is given up."""
        try:
            with patience(_PATIENCE):
                return work()
        except TooSlow:
            self.too_slow = True
            self.finder = None
            self.pager.show_as(pattern=None)
            self.pager.narrow(replace(self.pager.conditions, filter=None), 0)
            return None

    @property
    def busy(self) -> bool:
        """Whether there are rows that were not looked at yet."""
        return not self.pager.shown.done or (self.finder is not None and not self.finder.done)

    def _work_on(self) -> None:
        if self.busy:
            self._patiently(self._work)
        if self.busy and not self._works:
            self._works = True
            self.run_worker(self._work_in_slices())

    async def _work_in_slices(self) -> None:
        told = time.perf_counter()
        while self.busy:
            self._patiently(self._work)
            if time.perf_counter() - told > _SHOW_EVERY:
                self._changed()
                told = time.perf_counter()
            await asyncio.sleep(0)
        self._works = False
        self._changed()

    def _work(self) -> None:
        until = time.perf_counter() + _SLICE
        if not self.pager.shown.done:
            self.pager.shown.work(until)
        elif self.finder and (found := self.finder.work(until)) is not None:
            self.go_to(found)

    # -- showing -----------------------------------------------------------------------------------

    def _changed(self) -> None:
        self.pager.changed()
        self.refresh()
        self.post_message(self.Moved())

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        self.pager.resize(*self.size)
        if not self.has_shown:
            lines = wrap(self._nothing(), self.size.width)
            if y < len(lines):
                wrapped, line = lines[y]
                return wrapped.strip(line)
        elif y < len(page := self.pager.page()):
            number, line = page[y]
            return self.pager.wrapped(number).strip(line)
        return Strip.blank(self.size.width, STYLES["text"])

    def _nothing(self) -> Sequence[Paragraph]:
        if not self.rows:
            return self._placeholder
        words = self.pager.look.words
        return [Paragraph.of((words.searching if self.busy else words.nothing_shown, "strong"))]

    def on_resize(self, event: events.Resize) -> None:
        self.pager.resize(*event.size)
        self._changed()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._go(lambda: self.pager.move(-_WHEEL))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._go(lambda: self.pager.move(_WHEEL))

    def on_click(self, event: events.Click) -> None:
        if self.has_shown and event.y < len(page := self.pager.page()):
            number = page[event.y][0]
            if number == self.pager.cursor:
                self.post_message(self.Opened())
            self._go(lambda: self.pager.go_to(number))

    def earlier(self) -> str:
        """That rows were dropped, in words; empty where none was."""
        return count(self.pager.look.words.earlier_rows, self.rows.dropped) if self.rows.dropped else ""
