"""The keys that are about the log, and the line that is typed: the part of the panel that sends nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from textual.geometry import Offset

from debugloop.errors import InvalidPattern
from debugloop.evidence.search import Filter, Pattern
from debugloop.evidence.visible import visible
from debugloop_overlay import clipboard, copying, goto
from debugloop_overlay.details import details
from debugloop_overlay.keys import CLOSING
from debugloop_overlay.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events

    from debugloop.session.session import Session
    from debugloop_overlay.languages.words import Words
    from debugloop_overlay.view import Entry
    from debugloop_overlay.widgets.log import LogView


class LogKeys(Stage):
    """A panel as far as its log goes."""

    def __init__(self, session: Session, words: Words, clock: Callable[[], int]) -> None:
        super().__init__(session, words, clock)
        self._before: tuple[tuple[bool, tuple[int, int], int | None], Pattern | None] | None = None

    @property
    def _log_view(self) -> LogView:
        return self._board.log_view

    # -- moving ------------------------------------------------------------------------------------

    def action_scroll(self, lines: int) -> None:
        self._board.scrolled.move(lines)

    def action_row(self, rows: int) -> None:
        if self._base.reading:
            self._board.scrolled.move(rows)
        else:
            self._log_view.step(rows)
            self._tell(None)

    def action_turn(self, pages: float) -> None:
        self._board.scrolled.turn(pages)

    def action_start(self) -> None:
        self._board.scrolled.go_to_start()

    def action_end(self) -> None:
        self._board.scrolled.go_to_end()

    def action_follow(self) -> None:
        self._log_view.toggle_following()

    def action_error(self, step: int) -> None:
        found = self._log_view.go_to_error(step)
        self._tell(None if found else lambda words: words.no_error)

    def action_previous_match(self) -> None:
        self._log_view.next_match(-1)

    # -- what is shown, and how --------------------------------------------------------------------

    def action_hypothesis(self) -> None:
        self._log_view.toggle_hypothesis()

    def action_level(self, least: int) -> None:
        self._log_view.toggle_level(least)

    def action_fold(self) -> None:
        self._log_view.toggle_folding()

    def action_wrap(self) -> None:
        self._log_view.toggle_wrap()

    def action_sideways(self, steps: int) -> None:
        self._log_view.sideways(steps)

    def action_times(self) -> None:
        self._log_view.next_times()
        times = self._log_view.pager.look.times
        self._tell(
            lambda words: {
                "clock": words.times_clock,
                "run": words.times_run,
                "row": words.times_row,
                "off": words.times_off,
            }[times]
        )

    # -- one row -----------------------------------------------------------------------------------

    def action_details(self) -> None:
        """The row at the cursor in full, or back to the log."""
        row = self._log_view.chosen()
        if row or self._base.reading == "details":
            self._read("details", tuple(details(self._base.words, row, self._base.seen.run)) if row else ())

    async def on_log_view_opened(self) -> None:
        self.action_details()

    async def action_copy(self, what: Literal["message", "json"]) -> None:
        """The message, or the JSON, of the row at the cursor onto the clipboard."""
        row = self._log_view.chosen()
        if row is None:
            return
        text = copying.message_of(row) if what == "message" else copying.json_of(row)
        way = await clipboard.copy(text, self.copy_to_clipboard)
        place = f"{self._base.seen.run}:{row.line}"

        def told(words: Words) -> str:
            named = words.message_word if what == "message" else words.json_word
            form = words.asked_terminal if way == clipboard.OSC_52 else words.copied
            return form.format(tool=way, what=named, row=place)

        self._tell(told)

    # -- the line that is typed --------------------------------------------------------------------

    def action_search(self) -> None:
        finder = self._log_view.finder
        self._before = self._log_view.pager.mark, finder.pattern if finder else None
        self._begin("search", self._base.words.search_prompt, "")

    def action_filter(self) -> None:
        wanted = self._log_view.pager.conditions.filter
        self._begin("filter", self._base.words.filter_prompt, wanted.text if wanted else "")

    def action_goto(self) -> None:
        self._begin("goto", self._base.words.goto_prompt, "")

    def _begin(self, entry: Entry, prompt: str, text: str) -> None:
        self._feedback = None
        self._board.note.begin(prompt, text)
        self._show(entering=entry, reading=None, wrong="")
        self._place_cursor()

    async def on_key(self, event: events.Key) -> None:
        """While a line is typed, every key belongs to it; Enter keeps it, Esc leaves all as it was."""
        entry = self._base.entering
        if not entry or event.key in CLOSING:
            return
        event.prevent_default()
        event.stop()
        if event.key == "enter":
            if not self._base.wrong:
                self._entered(entry, self._board.note.text)
        elif event.key == "escape":
            self._show(entering=None, wrong="")
            if entry == "search":
                self._search_as_before()
        else:
            self._board.note.key(event)
            self._typed(entry, self._board.note.text)

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted goes into the line that is typed, if one is, and never runs as keys."""
        event.stop()
        if self._base.entering:
            self._board.note.insert(event.text.rstrip("\r\n"))
            self._typed(self._base.entering, self._board.note.text)

    def _typed(self, entry: Entry, text: str) -> None:
        wrong = ""
        try:
            if entry == "search":
                pattern = Pattern(text, regex=True) if text else None
                if self._before:
                    self._log_view.pager.return_to(self._before[0])
                self._log_view.search(pattern)
            elif entry == "filter":
                Filter.of(text)
        except InvalidPattern as error:
            wrong = self._base.words.wrong_pattern.format(reason=visible(error.reason))
        self._board.note.judge(is_wrong=bool(wrong))
        self._show(wrong=wrong)
        self._place_cursor()

    def _entered(self, entry: Entry, text: str) -> None:
        if entry == "note":
            self._keep_note(text.strip())
            return
        if entry == "goto" and text:
            pager = self._log_view.pager
            number = goto.find(self._log_view.rows, text.strip(), pager.began)
            if number is None and self._log_view.rows:
                self._board.note.judge(is_wrong=True)
                self._show(wrong=self._base.words.wrong_place)
                return
            if number is not None:
                self._log_view.go_to(number)
        elif entry == "filter":
            self._log_view.filter(Filter.of(text) if text else None)
        elif entry == "search" and not text:
            self._log_view.search(None)
        self._show(entering=None)

    def _keep_note(self, note: str) -> None:
        self._feedback = None if note else lambda words: words.note_dropped
        self._show(entering=None, note=note)

    def _search_as_before(self) -> None:
        if self._before:
            mark, pattern = self._before
            self._log_view.search(pattern)
            self._log_view.pager.return_to(mark)
            self._log_view.refresh()

    def _place_cursor(self) -> None:
        # terminals open the window of an input method where their cursor is
        note = self._board.note
        self.cursor_position = note.region.offset + Offset(note.cursor_column, 0)

    def _leave_log_mode(self) -> bool:
        """Leave the innermost mode of the log; whether there was one."""
        if self._base.reading:
            self._read(self._base.reading)
        elif self._log_view.finder:
            self._log_view.search(None)
        elif self._log_view.pager.conditions.narrows:
            self._log_view.widen()
        elif self._log_view.pager.cursor is not None:
            self._log_view.leave_cursor()
        else:
            return False
        return True
