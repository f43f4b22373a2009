"""The action bar: the three actions, one of them chosen, and the keys that there is room for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from debugloop_overlay.keys import short_rows
from debugloop_overlay.palette import STYLES
from debugloop_overlay.paragraphs import fits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from debugloop_overlay.languages.words import Words

Choice: TypeAlias = Literal["reproduced", "resolved", "clear"]

CHOICES: Final[tuple[Choice, ...]] = ("reproduced", "resolved", "clear")
_KEYS: Final = ("r", "R", "C")
_GAP: Final = 3


class ActionBar(Widget):
    """Always on the screen. Brackets tell the chosen action where no terminal attribute does."""

    DEFAULT_CSS = "ActionBar { height: 1; width: 1fr; }"

    class Clicked(Message):
        """The person clicked on an action."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice: Choice = choice

    def __init__(self, words: Words, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.words = words
        self.chosen: Choice = "reproduced"
        self.unavailable: frozenset[Choice] = frozenset()

    def choose(self, step: int) -> None:
        """Choose the next action, or the one before."""
        self.chosen = CHOICES[(CHOICES.index(self.chosen) + step) % len(CHOICES)]
        self.refresh()

    def show(self, words: Words, unavailable: frozenset[Choice]) -> None:
        """Change the language, and which actions cannot be taken at the moment."""
        if (words, unavailable) != (self.words, self.unavailable):
            self.words, self.unavailable = words, unavailable
            self.refresh()

    def _boxes(self) -> list[str]:
        labels: Sequence[str] = (self.words.reproduced, self.words.resolved, self.words.clear)
        return [
            f"[{key} {label}]" if choice == self.chosen else f" {key} {label} "
            for choice, key, label in zip(CHOICES, _KEYS, labels, strict=True)
        ]

    def render_line(self, y: int) -> Strip:
        """The bar's only line."""
        if y:
            return Strip.blank(self.size.width, STYLES["text"])
        segments: list[Segment] = []
        for choice, box in zip(CHOICES, self._boxes(), strict=True):
            if choice == self.chosen:
                segments.append(Segment(box, STYLES["chosen"]))
            elif choice in self.unavailable:
                segments.append(Segment(box, STYLES["muted"]))
            else:
                segments += [Segment(box[:2], STYLES["key"]), Segment(box[2:], STYLES["strong"])]
            segments.append(Segment(" ", STYLES["text"]))
        room = self.size.width - sum(segment.cell_length for segment in segments) - _GAP
        shorts = short_rows(self.words)
        shown = fits([f"{key} {text}" for key, text in shorts], room, _GAP)
        for key, text in shorts[:shown]:
            segments += [
                Segment(" " * _GAP, STYLES["text"]),
                Segment(key, STYLES["key"]),
                Segment(f" {text}", STYLES["muted"]),
            ]
        return Strip(segments).adjust_cell_length(self.size.width, STYLES["text"])

    def on_click(self, event: events.Click) -> None:
        edge = 0
        for choice, box in zip(CHOICES, self._boxes(), strict=True):
            if edge <= event.x < edge + cell_len(box):
                self.chosen = choice
                self.refresh()
                self.post_message(self.Clicked(choice))
            edge += cell_len(box) + 1
