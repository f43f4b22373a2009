"""``debugloop scan``: what is left of the session, and of others."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import click

from debugloop.cli.verb import Call, verb
from debugloop.errors import NoSession
from debugloop.evidence.visible import visible
from debugloop.session.layout import workspace_of

if TYPE_CHECKING:
    from debugloop.probes.scan import Report

LEFTOVERS: Final = 4
"""The exit code while anything is left."""


@verb(example="debugloop scan --json")
@click.option("--staged", is_flag=True, help="Only what is staged, for a hook that runs before a commit.")
def command(call: Call, staged: bool) -> int | None:
    """Tell what is left of this session in the workspace, with file and line. Exit code 4: something is.

    Looks for its markers, address, token and log path in tracked, new and recently written ignored files, in the
    index, and in stashes and commits since the start; in files also for markers of other sessions and tools. Without
    a session, markers are all there is to look for. What is listed for review is no leftover. With --staged, whatever
    session there is or was: markers and addresses of any in what is about to be committed.
    """
    report = _report(call, staged=staged)
    lines = [
        f"{visible(each.file)}:{each.line}: {each.kind} ({visible(each.where)}): {visible(each.text)}"
        for each in report.leftovers
    ]
    lines += [f"{visible(each.file)}: review: {visible(each.text)}" for each in report.review]
    call.answer(report.as_json(), "\n".join(lines))
    found = len(report.leftovers)
    looked = "what is staged" if staged else f"{_count(report.files, 'file')} looked at"
    call.say(f"{_count(found, 'line') if found else 'Nothing'} left, in {looked}.")
    return LEFTOVERS if found else None


def _report(call: Call, *, staged: bool) -> Report:
    from debugloop.probes.scan import scan, scan_markers, scan_staged

    if staged:
        return scan_staged(call.settings, workspace_of(call.folder), os.environ)
    try:
        session = call.open()
    except NoSession as none:
        call.say(f"There is no session in {none.workspace}: only markers are looked for.")
        return scan_markers(call.settings, workspace_of(call.folder))
    return scan(session, everything=True)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
