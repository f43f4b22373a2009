"""``debugloop report``: what was found, how it was proved and what became of the probes, as Markdown."""

from __future__ import annotations

from debugloop.cli.verb import Call, verb


@verb(example="debugloop report > report.md")
def command(call: Call) -> None:
    """Print one Markdown report for a pull request: bug, hypotheses with cited rows, comparison, fix, cleanup.

    Works while the session is open, and from what `finish` kept afterwards: name a finished one with --session.
    """
    from debugloop.agent.report import report

    session = call.open()
    text = report(session)
    call.answer({"session": session.id, "report": text}, text.rstrip("\n"))
