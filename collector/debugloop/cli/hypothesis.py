"""``debugloop hypothesis``: the ledger of what could be wrong, and what the evidence said."""

from __future__ import annotations

from typing import Any

import click

from debugloop.agent import hypotheses
from debugloop.cli.verb import Call, clean, verb
from debugloop.evidence.visible import visible
from debugloop.session import ledger
from debugloop.session.ledger import VERDICTS
from debugloop.session.session import touch_agent


@click.group()
def command() -> None:
    """Write down what could be wrong, judge it by evidence, list it."""


@verb(name="add", example='debugloop hypothesis add "the second item is added as text, not as a number"')
@click.argument("text")
@click.option("--id", "hypothesis_id", metavar="ID", help="H1, H2, … by default.")
def add(call: Call, text: str, hypothesis_id: str | None) -> None:
    """Write down one falsifiable statement. Its events carry its id as hypothesisId."""
    session = call.open()
    added = hypotheses.add(session, clean(text) or "", hypothesis_id)
    touch_agent(session)
    call.answer(hypotheses.as_json(session, added), f"{added.id}  {visible(added.text)}")


@verb(
    name="set", example='debugloop hypothesis add "the cache is stale" --id H9 && debugloop hypothesis set H9 rejected'
)
@click.argument("hypothesis_id", metavar="ID")
@click.argument("verdict", type=click.Choice(VERDICTS))
@click.option("--cite", multiple=True, metavar="RUN:LINE", help="A row that decides it; may be given again.")
def set_(call: Call, hypothesis_id: str, verdict: str, cite: tuple[str, ...]) -> None:
    """Record a verdict, with the rows that decide it."""
    session = call.open()
    judged = hypotheses.judge(session, hypothesis_id, verdict, cite)
    touch_agent(session)
    described = hypotheses.as_json(session, judged)
    call.answer(described, _line(described))


@verb(name="list", example="debugloop hypothesis list")
def list_(call: Call) -> None:
    """List the hypotheses with their verdicts and citations. Stale ones cite rows that were cleared since."""
    session = call.open()
    described = [hypotheses.as_json(session, each) for each in ledger.load(session)]
    if not described:
        call.say('There are no hypotheses yet: `debugloop hypothesis add "…"`.')
    call.answer(described, "\n".join(map(_line, described)))


command.add_command(add)
command.add_command(set_)
command.add_command(list_)


def _line(described: dict[str, Any]) -> str:
    cited = [f"{cite} (stale)" if cite in described["stale"] else cite for cite in described["citations"]]
    return f"{described['id']:<4} {described['verdict']:<12} {visible(described['text'])}" + (
        f"  [{', '.join(cited)}]" if cited else ""
    )
