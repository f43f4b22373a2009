"""``debugloop strip``: the probes go, every other byte stays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from debugloop.cli.verb import Call, verb
from debugloop.errors import SessionNotFound
from debugloop.evidence.visible import visible

if TYPE_CHECKING:
    from debugloop.probes.inserted import Inserted
    from debugloop.probes.strip import Stripped

_TEXT: Final = "holds a marker of this session, but is no comment line of its own. Remove it by hand."


@verb(example="debugloop strip --dry-run\ndebugloop strip")
@click.argument("paths", nargs=-1, type=click.Path(), metavar="[FILE]...")
@click.option("--probe", metavar="ID", help="Only this probe, such as 3 or the whole id.")
@click.option("--edited", is_flag=True, help="Also probes that were changed, or inserted by hand.")
@click.option("--dry-run", is_flag=True, help="Only show what would be removed.")
def command(call: Call, paths: tuple[str, ...], probe: str | None, edited: bool, dry_run: bool) -> None:
    """Remove the probes of this session, marker to marker, and leave every other byte as it is.

    Looks at all tracked and new files of the workspace and where `instrument` put probes, or only at each FILE or
    folder that is named; other ignored files have to be named. What was built meanwhile is told, and has to be built
    again. Markers that do not pair stop it before any file is touched, and so does a probe that is not as `instrument`
    inserted it, because it was changed, reformatted or inserted by hand: what would go is shown, and goes with
    --edited. Markers within a string or a notebook are named and stay. A session that is gone can still be named with
    --session: its markers tell whose they are.
    """
    from debugloop.probes.built import built
    from debugloop.probes.scan import place_of
    from debugloop.probes.strip import Choice, strip

    if "" in paths:  # an unset variable of a script must not mean the whole folder
        raise click.UsageError("A FILE to strip has no name. Name it, or leave it away to look at the whole workspace.")
    session, top, known, created = _meant(call)
    named = [call.folder / path for path in paths] if paths else None
    only = probe if probe is None or "/" in probe else f"{session}/{probe}"
    choice = Choice.of(known, only, edited=edited)
    place = place_of(call.settings, top)
    looked = strip(place, session, named, choice=choice, dry_run=dry_run)
    made = [*built(place, session, created)] if created is not None and named is None else []
    stripped = [each for each in looked if each.probes]
    text = [{"file": each.file, "line": line} for each in looked for line in each.text]
    probes = sum(len(each.probes) for each in stripped)
    answer = {
        "session": session,
        "files": [_as_json(each, dry_run=dry_run) for each in stripped],
        "probes": probes,
        "text": text,
        "built": [{"file": file, "probes": list(ids)} for file, ids in made],
        "dry_run": dry_run,
    }
    lines = [visible(line) for each in stripped if dry_run for line in each.diff.split("\n")]
    lines += [f"{visible(each.file)}: {', '.join(each.probes)}" for each in stripped]
    waiting = [probe for each in stripped for probe in each.edited]
    if dry_run and waiting and not edited:
        lines.append(f"Only with --edited, for they are not as `instrument` inserted them: {', '.join(waiting)}.")
    lines += [f"{visible(each.file)}:{line}: {_TEXT}" for each in looked for line in each.text]
    lines += [f"{visible(file)}: built, and still has {', '.join(ids)}. Build it again." for file, ids in made]
    did = "Would remove" if dry_run else "Removed"
    lines.append(f"{did} {_count(probes, 'probe')} from {_count(len(stripped), 'file')}.")
    call.answer(answer, "\n".join(lines))


def _as_json(each: Stripped, *, dry_run: bool) -> dict[str, Any]:
    told: dict[str, Any] = {"file": each.file, "probes": list(each.probes), "lines": list(each.lines)}
    return told | {"edited": list(each.edited), "diff": each.diff} if dry_run else told


def _meant(call: Call) -> tuple[str, Path, list[Inserted], float | None]:
    """The id of the session that is meant, its workspace, its probes, and when it began (seconds of the epoch).

    An id that was named needs no session any more.
    """
    from debugloop.probes import inserted

    try:
        session = call.open()
    except SessionNotFound as error:
        return error.id, error.workspace, [], None
    state = session.state()
    return session.id, Path(state.workspace), inserted.load(session.layout), state.created / 1000


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
