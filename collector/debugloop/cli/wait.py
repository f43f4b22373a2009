"""``debugloop wait``: until the person presses something, for a bounded time."""

from __future__ import annotations

import click

from debugloop.agent import loop, words
from debugloop.cli.verb import Call, verb
from debugloop.evidence.visible import visible

PENDING = 3
"""The exit code while the person has not pressed anything."""
_LONGEST = 3_600.0


def _seconds(_ctx: click.Context, _parameter: click.Parameter, value: float) -> float:
    if value != value:  # noqa: PLR0124 -- "nan" is a number that passes every range
        raise click.BadParameter("nan is no length of time.")
    return value


@verb(example="debugloop wait --timeout 0 || test $? -eq 3")
@click.option(
    "--timeout",
    type=click.FloatRange(0, _LONGEST),
    callback=_seconds,
    default=50.0,
    show_default=True,
    metavar="SECONDS",
    help="How long at most; 0 looks once.",
)
@click.option("--after", type=click.IntRange(0), metavar="N", help="Acknowledge press N, and wait for a later one.")
def command(call: Call, timeout: float, after: int | None) -> int | None:
    """Wait for the person's press, and give it with the evidence of the run. Exit code 3: pending, so wait again.

    The same press comes again, under the same number, until --after or a later logs, steps or finish acknowledges it.
    """
    session = call.open()
    waited = loop.wait(session, timeout, after)
    if waited.collector != "running":
        call.say(words.revived() if waited.collector == "revived" else waited.collector)
    call.answer(waited.to_json(), "" if call.json else _text(waited))
    return PENDING if waited.press is None else None


def _text(waited: loop.Waited) -> str:
    if waited.press is None:
        heard = [
            f"{visible(name) or '(no hypothesis)'}: {count}" for name, count in waited.evidence["by_hypothesis"].items()
        ]
        return "\n".join(
            ["Pending.", *([f"Events so far by hypothesis: {', '.join(heard)}."] if heard else []), waited.next]
        )
    from debugloop.evidence.digest_text import as_text

    lines = [f"{words.name(waited.press)}: press {waited.press.number}, run {waited.run}."]
    if waited.press.note:
        lines.append(f"The person's note: {visible(waited.press.note)}")
    return "\n".join([*lines, "", as_text(waited.evidence), "", waited.next])
