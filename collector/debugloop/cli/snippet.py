"""``debugloop snippet``: a probe to insert by hand."""

from __future__ import annotations

import click

from debugloop.cli.verb import Call, clean, verb


@verb(example="debugloop snippet javascript --hypothesis H1 --message 'item added' --data 'cart.total'")
@click.argument("language", metavar="LANG")
@click.option("--message", default="", help="What the event says.")
@click.option("--hypothesis", metavar="ID", help="The hypothesis that the event speaks to, such as H1.")
@click.option("--data", default="", metavar="'A, B'", help="Expressions of the language to log, by commas.")
@click.option("--capture", is_flag=True, help="At a page's entry point: record what goes wrong anywhere in it.")
@click.option("--level", help="The level of the event, such as info.")
@click.option("--location", default="", metavar="FILE:LINE", help="Where you are going to insert it.")
def command(
    call: Call,
    language: str,
    message: str,
    hypothesis: str | None,
    data: str,
    level: str | None,
    capture: bool,
    location: str,
) -> None:
    """Print a probe in a language, between its markers, to insert by hand where a statement can stand.

    It holds this session's address and log path, and an id of its own: print one for each place. `instrument` does
    the same, and looks first whether it fits.
    """
    from debugloop.probes.insert import snippet
    from debugloop.probes.languages import Event, by_name, check_capture, expressions

    if capture:
        check_capture(message, data, level)
    meant = by_name(language)
    event = Event(
        "",
        clean(location) or "",
        clean(message) or "",
        clean(hypothesis),
        clean(level),
        expressions(clean(data) or ""),
        capture,
    )
    probe, lines, imports = snippet(call.open(), meant, event)
    text, head = ("".join(f"{line}\n" for line in each) for each in (lines, imports))
    answer = {"probe": probe.id, "language": meant.name, "text": text, "imports": head}
    if head:
        call.say("The first region stands once in a file, behind the imports that are there.")
    call.answer(answer, f"{head}{text}".removesuffix("\n"))
