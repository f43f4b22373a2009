"""``debugloop instrument``: a probe goes in before a line, every other byte stays."""

from __future__ import annotations

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
@click.option("--capture", is_flag=True, help="At a page's entry point: record what goes wrong anywhere in it.")
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
    capture: bool,
    language: str | None,
    dry_run: bool,
) -> None:
    """Insert a probe before a line of a file, so that it tells what holds just before that line runs.

    A parser tells first whether a statement can stand there, and whether all else keeps its meaning; if not, the file
    stays as it is and the nearest line is named. `strip` gives back the identical file. With --capture, one probe at
    the entry point of a page records console errors and warnings, uncaught errors, unhandled rejections, failed
    requests and navigation from then on.
    """
    from debugloop.agent.probing import put_in
    from debugloop.probes.insert import Wanted
    from debugloop.probes.languages import check_capture, expressions

    if capture:
        check_capture(message, data, level)
    wanted = Wanted(
        clean(message) or "", clean(hypothesis), clean(level), expressions(clean(data) or ""), clean(language), capture
    )
    answer = put_in(call.open(), call.folder, place, wanted, dry_run=dry_run)
    did = "Would insert" if dry_run else "Inserted"
    where = f"{visible(answer['file'])}:{answer['line']}"
    call.answer(answer, f"{did} {answer['probe']} in {where} ({answer['language']}).")
