"""What the panel shows beside the live log: steps, hypotheses, other runs, a comparison, the palette, the help."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from debugloop.errors import DebugloopError
from debugloop.evidence.visible import visible
from debugloop_overlay import clipboard, history, languages, texts
from debugloop_overlay.log_keys import LogKeys

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual import events
    from textual.worker import Worker

    from debugloop_overlay.widgets.picker import Picker


class Beside(LogKeys):
    """The keys that leave the live log alone."""

    def action_steps(self) -> None:
        self._read("steps")

    def action_hypotheses(self) -> None:
        self._read("hypotheses")

    def action_help(self) -> None:
        self._read("help")

    def action_palette(self) -> None:
        self._read("palette")

    def action_language(self) -> None:
        self._show(words=languages.after(self._base.words), question=None)

    # -- choosing ----------------------------------------------------------------------------------

    async def on_picker_chosen(self, chosen: Picker.Chosen) -> None:
        """A click on an item, or Enter: show the events of a hypothesis alone, or do what the palette names."""
        if self._base.reading == "palette":
            actions = [action for action, _ in texts.palette(self._base.words, self._base.typed)]
            if chosen.index < len(actions):
                self._read("palette")
                await self.run_action(actions[chosen.index])
            return
        ids = [name for name, _ in texts.hypotheses(self._base)]
        if chosen.index < len(ids):
            self._show(reading=None)
            self._log_view.narrow(hypotheses=(ids[chosen.index],))

    async def on_key(self, event: events.Key) -> None:
        """While the palette is open, what is typed searches it."""
        typed = self._base.typed
        if self._base.reading != "palette":
            return
        if event.key == "backspace":
            typed = typed[:-1]
        elif event.is_printable and event.character:
            typed += visible(event.character)
        else:
            return
        event.prevent_default()
        event.stop()
        self._board.picker.index = 0
        self._show(typed=typed)

    def _do(self, work: Callable[[], Awaitable[None]], group: str, *, exclusive: bool = False) -> Worker[None]:
        """Do this beside the keys. ``work`` is called in its turn: Python warns of a coroutine that never ran."""

        async def done() -> None:
            await work()

        return self.run_worker(done, group=group, exclusive=exclusive)

    # -- other runs --------------------------------------------------------------------------------

    def action_go_to_run(self, step: int) -> None:
        """Show the run before or after the one on the screen."""
        self._do(partial(self._go_to_run, step), "runs", exclusive=True)

    async def _go_to_run(self, step: int) -> None:
        try:
            run = await asyncio.to_thread(history.neighbour, self.session, self._base.seen.run, step)
            if run is None:
                self._tell(lambda words: words.no_run_before if step < 0 else words.no_run_after)
            elif run == self._base.now.run:
                self._go_live()
            else:
                shown, rows = await asyncio.to_thread(history.read, self.session, run)
                self._board.past_log.reset()
                self._board.past_log.extend(rows)
                self._feedback = None
                self._show(past=shown)
        except (DebugloopError, OSError) as error:
            self._tell_failed(error)

    def _go_live(self) -> None:
        self._board.past_log.reset()
        self._feedback = None
        self._show(past=None)

    def action_compare(self) -> None:
        """Compare the run on the screen with the one before it; once more, and the log is back."""
        if self._base.reading == "compare":
            self._read("compare")
        else:
            self._do(self._compare, "runs", exclusive=True)

    async def _compare(self) -> None:
        self._tell(lambda words: words.looking)
        try:
            found = await asyncio.to_thread(history.compare_with_before, self.session, self._base.seen.run)
        except (DebugloopError, OSError) as error:
            self._tell_failed(error)
            return
        if found is None:
            self._tell(lambda words: words.no_run_before)
        else:
            self._feedback = None
            self._show(comparison=found, reading=None)
            self._read("compare")

    def _tell_failed(self, error: Exception) -> None:
        reason = visible(str(error))
        self._tell(lambda words: words.failed.format(reason=reason))

    # -- handing over by hand ----------------------------------------------------------------------

    def action_hand_over(self) -> None:
        """Put the text on the clipboard that brings an agent back which waits for nothing."""
        self._do(self._hand_over, "clipboard", exclusive=True)

    async def _hand_over(self) -> None:
        text = texts.by_hand(self._base)
        way = await clipboard.copy(text, self.copy_to_clipboard)
        self._tell(lambda words: words.handed_over.format(way=way, text=text))
