"""``debugloop overlay``: the panel, a program of its own."""

from __future__ import annotations

import os
import sys

import click

from debugloop.cli.verb import Call, verb


@verb(
    example="debugloop overlay --lang en",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def command(call: Call, options: tuple[str, ...]) -> None:
    """Open the panel DEBUG LOGS in this terminal: the steps, the live log, Reproduced, Resolved, Clear.

    Also as `debuglog`. Its own options: --split and --popup (tmux), --lang en or zh.
    """
    session = ["--session", call.session_id] if call.session_id else []
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-P", "-m", "debugloop_overlay", *session, *options])  # noqa: S606 -- no shell is wanted
