"""``debugloop scan``: what is left of the session, and of others."""

from __future__ import annotations

from typing import Final

from debugloop.cli.verb import Call, verb
from debugloop.errors import NoSession
from debugloop.evidence.visible import visible
from debugloop.session.layout import workspace_of

LEFTOVERS: Final = 4
"""The exit code while anything is left."""


@verb(example="debugloop scan --json")
def command(call: Call) -> int | None:
    """Tell what is left of this session in the workspace, with file and line. Exit code 4: something is.

    Looks for its markers, address, token and log path in tracked, new and recently written ignored files, in the
    index, and in stashes and commits since the start; in files also for markers of other sessions and tools. Without
    a session, markers are all there is to look for. What is listed for review is no leftover.
    """
    from debugloop.probes.scan import scan, scan_markers

    try:
        session = call.open()
    except NoSession as none:
        call.say(f"There is no session in {none.workspace}: only markers are looked for.")
        report = scan_markers(call.settings, workspace_of(call.folder))
    else:
        report = scan(session, everything=True)
    lines = [
        f"{visible(each.file)}:{each.line}: {each.kind} ({visible(each.where)}): {visible(each.text)}"
        for each in report.leftovers
    ]
    lines += [f"{visible(each.file)}: review: {visible(each.text)}" for each in report.review]
    call.answer(report.as_json(), "\n".join(lines))
    found = len(report.leftovers)
    call.say(f"{_count(found, 'line') if found else 'Nothing'} left, in {_count(report.files, 'file')} looked at.")
    return LEFTOVERS if found else None


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
