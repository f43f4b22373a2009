"""``debugloop instrument``: a probe goes in before a line, every other byte stays."""

from __future__ import annotations

from pathlib import Path

import click

from debugloop.cli.verb import Call, clean, verb
from debugloop.evidence.visible import visible


@verb(
    example="debugloop instrument cart.js:42 --hypothesis H1 --message 'item added' --data 'cart.total, typeof price'"
)
@click.argument("place", metavar="FILE:LINE")
@click.option("--message", default="", help="What the event says.")
@click.option("--hypothesis", metavar="ID", help="The hypothesis that the event speaks to, such as H1.")
@click.option("--data", default="", metavar="'A, B'", help="Expressions of the file's language to log, by commas.")
@click.option("--level", help="The level of the event, such as info.")
@click.option("--language", metavar="LANG", help="The language, where the file's name does not tell it.")
@click.option("--dry-run", is_flag=True, help="Only show what would be inserted.")
def command(
    call: Call,
    place: str,
    message: str,
    hypothesis: str | None,
    data: str,
    level: str | None,
    language: str | None,
    dry_run: bool,
) -> None:
    """Insert a probe before a line of a file, so that it tells what holds just before that line runs.

    A parser tells first whether a statement can stand there, and whether all else keeps its meaning; if not, the file
    stays as it is and the nearest line is named. `strip` gives back the identical file.
    """
    from debugloop.probes import inserted
    from debugloop.probes.insert import Wanted, instrument, parse_place, plan
    from debugloop.probes.languages import expressions
    from debugloop.probes.scan import place_of

    file, line = parse_place(place)
    session = call.open()
    workspace = place_of(call.settings, Path(session.state().workspace))
    wanted = Wanted(
        clean(message) or "", clean(hypothesis), clean(level), expressions(clean(data) or ""), clean(language)
    )
    if dry_run:
        known = inserted.load(session.layout)
        probe = plan(session, workspace, call.folder / file, line, wanted, known)[-1]
    else:
        probe = instrument(session, workspace, call.folder / file, line, wanted)
    answer = {"probe": probe.id, "file": probe.file, "line": probe.line, "language": probe.language}
    did = "Would insert" if dry_run else "Inserted"
    call.answer(
        answer | {"dry_run": dry_run}, f"{did} {probe.id} in {visible(probe.file)}:{probe.line} ({probe.language})."
    )
