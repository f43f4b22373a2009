"""One press: stored first, then acted on, and what the person is told about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debugloop.session import actions
from debugloop.session.journal import Journal
from debugloop_overlay.texts import action_name

if TYPE_CHECKING:
    from debugloop.session.actions import Action, Press
    from debugloop.session.session import AgentState, Session
    from debugloop_overlay.languages.words import Words


def take(session: Session, action: Action, note: str, run: int) -> tuple[Press, bool]:
    """Store a press and do what it says; gives it, and whether it is a new one.

    ``run`` is the one that the person saw. The same press once more, before the agent has seen the first, is the
    first. Raises DebugloopError, RunChanged among them.
    """
    if not note:
        for waiting in actions.unread(session)[-1:]:
            if (waiting.action, waiting.run, waiting.delivered) == (action, run, False):
                return waiting, False
    press = actions.press(session, action, note, run=run)
    if action == "clear":
        journal = Journal(session)
        try:
            journal.clear()
        finally:
            journal.close()
    return press, True


def told(words: Words, press: Press, agent: AgentState, *, is_new: bool) -> str:
    """What became of a press, in one or two sentences. ``agent``: its state when the person pressed."""
    if press.action == "clear":
        return words.cleared.format(run=press.run)
    name = action_name(words, press.action)
    if not is_new:
        return words.already_sent.format(action=name, number=press.number)
    sent = words.sent_no_events if press.action == "no_events" else words.sent
    agent_is = {"waiting": words.sent_waiting, "working": words.sent_working, "away": words.sent_away}[agent]
    return f"{sent.format(action=name, number=press.number)} {agent_is}"
