"""DEBUG LOGS: the panel that a person keeps open beside the program that is being debugged."""

from __future__ import annotations

import asyncio
import gc
import signal
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from textual.message import Message
from textual.screen import Screen

from debugloop.errors import DebugloopError
from debugloop.evidence.visible import visible
from debugloop.session.state import now_ms
from debugloop_overlay import presses
from debugloop_overlay.beside import Beside
from debugloop_overlay.keys import KEYS, bindings
from debugloop_overlay.revive import start_collector
from debugloop_overlay.snapshot import Counts, Snapshot
from debugloop_overlay.storing import Storing
from debugloop_overlay.suspend import resume_only_what_was_suspended
from debugloop_overlay.texts import action_name
from debugloop_overlay.view import Question
from debugloop_overlay.widgets.board import PICKED
from debugloop_overlay.widgets.picker import Picker

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.app import ComposeResult

    from debugloop.session.actions import Action
    from debugloop.session.session import AgentState
    from debugloop_overlay.languages.words import Words
    from debugloop_overlay.storing import Stored
    from debugloop_overlay.watcher import Watcher


class Woke(Message):
    """The watcher has something to take."""


class Ground(Screen[None], inherit_bindings=False):
    """A screen without keys of its own: Textual's uses Tab for a focus that the panel does not have."""


_PRESSING: Final = frozenset({"reproduced", "resolved", "clear", "run", "note", "choose", "copy"})


