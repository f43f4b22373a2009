"""``debugloop strip``: the probes go, every other byte stays."""

from __future__ import annotations

from pathlib import Path

import click

from debugloop.cli.verb import Call, verb
from debugloop.errors import SessionNotFound
from debugloop.evidence.visible import visible


@verb(example="debugloop strip --dry-run\ndebugloop strip")
@click.argument("paths", nargs=-1, type=click.Path(), metavar="[FILE]...")
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
def command(call: Call, paths: tuple[str, ...], dry_run: bool) -> None:
    """Remove the probes of this session, marker to marker, and leave every other byte as it is.

    Looks at all tracked and new files of the workspace, or only at each FILE or folder that is named; ignored files
    have to be named. Markers that do not pair stop it before any file is touched. A session that is gone can still be
    named with --session: its markers tell whose they are.
    """
    from debugloop.probes.scan import place_of
    from debugloop.probes.strip import strip

    if "" in paths:  # an unset variable of a script must not mean the whole folder
        raise click.UsageError("A FILE to strip has no name. Name it, or leave it away to look at the whole workspace.")
    session, top = _meant(call)
    named = [call.folder / path for path in paths] if paths else None
    stripped = strip(place_of(call.settings, top), session, named, dry_run=dry_run)
    probes = sum(len(each.probes) for each in stripped)
    files = [{"file": each.file, "probes": list(each.probes), "lines": list(each.lines)} for each in stripped]
    did = "Would remove" if dry_run else "Removed"
    lines = [f"{visible(each.file)}: {', '.join(each.probes)}" for each in stripped]
    lines.append(f"{did} {_count(probes, 'probe')} from {_count(len(files), 'file')}.")
    call.answer({"session": session, "files": files, "probes": probes, "dry_run": dry_run}, "\n".join(lines))


def _meant(call: Call) -> tuple[str, Path]:
    """The id of the session that is meant and its workspace; an id that was named needs no session any more."""
    try:
        session = call.open()
    except SessionNotFound as error:
        return error.id, error.workspace
    return session.id, Path(session.state().workspace)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
