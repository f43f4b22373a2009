"""``debugloop press``: what the panel's actions do, for a person without the panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from debugloop.cli.terminal import ask
from debugloop.cli.verb import Call, clean, verb
from debugloop.errors import Declined, NoTerminal, NothingPublished
from debugloop.session import actions, runs

if TYPE_CHECKING:
    from debugloop.session.actions import Action

_LABELS = {"reproduced": "Reproduced", "resolved": "Resolved"}


@verb(example='debugloop press reproduced --note "105 where 15 was due"')
@click.argument("action", type=click.Choice(["reproduced", "resolved", "clear"]))
@click.option("--note", metavar="TEXT", help="A word for the agent.")
def command(call: Call, action: Action, note: str | None) -> None:
    """Tell the agent that you reproduced the bug or that it is resolved, or clear the log of this run.

    Asks on the terminal, and refuses where there is none: an agent cannot say these by mistake.
    """
    from debugloop.agent import loop

    session = call.open()
    loop.require_open(session)
    run, rows = runs.read(session, redacting=False)
    events = runs.count_events(rows)
    question = f"Send {_LABELS.get(action)} for run {run}?"
    if action == "clear":
        question = f"Clear run {run} ({events} events)?"
    elif action == "reproduced" and events == 0:
        if run == 0:
            raise NothingPublished("reproduced")
        action = "no_events"
        question = f"No event has come in run {run}. Tell the agent that no probe fired?"
    answer = ask(question)
    if answer is None:
        raise NoTerminal(f"press {_LABELS.get(action, action.capitalize())}")
    if not answer:
        raise Declined
    pressed = actions.press(session, action, clean(note), run=run)
    if action == "clear":
        loop.clear(session)
    call.say(f"Sent, as press {pressed.number} on run {run}." if action != "clear" else f"Run {run} is empty.")
    call.answer({"session": session.id, "press": pressed.number, "action": pressed.action, "run": pressed.run}, "")
