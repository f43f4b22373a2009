"""``debugloop strip``: the probes go, every other byte stays."""

from __future__ import annotations

from pathlib import Path

import click

from debugloop.cli.verb import Call, verb
from debugloop.errors import SessionNotFound
from debugloop.evidence.visible import visible


@verb(example="debugloop strip --dry-run\ndebugloop strip")
@click.argument("paths", nargs=-1, type=click.Path(), metavar="[FILE]...")
@click.option("--probe", metavar="ID", help="Only this probe, such as 3 or the whole id.")
@click.option("--edited", is_flag=True, help="Also probes that were changed since `instrument` inserted them.")
@click.option("--dry-run", is_flag=True, help="Only show what would be removed.")
def command(call: Call, paths: tuple[str, ...], probe: str | None, edited: bool, dry_run: bool) -> None:
    """Remove the probes of this session, marker to marker, and leave every other byte as it is.

    Looks at all tracked and new files of the workspace, or only at each FILE or folder that is named; ignored files
    have to be named. Markers that do not pair stop it before any file is touched, and so does a probe that is no
    longer as `instrument` inserted it: what would go is shown, and goes with --edited. A session that is gone can
    still be named with --session: its markers tell whose they are.
    """
    from debugloop.probes.scan import place_of
    from debugloop.probes.strip import Choice, strip

    if "" in paths:  # an unset variable of a script must not mean the whole folder
        raise click.UsageError("A FILE to strip has no name. Name it, or leave it away to look at the whole workspace.")
    session, top, known = _meant(call)
    named = [call.folder / path for path in paths] if paths else None
    only = probe if probe is None or "/" in probe else f"{session}/{probe}"
    choice = Choice(only, known, edited)
    stripped = strip(place_of(call.settings, top), session, named, choice=choice, dry_run=dry_run)
    probes = sum(len(each.probes) for each in stripped)
    files = [{"file": each.file, "probes": list(each.probes), "lines": list(each.lines)} for each in stripped]
    did = "Would remove" if dry_run else "Removed"
    if dry_run:
        files = [file | {"diff": each.diff} for file, each in zip(files, stripped, strict=True)]
    lines = [visible(line) for each in stripped if dry_run for line in each.diff.split("\n")]
    lines += [f"{visible(each.file)}: {', '.join(each.probes)}" for each in stripped]
    lines.append(f"{did} {_count(probes, 'probe')} from {_count(len(files), 'file')}.")
    call.answer({"session": session, "files": files, "probes": probes, "dry_run": dry_run}, "\n".join(lines))


def _meant(call: Call) -> tuple[str, Path, dict[str, str]]:
    """The id of the session that is meant, its workspace, and its probes' fingerprints by id.

    An id that was named needs no session any more.
    """
    from debugloop.probes import inserted

    try:
        session = call.open()
    except SessionNotFound as error:
        return error.id, error.workspace, {}
    known = {each.id: each.inside for each in inserted.load(session.layout)}
    return session.id, Path(session.state().workspace), known


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
