"""The board: every area of the panel in its place, told what to show by one View."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.widget import Widget

from debugloop.evidence.visible import visible
from debugloop_overlay import texts
from debugloop_overlay.areas import LEAST_HEIGHT, LEAST_WIDTH, share
from debugloop_overlay.languages.words import Words, count
from debugloop_overlay.log_rule import log_rule
from debugloop_overlay.paragraphs import Paragraph
from debugloop_overlay.widgets.actions import CHOICES, ActionBar, Choice
from debugloop_overlay.widgets.lines import Lines
from debugloop_overlay.widgets.log import LogView
from debugloop_overlay.widgets.note import NoteLine

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from debugloop_overlay.view import View


class Board(Widget):
    """Lays the areas out for the size of the terminal; what did not change costs nothing."""

    DEFAULT_CSS = "Board { layout: vertical; width: 1fr; height: 1fr; }"

    def __init__(self, view: View) -> None:
        super().__init__(id="board")
        self._view = view
        self.header = Lines(id="header")
        self.steps = Lines(id="steps")
        self.rule = Lines(id="rule")
        self.log_view = LogView(view.words, id="log")
        self.reader = Lines(id="reader")
        self.status = Lines(id="status")
        self.notice = Lines(id="notice")
        self.actions = ActionBar(view.words, id="actions")
        self.note = NoteLine(id="note")
        self.hint = Lines(id="hint")
        self.small = Lines(id="small")
        self.is_small = False
        """There is no room for a question, so nothing may be pressed."""
        for area in (self.log_view, self.actions, self.note):
            area.display = False  # nothing is seen before the size is known

    def compose(self) -> ComposeResult:
        """All areas, from the top down."""
        yield from (self.header, self.steps, self.rule, self.log_view, self.reader)
        yield from (self.status, self.notice, self.actions, self.note, self.hint, self.small)

    @property
    def scrolled(self) -> LogView | Lines:
        """What the arrow keys scroll."""
        return self.reader if self._view.reading else self.log_view

    def on_resize(self, event: events.Resize) -> None:
        self._show(event.size.width, event.size.height)

    def on_log_view_moved(self) -> None:
        self._show(*self.size)

    def on_lines_moved(self) -> None:
        self._show(*self.size)

    def show(self, view: View) -> None:
        """Show this from now on."""
        if view.words is not self._view.words:
            self.log_view.retell(view.words)
        self._view = view
        self._show(*self.size)

    def _show(self, width: int, height: int) -> None:
        view, words, now = self._view, self._view.words, self._view.now
        steps = texts.steps(words, now.steps)
        self.header.show(texts.header(words, now))
        self.steps.show(steps)
        self.log_view.say_when_empty(texts.nothing_yet(words, now, view.log))
        if view.reading:
            self.reader.show({"steps": steps, "details": view.text}.get(view.reading) or texts.help_text(view))
        self.status.show(texts.rule(width, texts.status(view, width)))
        self.notice.show(texts.notices(view, self.log_view.earlier()))
        self.actions.show(words, self._unavailable())
        self.hint.show(self._hint())
        small = self.is_small = width < LEAST_WIDTH or height < LEAST_HEIGHT
        self.small.show([Paragraph.of((words.too_small.format(width=width, height=height), "strong"))])
        self._arrange(width, height, small=small)
        self.rule.show(texts.rule(width, self._rule(width)))

    def _arrange(self, width: int, height: int, *, small: bool) -> None:
        areas = share(
            max(height, LEAST_HEIGHT),
            steps=self.steps.lines_at(width),
            status=self.status.lines_at(width),
            notice=self.notice.lines_at(width),
            hint=self.hint.lines_at(width),
        )
        reading = self._view.reading is not None
        heights = {
            self.header: 1,
            self.steps: 0 if reading else areas.steps,
            self.rule: 1,
            self.reader: areas.steps + areas.log if reading else 0,
            self.status: areas.status,
            self.notice: areas.notice,
            self.hint: 0 if self._view.entering and not self._view.wrong else areas.hint,
        }
        for area, lines in heights.items():
            area.take_room(width, 0 if small else lines)
        self.small.take_room(width, height if small else 0)
        self.log_view.display = not (reading or small)
        self.actions.display = not small
        self.note.display = self._view.entering is not None and not small

    def _rule(self, width: int) -> list[texts.Part]:
        words, reading = self._view.words, self._view.reading
        if reading:
            title = {"steps": words.steps, "help": words.help, "details": words.details}[reading]
            return [(title, "strong"), ("Esc", "key"), *_below(words, self.reader.below, "↓ ")]
        below = _below(words, self.steps.below, "↑ s: ")
        return [*below, *log_rule(self.log_view, width - sum(cell_len(text) + 3 for text, _ in below))]

    def _hint(self) -> list[Paragraph]:
        view, words = self._view, self._view.words
        note = words.note_kept.format(note=visible(view.note)) if view.note else ""
        if view.question:
            lines = [Paragraph.of((f"{view.question.text} ", "attention"), (words.yes_no, "key"))]
        elif view.wrong:
            lines = [Paragraph.of((view.wrong, "bad"))]
        elif view.feedback:
            lines = [Paragraph.of((view.feedback, "good"))]
        elif view.now.finished:
            lines = [Paragraph.of((words.hint_finished.format(session=view.session), "strong"))]
        elif self.log_view.pager.cursor is not None and not view.reading:
            lines = [Paragraph.of((words.row_chosen, "muted"))]
        else:
            hint = {
                "reproduced": words.hint_reproduced if view.counts.events else words.hint_no_events,
                "resolved": words.hint_resolved,
                "clear": words.hint_clear,
            }[self.actions.chosen]
            lines = [Paragraph.of((hint, "muted"))]
        return [*lines, Paragraph.of((note, "muted"))] if note else lines

    def _unavailable(self) -> frozenset[Choice]:
        if self._view.now.finished:
            return frozenset(CHOICES)
        return frozenset[Choice]() if self._view.counts.events else frozenset[Choice]({"reproduced"})


def _below(words: Words, lines: int, mark: str) -> list[texts.Part]:
    return [(mark + count(words.more_lines, lines), "attention")] if lines else []
