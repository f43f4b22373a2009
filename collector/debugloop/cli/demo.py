"""``debugloop demo``: the whole loop on a real bug, with nothing left behind."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict

import click

from debugloop.cli.verb import Call, verb
from debugloop.errors import NoTerminal


@verb(example="debugloop demo")
@click.option("--panel", is_flag=True, help="Open the panel, and let a person press Reproduced and Resolved.")
def command(call: Call, panel: bool) -> None:
    """Show the whole loop on a small web shop with a real bug, in some seconds and without a question.

    A copy of the shop gets probes, its page is driven in headless Chromium (or by requests like those of the page,
    where there is none), the evidence decides between three hypotheses, the fix is verified by a second run, and
    every probe is removed and proved removed. All of it happens in a temporary folder. Exit code 1: something was not
    as it should be.
    """
    from debugloop.demo.narration import Story
    from debugloop.demo.player import Person, Played
    from debugloop.demo.stage import stage
    from debugloop.demo.story import Demo

    begun = time.monotonic()
    if panel and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NoTerminal("press the buttons of the demo")
    story = Story(sys.stdout, muted=call.json)
    with stage(call.settings) as (folder, cleanup, settings):
        person = Person(story) if panel else None
        if person:
            cleanup.callback(person.close)
        outcome = Demo(story, person or Played(story), settings, folder, cleanup).tell()
    seconds = round(time.monotonic() - begun, 1)
    story.part("Done", f"in {seconds} s; its folder, its session and all its processes are gone.")
    call.answer({**asdict(outcome), "seconds": seconds}, "")
