"""``debugloop finish``: the end of a session, behind its gates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from debugloop.cli.terminal import ask
from debugloop.cli.verb import Call, verb
from debugloop.errors import NoTerminal
from debugloop.evidence.visible import visible

if TYPE_CHECKING:
    from debugloop.agent.closing import Obstacles

LEFTOVERS: Final = 4
"""The exit code while something of the session is left in the code."""
_NAMED: Final = 5
"""Places that a question names."""


@verb(example="debugloop finish || test $? -eq 1")
@click.option("--force", is_flag=True, help="End it in spite of what is left; asks a person at the terminal.")
def command(call: Call, force: bool) -> int | None:
    """Prove that nothing of the session is left, stop the collector, and end the session.

    Refuses before the person has said Resolved (exit code 1) and while its markers, address, token or log path are
    left anywhere (exit code 4, with file and line).
    """
    from debugloop.agent import closing

    def overrule(obstacles: Obstacles) -> bool:
        answer = ask(f"{_obstacles(obstacles)} Finish anyway?")
        if answer is None:
            raise NoTerminal("force the end of a session")
        return answer

    finished = closing.finish(call.open(), overrule if force else None)
    lines = [
        f"{visible(each.file)}:{each.line}: {each.kind} ({visible(each.where)}): {visible(each.text)}"
        for each in finished.report.leftovers
    ]
    lines += [f"{visible(each.file)}: review: {visible(each.text)}" for each in finished.report.review]
    call.answer(finished.to_json(), "\n".join(lines))
    call.say(finished.next)
    return LEFTOVERS if finished.outcome == "open" else None


def _obstacles(obstacles: Obstacles) -> str:
    said = [] if obstacles.resolved else [f"Nobody has said Resolved in run {obstacles.run}."]
    places = [f"{visible(each.file)}:{each.line}" for each in obstacles.report.leftovers]
    if places:
        listed = ", ".join(places[:_NAMED]) + (f" and {len(places) - _NAMED} more" if len(places) > _NAMED else "")
        said.append(f"Something of it is left in {listed}.")
    return " ".join(said)
