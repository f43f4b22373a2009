"""The line for what is typed. The panel hands it every key, so that what is typed fast reaches it in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from debugloop.evidence.visible import visible
from debugloop_overlay.palette import STYLES

if TYPE_CHECKING:
    from textual import events

LONGEST: Final = 2_000


class NoteLine(Widget):
    """One line of text with a cursor. Only visible text gets in; what is wider than the line scrolls sideways."""

    DEFAULT_CSS = "NoteLine { height: 1; width: 1fr; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.text = ""
        self._prompt = ""
        self._is_wrong = False
        self._cursor = 0

    def begin(self, prompt: str, text: str) -> None:
        """Start from ``text``, the cursor at its end."""
        self._prompt = prompt
        self._is_wrong = False
        self.text = text
        self._cursor = len(text)
        self.refresh()

    def key(self, event: events.Key) -> None:
        """Edit by one key; others than those of every text field do nothing."""
        before, after = self.text[: self._cursor], self.text[self._cursor :]
        edits = {
            "backspace": (before[:-1], after),
            "delete": (before, after[1:]),
            "ctrl+u": ("", after),
            "ctrl+w": (before.rstrip(" ").rpartition(" ")[0], after),
            "left": (before[:-1], before[-1:] + after),
            "right": (before + after[:1], after[1:]),
            "home": ("", before + after),
            "end": (before + after, ""),
        }
        if event.key in edits:
            before, after = edits[event.key]
            self._set(before, after)
        elif event.is_printable and event.character:
            self.insert(event.character)

    def insert(self, typed: str) -> None:
        """Put text at the cursor, made visible and cut to what a note may hold."""
        before, after = self.text[: self._cursor], self.text[self._cursor :]
        # a combining mark that is typed belongs to the letter before it
        shown = before + typed if visible(before + typed) == before + typed else before + visible(typed)
        self._set(shown[: LONGEST - len(after)], after)

    def judge(self, *, is_wrong: bool) -> None:
        """Show the text as right or wrong."""
        self._is_wrong = is_wrong
        self.refresh()

    def _set(self, before: str, after: str) -> None:
        self.text = before + after
        self._cursor = len(before)
        self.refresh()

    @property
    def cursor_column(self) -> int:
        """Where the cursor stands, in cells from the left."""
        return cell_len(self._prompt + self._before())

    def _before(self) -> str:
        """As much of the text before the cursor as there is room for."""
        before = self.text[: self._cursor]
        room = max(self.size.width - cell_len(self._prompt) - 2, 1)
        while cell_len(before) > room:
            before = before[1:]
        return before

    def render_line(self, y: int) -> Strip:
        """The prompt, the text and the cursor."""
        if y:
            return Strip.blank(self.size.width, STYLES["text"])
        style = STYLES["bad" if self._is_wrong else "text"]
        segments = [
            Segment(self._prompt, STYLES["key"]),
            Segment(self._before(), style),
            Segment(self.text[self._cursor : self._cursor + 1] or " ", STYLES["chosen"]),
            Segment(self.text[self._cursor + 1 :], style),
        ]
        return Strip([each for each in segments if each.text]).adjust_cell_length(self.size.width, STYLES["text"])
