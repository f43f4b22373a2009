"""The person's three actions, asked for by the agent's client: for a person who has no panel open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from debugloop.errors import RunChanged
from debugloop.session import actions, runs
from debugloop.session import session as sessions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from debugloop.session.actions import Action
    from debugloop.session.session import Session

_CHOICES: Final[tuple[Action, ...]] = ("reproduced", "resolved", "clear")
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "action": {
            "type": "string",
            "title": "What happened",
            "oneOf": [
                {"const": "reproduced", "title": "Reproduced: I saw the bug again"},
                {"const": "resolved", "title": "Resolved: the bug is gone"},
                {"const": "clear", "title": "Clear: empty the log and go on"},
            ],
        },
        "note": {"type": "string", "title": "Note for the agent", "maxLength": actions.NOTE_CHARS},
    },
    "required": ["action"],
}
"""What the client's form asks for."""


def question(session: Session) -> tuple[int, str] | None:
    """The run to ask about, and what to ask; None where a panel is open, nothing is published, or a press is unread."""
    state = session.state()
    if state.steps is None or sessions.panel_state(session) == "open" or _unread(session, state.run):
        return None
    title = f"{state.steps.title}\n" if state.steps.title else ""
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(state.steps.steps, 1))
    return state.run, f"{title}{steps}\n\nFollow these steps, then say what you saw. (`debuglog` shows it live.)"


def take(session: Session, run: int, content: Mapping[str, object]) -> bool:
    """Store what the person chose in the form, as their press on that run; False where it is none of the three.

    A press that came meanwhile wins, as does a newer run: then the answer is dropped.
    """
    chosen: Action | None = next((each for each in _CHOICES if each == content.get("action")), None)
    note = content.get("note")
    if chosen is None:
        return False
    if _unread(session, run):
        return True
    if chosen == "reproduced" and runs.count_events(runs.read(session, redacting=False)[1]) == 0:
        chosen = "no_events"
    try:
        actions.press(session, chosen, note if isinstance(note, str) else None, run=run)
    except RunChanged:
        return True
    if chosen == "clear":
        from debugloop.agent.loop import clear

        clear(session)
    return True


def _unread(session: Session, run: int) -> bool:
    return any(press.run == run for press in actions.unread(session))
