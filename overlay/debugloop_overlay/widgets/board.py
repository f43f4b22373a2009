"""The board: every area of the panel in its place, told what to show by one View."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.widget import Widget

from debugloop.evidence.visible import visible
from debugloop_overlay import texts
from debugloop_overlay.areas import LEAST_HEIGHT, LEAST_WIDTH, share
from debugloop_overlay.compared import compared
from debugloop_overlay.languages.words import Words, count
from debugloop_overlay.log_rule import log_rule
from debugloop_overlay.paragraphs import Paragraph
from debugloop_overlay.widgets.actions import CHOICES, ActionBar, Choice
from debugloop_overlay.widgets.lines import Lines
from debugloop_overlay.widgets.log import LogView
from debugloop_overlay.widgets.note import NoteLine
from debugloop_overlay.widgets.picker import Picker

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.geometry import Size

    from debugloop_overlay.view import Reading, View

_GAP: Final = 3
PICKED: Final = frozenset({"hypotheses", "palette"})
"""What is read with a mark that the arrows move."""


class Board(Widget):
    """Lays the areas out for the size of the terminal; what did not change costs nothing."""

    DEFAULT_CSS = "Board { layout: vertical; width: 1fr; height: 1fr; }"

    def __init__(self, view: View) -> None:
        super().__init__(id="board")
        self._view = view
        self.header = Lines(id="header")
        self.steps = Lines(id="steps")
        self.hypotheses = Picker(marked=False, id="hypotheses")
        self.rule = Lines(id="rule")
        self.live_log = LogView(view.words, id="log")
        self.past_log = LogView(view.words, id="past")
        self.reader = Lines(id="reader")
        self.picker = Picker(marked=True, id="picker")
        self.status = Lines(id="status")
        self.notice = Lines(id="notice")
        self.actions = ActionBar(view.words, id="actions")
        self.note = NoteLine(id="note")
        self.hint = Lines(id="hint")
        self.small = Lines(id="small")
        self.is_small = False
        """There is no room for a question, so nothing may be pressed."""
        for area in (self.live_log, self.past_log, self.actions, self.note):
            area.display = False  # nothing is seen before the size is known

    def compose(self) -> ComposeResult:
        """All areas, from the top down."""
        yield from (self.header, self.steps, self.hypotheses, self.rule)
        yield from (self.live_log, self.past_log, self.reader, self.picker)
        yield from (self.status, self.notice, self.actions, self.note, self.hint, self.small)

    @property
    def log_view(self) -> LogView:
        """The log that is on the screen: the live one, or that of an earlier run."""
        return self.past_log if self._view.past else self.live_log

    @property
    def scrolled(self) -> LogView | Lines:
        """What the arrow keys scroll."""
        if self._view.reading in PICKED:
            return self.picker
        return self.reader if self._view.reading else self.log_view

    def on_resize(self, event: events.Resize) -> None:
        self._show(event.size)

    def on_log_view_moved(self) -> None:
        self._show(self.size)

    def on_lines_moved(self) -> None:
        self._show(self.size)

    def show(self, view: View) -> None:
        """Show this from now on."""
        if view.words is not self._view.words:
            self.live_log.retell(view.words)
            self.past_log.retell(view.words)
        self._view = view
        self._show(self.size)

    def _show(self, size: Size) -> None:
        # before the first layout it has no size, but will be as large as the terminal: so the first picture is whole
        width, height = size or self.app.size
        view, words = self._view, self._view.words
        self.header.show(texts.header(view, width))
        self.steps.show(texts.steps(words, view.seen.steps))
        self.hypotheses.offer([shown for _, shown in texts.hypotheses(view)])
        self.live_log.say_when_empty(texts.nothing_yet(view))
        self.past_log.say_when_empty([Paragraph.of((words.nothing_in_run.format(run=view.seen.run), "muted"))])
        self._read()
        self.status.show(texts.rule(width, texts.status(view, width)))
        self.notice.show(texts.notices(view, self.log_view.earlier()))
        self.actions.show(words, self._unavailable())
        self.hint.show(self._hint())
        small = self.is_small = width < LEAST_WIDTH or height < LEAST_HEIGHT
        self.small.show([Paragraph.of((words.too_small.format(width=width, height=height), "strong"))])
        self._arrange(width, height, small=small)
        self.rule.show(texts.rule(width, self._rule(width)))

    def _read(self) -> None:
        """What is read in place of the log."""
        view, words = self._view, self._view.words
        if view.reading == "steps":
            self.reader.show(texts.steps(words, view.seen.steps))
        elif view.reading == "help":
            self.reader.show(texts.help_text(view))
        elif view.reading == "details":
            self.reader.show(view.text)
        elif view.reading == "compare" and view.comparison:
            self.reader.show(compared(words, view.comparison))
        elif view.reading == "hypotheses":
            none = Paragraph.of((words.no_hypotheses, "muted"))
            self.picker.offer([shown for _, shown in texts.hypotheses(view)] or [none])
        elif view.reading == "palette":
            none = Paragraph.of((words.palette_none, "muted"))
            self.picker.offer([shown for _, shown in texts.palette(words, view.typed)] or [none])

    def _arrange(self, width: int, height: int, *, small: bool) -> None:
        areas = share(
            max(height, LEAST_HEIGHT),
            steps=self.steps.lines_at(width),
            hypotheses=self.hypotheses.lines_at(width),
            status=self.status.lines_at(width),
            notice=self.notice.lines_at(width),
            hint=self.hint.lines_at(width),
        )
        reading, picking = self._view.reading is not None, self._view.reading in PICKED
        tall = areas.steps + areas.hypotheses + areas.log if reading else 0
        heights = {
            self.header: 1,
            self.steps: 0 if reading else areas.steps,
            self.rule: 1,
            self.hypotheses: 0 if reading else areas.hypotheses,
            self.reader: 0 if picking else tall,
            self.picker: tall if picking else 0,
            self.status: areas.status,
            self.notice: areas.notice,
            self.hint: 0 if self._view.entering and not self._view.wrong else areas.hint,
        }
        for area, lines in heights.items():
            area.take_room(width, 0 if small else lines)
        self.small.take_room(width, height if small else 0)
        self.live_log.display = not (reading or small or self._view.past)
        self.past_log.display = bool(self._view.past) and not (reading or small)
        self.actions.display = not small
        self.note.display = self._view.entering is not None and not small

    def _rule(self, width: int) -> list[texts.Part]:
        view, words = self._view, self._view.words
        if view.reading:
            area = self.picker if view.reading in PICKED else self.reader
            pick = [(words.pick, "key")] if view.reading in PICKED else []
            return [*self._title(view.reading), *pick, ("Esc", "key"), *_below(words, area.below, "↓ ")]
        parts = [(words.run.format(run=view.past.run), "attention")] if view.past else []
        parts += log_rule(self.log_view, width - sum(cell_len(text) + _GAP for text, _ in parts))
        for above in (*_below(words, self.steps.below, "↑ s: "), *_below(words, self.hypotheses.below, "↑ p: ")):
            if sum(cell_len(text) + _GAP for text, _ in (*parts, above)) <= width:
                parts.append(above)
        return parts

    def _title(self, reading: Reading) -> list[texts.Part]:
        words, runs = self._view.words, self._view.comparison
        if reading == "palette":
            return [(words.palette, "strong"), (f"{self._view.typed}▏", "key")]
        if reading == "compare" and runs:
            return [(words.compared.format(before=runs.before, after=runs.after), "strong")]
        titles = {"steps": words.steps, "hypotheses": words.hypotheses, "details": words.details}
        return [(titles.get(reading, words.help), "strong")]

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
        elif view.reading in PICKED:
            hint = words.hint_hypothesis if view.reading == "hypotheses" else words.hint_palette
            lines = [Paragraph.of((hint, "muted"))]
        elif view.past:
            lines = [Paragraph.of((words.hint_past.format(run=view.now.run), "attention"))]
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
