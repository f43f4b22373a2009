"""The thread that stores presses: in the order of the keys, and no end of the panel cancels what it was given."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Final, TypeAlias

from debugloop.errors import DebugloopError
from debugloop.evidence.visible import visible
from debugloop_overlay import presses
from debugloop_overlay.texts import action_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from debugloop.session.actions import Action, Press
    from debugloop.session.session import Session
    from debugloop_overlay.languages.words import Words

Stored: TypeAlias = "Future[tuple[Press, bool]]"
"""What `presses.take` gives, once it has."""

_SHORT: Final = 0.3
"""Seconds that a person waits for the shell without wondering."""


class Storing:
    """The presses of one panel."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._thread = ThreadPoolExecutor(1)
        self._latest: dict[Action, Stored] = {}

    def store(self, action: Action, note: str, run: int) -> Stored:
        """Store a press as soon as those before it are."""
        stored = self._latest[action] = self._thread.submit(presses.take, self._session, action, note, run)
        return stored

    def finish(self, words: Words, say: Callable[[str], object]) -> bool:
        """Wait for what is still being stored, and say what could not be; whether all was.

        The panel is closed, so nothing else tells it. Of several presses of one action the last one counts.
        """
        for action, stored in self._latest.items():
            name = action_name(words, action)
            if wait([stored], _SHORT).not_done:
                say(words.sending.format(action=name))
            if error := stored.exception():
                reason = str(error) if isinstance(error, (DebugloopError, OSError)) else repr(error)
                say(words.not_stored.format(action=name, reason=visible(reason)))
        return not any(stored.exception() for stored in self._latest.values())