class Panel(Beside):
    """The panel of one session.

    What it knows comes from the session's files by way of the watcher; a press goes into them before anything
    else is done. What it shows is one View, made anew from this state whenever something changed.
    """

    CSS_PATH = "overlay.tcss"
    BINDINGS = bindings()
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None
    ALLOW_SELECT = False

    def __init__(
        self, watcher: Watcher, words: Words, *, popup: bool = False, clock: Callable[[], int] = now_ms
    ) -> None:
        super().__init__(watcher.session, words, clock)
        self.failure: str | None = None
        """What ended the panel although nobody closed it."""
        self._watcher = watcher
        self._popup = popup
        self._revived = False
        self._storing = Storing(watcher.session)

    @property
    def run_shown(self) -> int:
        """The run that was last on the screen."""
        return self._base.now.run

    def finish_storing(self, say: Callable[[str], object]) -> bool:
        """Once the panel is closed: wait for its presses, say which could not be stored; whether all were."""
        return self._storing.finish(self._base.words, say)

    def get_default_screen(self) -> Ground:
        return Ground(id="_default")

    def compose(self) -> ComposeResult:
        """The board is all there is."""
        yield self._board

    def on_mount(self) -> None:
        """Listen to the watcher, which runs already, and to the signals that end a terminal program."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            loop.add_signal_handler(number, self.exit, None, 128 + number)
        resume_only_what_was_suspended(loop)
        self.set_interval(1, self._show)  # the time since the run began
        self._watcher.wake = lambda: self.post_message(Woke())
        self.on_woke()
        self.call_after_refresh(self._watcher.read_on)
        # what a panel is made of stays: no key waits while Python looks for garbage in it
        self.call_after_refresh(gc.freeze)

    # -- what the files say ------------------------------------------------------------------------

    def on_woke(self) -> None:
        """Take what the watcher found and show it."""
        update = self._watcher.take()
        if update is None:
            return
        before, now = self._base.now, update.snapshot
        counts = Counts() if update.reset else self._base.counts
        if update.reset:
            self._board.live_log.reset()
        if update.rows:
            counts = counts.plus(update.rows)
            self._board.live_log.extend(update.rows)
        if update.older:
            counts = counts.plus(update.older.rows, update.older.rows.dropped)
            self._board.live_log.complete(update.older)
        self._base = replace(self._base, now=now, counts=counts)
        if before.run != now.run:
            self._feedback = (lambda words: words.run_gone_on.format(run=now.run)) if self._base.past else None
            self._base = replace(self._base, question=None, past=None)
            self._old_rejections = before.latest[-1:]
        if now.finished and not before.finished:
            self._feedback = None
        self._watch_collector(now)
        self._show()

    def _watch_collector(self, now: Snapshot) -> None:
        if now.collector != "down" or now.finished:
            self._collector = None
        elif self._collector is None:
            self._collector = lambda words: words.collector_down
            if not self._revived:
                self._do(self._revive, "collector")

    async def _revive(self) -> None:
        self._revived = True
        self._collector = lambda words: words.collector_starting
        self._show()
        reason = await start_collector(self.session)
        if reason:
            self._collector = lambda words: words.collector_failed.format(reason=visible(reason))
        self._watcher.look()
        self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """No key does anything once the panel closes, nor presses anything where there is no room for a question."""
        if self._exit or (action in _PRESSING and self._board.is_small):
            return False
        return super().check_action(action, parameters)

    # -- the three actions -------------------------------------------------------------------------

    def action_choose(self, step: int) -> None:
        """Choose another action; a question that is open is dropped."""
        self._feedback = None
        self._board.actions.choose(step)
        self._board.log_view.leave_cursor()
        self._show(question=None)

    async def action_run(self) -> None:
        """Take the chosen action, or open the row at the cursor; a question that is open is answered with no."""
        if self._base.question:
            self._decline()
            return
        if self._base.reading in PICKED:
            await self.on_picker_chosen(Picker.Chosen(self._board.picker.index))
            return
        if self._base.reading == "details" or self._board.log_view.pager.cursor is not None:
            self.action_details()
            return
        chosen = self._board.actions.chosen
        await {"reproduced": self.action_reproduced, "resolved": self.action_resolved, "clear": self.action_clear}[
            chosen
        ]()

    async def on_action_bar_clicked(self) -> None:
        self._board.log_view.leave_cursor()
        self._base = replace(self._base, question=None)
        await self.action_run()

    async def action_reproduced(self) -> None:
        """Send Reproduced at once; in a run without an event, ask whether to say that no probe fired."""
        if self._base.counts.events:
            self._take("reproduced")
        else:
            self._ask(self._base.words.ask_no_events.format(run=self._base.now.run), "no_events")

    async def action_resolved(self) -> None:
        self._ask(self._base.words.ask_resolved, "resolved")

    async def action_clear(self) -> None:
        self._ask(self._base.words.ask_clear.format(run=self._base.now.run), "clear")

    def _ask(self, text: str, action: Action) -> None:
        self._feedback = None
        self._show(question=None if self._base.now.finished else Question(text, action))

    async def action_copy(self, what: Literal["message", "json"]) -> None:
        """Copy what the row at the cursor says; where a question is open, y is its yes."""
        if self._base.question is None:
            await super().action_copy(what)
        elif what == "message":
            self._take(self._base.question.action)

    def _decline(self) -> None:
        self._feedback = lambda words: words.taken_back
        self._show(question=None)

    def _take(self, action: Action) -> None:
        """Send a press; another process may hold the lock for a while, and no key waits for that."""
        if self._base.now.finished:
            return
        agent, run, note = self._base.now.agent, self._base.now.run, self._base.note
        self._tell(lambda words: words.sending.format(action=action_name(words, action)), question=None, note="")
        stored = self._storing.store(action, note, run)
        self._do(partial(self._tell_stored, stored, action, agent, note), "presses")

    async def _tell_stored(self, stored: Stored, action: Action, agent: AgentState, note: str) -> None:
        try:
            # told in the order in which they are stored; and who stops waiting for a press does not take it back
            press, is_new = await asyncio.shield(asyncio.wrap_future(stored))
        except (DebugloopError, OSError) as error:
            reason = visible(str(error))
            self._tell(lambda words: words.not_sent.format(reason=reason), note=self._base.note or note)
            return
        self._watcher.look()
        self._tell(lambda words: presses.told(words, press, agent, is_new=is_new))
        if self._popup and action != "clear":
            self.exit()

    # -- the note ----------------------------------------------------------------------------------

    def action_note(self) -> None:
        """Write a note for the next action; where a question is open, n is its no, and in a search the next match."""
        if self._base.question:
            self._decline()
        elif self._board.log_view.finder:
            self._board.log_view.next_match(1)
        else:
            self._begin("note", self._base.words.note_prompt, self._base.note)

    # -- modes ---------------------------------------------------------------------------------

    async def on_key(self, event: events.Key) -> None:
        """Alt and a letter are, to a terminal, Esc and that letter in one go. While a line is typed they do nothing."""
        if not event.key.startswith("alt+"):
            return
        event.prevent_default()
        event.stop()
        if not self._base.entering:
            await self.action_leave()
            for key in KEYS:
                if event.character in key.keys:
                    await self.run_action(key.action)

    def action_revive(self) -> None:
        if self._base.now.collector == "down" and not self._base.now.finished:
            self._do(self._revive, "collector", exclusive=True)

    async def action_leave(self) -> None:
        """Leave the innermost mode; where there is none, close."""
        if self._base.question:
            self._decline()
        elif self._leave_log_mode():
            self._tell(None)
        elif self._base.past:
            self._go_live()
        else:
            self.exit()

    def action_close(self) -> None:
        self.exit()

    # -- an error of our own -----------------------------------------------------------------------

    def _handle_exception(self, error: Exception) -> None:
        self.failure = self.failure or f"{type(error).__name__}: {error}"
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        # Textual would print a traceback with local variables, which hold what must not be shown
        self._close_messages_no_wait()

    def panic(self, *_renderables: object) -> None:
        """End the panel; Textual calls this when the input of the terminal cannot be read."""
        self.failure = self.failure or "its input cannot be read"
        with suppress(Exception):
            self._close_messages_no_wait()
