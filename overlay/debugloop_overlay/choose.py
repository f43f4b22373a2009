"""Which session, where several are open in one workspace: a list to choose from."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType

from debugloop.errors import DebugloopError
from debugloop.evidence.visible import visible
from debugloop.session.session import Session
from debugloop_overlay.paragraphs import Paragraph
from debugloop_overlay.widgets.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from debugloop_overlay.languages.words import Words


class Chooser(App[Session]):
    """Gives the session that was chosen, or None."""

    CSS_PATH = "overlay.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,shift+tab", "move(-1)", show=False),
        Binding("down,tab", "move(1)", show=False),
        Binding("enter", "open", show=False),
        Binding("q,escape,ctrl+c,ctrl+q", "close", show=False, priority=True),
    ]

    def __init__(self, sessions: Sequence[Session], words: Words) -> None:
        super().__init__(ansi_color=True)
        self._sessions = sorted(sessions, key=_updated, reverse=True)
        self._words = words
        self._chosen = 0

    def compose(self) -> ComposeResult:
        """A title, the list and a hint."""
        yield Lines(id="header")
        yield Lines(id="list")
        yield Lines(id="hint")

    def on_resize(self) -> None:
        self._tell()

    def action_move(self, step: int) -> None:
        self._chosen = (self._chosen + step) % len(self._sessions)
        self._tell()

    def action_open(self) -> None:
        self.exit(self._sessions[self._chosen])

    def action_close(self) -> None:
        self.exit()

    def _tell(self) -> None:
        width, height = self.size
        title = Paragraph.of((" DEBUG LOGS ", "title"), ("  ", "text"), (self._words.choose_title, "strong"))
        hint = Paragraph.of((self._words.choose_hint, "muted"))
        listed = self.query_one("#list", Lines)
        for name, paragraph in (("#header", title), ("#hint", hint)):
            area = self.query_one(name, Lines)
            area.show([paragraph])
            area.take_room(width, min(area.lines_at(width), 3))
        listed.show(self._paragraph(index, session) for index, session in enumerate(self._sessions))
        rest = height - sum(min(self.query_one(name, Lines).lines_at(width), 3) for name in ("#header", "#hint"))
        listed.take_room(width, min(listed.lines_at(width), max(rest, 1)))
        listed.go_to_start()
        listed.move(max(0, self._chosen - rest // 2))

    def _paragraph(self, index: int, session: Session) -> Paragraph:
        chosen = index == self._chosen
        mark = ("▸ ", "key") if chosen else ("  ", "text")
        return Paragraph.of(
            mark, (visible(session.id), "chosen" if chosen else "strong"), ("  ", "text"), *self._facts(session), hang=4
        )

    def _facts(self, session: Session) -> list[tuple[str, str]]:
        try:
            state = session.state()
        except DebugloopError as error:
            return [(visible(str(error)), "bad")]
        when = time.strftime("%m-%d %H:%M", time.localtime(state.updated / 1000))
        told = self._words.choose_run.format(run=state.run, time=when)
        title = visible(state.steps.title or state.steps.steps[0]) if state.steps else ""
        return [(told, "muted"), (f"  {title}", "text")]


def _updated(session: Session) -> int:
    try:
        return session.state().updated
    except DebugloopError:
        return 0
