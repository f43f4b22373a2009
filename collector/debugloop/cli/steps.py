"""``debugloop steps``: what the person is to do; a new run begins."""

from __future__ import annotations

import click

from debugloop.agent import loop, words
from debugloop.cli.verb import Call, clean, verb
from debugloop.session.records import steps_from


@verb(example='debugloop steps --title "Wrong total" "Open the cart" "Add two items" "Look at the total"')
@click.option("--title", metavar="TEXT", help="What is wrong, in a few words.")
@click.argument("step", nargs=-1, required=True)
def command(call: Call, title: str | None, step: tuple[str, ...]) -> None:
    """Publish the steps that reproduce the bug, one argument each. Opens a new run.

    The run so far is archived if it had events. A press that nobody read is retired, except a Resolved, which refuses.
    """
    given = {"title": clean(title), "steps": [clean(each) for each in step]}
    session = call.open()
    steps = steps_from(given, call.settings, "cli")
    published = loop.publish_steps(session, steps)
    if published.revived:
        call.say(words.revived())
    for press in published.retired:
        call.say(words.retired(press))
    call.answer(
        {
            "session": session.id,
            "run": published.run,
            **steps.to_json(),
            "retired": [press.number for press in published.retired],
            "acknowledged": published.acknowledged,
            "revived": published.revived,
            "next": published.next,
        },
        f"Run {published.run} is open. {published.next}",
    )
