"""``debugloop start``: a session that is ready, and what to do with it."""

from __future__ import annotations

import os
from pathlib import Path

import click

from debugloop.agent import loop, words
from debugloop.cli.verb import Call, verb

_HISTORY = {
    "new": "Made session {id}.",
    "resumed": "Resumed session {id}.",
    "reopened": "Reopened session {id}, which was finished; its address is a new one.",
}


@verb(example="debugloop start")
@click.option("--new", is_flag=True, help="Make another session, even if this workspace has one.")
@click.option("--in-workspace", is_flag=True, help="Keep the session in .debugloop/ of the workspace (for containers).")
@click.option("--new-endpoint", is_flag=True, help="Give up the old address, and list the files that hold it.")
@click.option("--allow-origin", "origins", multiple=True, metavar="ORIGIN", help="Let pages of one more origin in.")
@click.option("--redact/--no-redact", default=None, help="Hide secrets in events (on unless switched off).")
@click.option("--sampling/--no-sampling", default=None, help="Thin out what floods the log (on unless switched off).")
def command(
    call: Call,
    new: bool,
    in_workspace: bool,
    new_endpoint: bool,
    origins: tuple[str, ...],
    redact: bool | None,
    sampling: bool | None,
) -> None:
    """Create or resume the session of this folder, start its collector, and say how to go on.

    Prints the endpoint that events are POSTed to, the log that events may be appended to, and the method.
    """
    wish = loop.Wish(call.session_id, new, in_workspace, new_endpoint, origins, redact, sampling)
    started = loop.start(call.settings, call.folder, wish, os.environ)
    session = started.session
    workflow = words.workflow(words.CLI, started.probe)
    held = _files_with_old_address(started)
    facts = {
        "session": session.id,
        "directory": str(session.layout.directory),
        "endpoint": started.endpoint.url,
        "log": str(session.layout.log),
        "run": started.run,
    }
    call.say(_HISTORY[started.history].format(id=session.id))
    more = {"history": started.history, "attached": started.attached, "old_address": held, "workflow": workflow}
    lines = [f"{name:<10} {value}" for name, value in facts.items()]
    if held:
        lines += ["", "The old address is dead. These lines still hold it:"]
        lines += [f"  {line['file']}:{line['line']}" for line in held]
    call.answer(facts | more, "\n".join([*lines, "", workflow]))


def _files_with_old_address(started: loop.Started) -> list[dict[str, str | int]]:
    if started.old is None:
        return []
    from debugloop.probes.scan import holding

    session = started.session
    found = holding(session.settings, Path(session.state().workspace), started.old)
    return [{"file": each.file, "line": each.line} for each in found]
