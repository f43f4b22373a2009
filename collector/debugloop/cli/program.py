"""The group of all verbs, and how a command line ends: with an exit code, and never with a traceback."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import click

from debugloop import __version__
from debugloop.cli import INTERRUPTED
from debugloop.cli.streams import close_streams, report
from debugloop.evidence.streams import open_streams

if TYPE_CHECKING:
    from collections.abc import Sequence

PIPE_CLOSED = 141
"""The exit code where the reader of our output went away: 128 and SIGPIPE, as shells count it."""

COMPLETION = "_DEBUGLOOP_COMPLETE"
"""The variable by which a shell asks for completions."""

SECTIONS = {
    "The loop": ("start", "hypothesis", "instrument", "steps", "wait", "logs", "strip", "scan", "finish", "report"),
    "Probes": ("snippet", "probes"),
    "For the person": ("overlay", "press", "demo"),
    "The session": ("status", "sessions", "clear", "stop", "serve", "gc", "completion"),
    "For agent hosts": ("install", "doctor", "mcp"),
}
"""Every verb, as the help shows them. Each is the attribute ``command`` of ``debugloop.cli.<verb>``."""


class Program(click.Group):
    """The command itself: it knows the names of all verbs and imports only the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click's signature
        """The names of all verbs, in the order of the loop."""
        return [name for names in SECTIONS.values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one verb; None for a name that is no verb."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command = import_module(f"debugloop.cli.{cmd_name}").command
        assert isinstance(command, click.Command)  # noqa: S101 -- tells the type checkers
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs by section."""
        for title, names in SECTIONS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(title):
                formatter.write_dl([(name, command.get_short_help_str(200)) for name, command in commands if command])


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, package_name="debugloop", message="%(prog)s %(version)s")
def program() -> None:
    """A Debug mode for any coding agent.

    State hypotheses, add probes, let a person reproduce the bug, read what the probes said, fix it, and prove that
    every probe is gone. `debugloop start` begins, and says how to go on.
    """


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns the exit code. Only Ctrl-C before the first line of this function passes."""
    open_streams()
    try:
        code = _invoke(list(arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except click.exceptions.Exit as leave:
        code = leave.exit_code
    except BrokenPipeError:
        code = PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 -- the one place where an error becomes a sentence
        code = report(error, as_json="--json" in arguments)
    close_streams()
    return code


def _invoke(arguments: list[str]) -> int:
    instruction = os.environ.get(COMPLETION)
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(program, {}, "debugloop", COMPLETION, instruction)
    with program.make_context("debugloop", arguments) as context:
        code: object = program.invoke(context)
    return code if isinstance(code, int) else 0
