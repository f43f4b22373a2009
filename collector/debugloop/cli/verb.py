"""What all verbs share: ``--session``, ``--json``, an example in the help, and how they answer.

A verb is a function of a `Call` and of its own arguments. It returns None (done) or an exit code, writes data to
stdout by `Call.answer`, narrates on stderr by `Call.say`, and raises a DebugloopError for all that goes wrong:

    @verb(example="debugloop clear")
    def command(call: Call) -> None:
        \"\"\"Empty the log of this run.\"\"\"
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec

import click
import orjson

from debugloop.settings import Settings

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from debugloop.session.session import Session

P = ParamSpec("P")


class Call:
    """One call of a verb: which session is meant and how it wants its answer."""

    def __init__(self, session: str | None, *, json: bool) -> None:
        self.session_id = session
        self.json = json
        self.settings = Settings.from_environment()
        self.folder = Path.cwd()

    def open(self) -> Session:
        """The session that is meant (NoSession, SeveralSessions or SessionNotFound where none can be told)."""
        from debugloop.session.session import open_session

        return open_session(self.settings, self.session_id, self.folder, os.environ)

    def answer(self, value: object, text: str) -> None:
        """Write one answer to stdout: the value as JSON for programs, else the text for people."""
        if self.json:
            write(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE))
        elif text:
            click.echo(text)

    def say(self, text: str) -> None:
        """Narrate on stderr; programs that asked for JSON are spared."""
        if text and not self.json:
            click.echo(text, err=True)


def write(data: bytes) -> None:
    """Write bytes to stdout as they are and hand them on at once, so that a reader of a pipe sees them."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


class Verb(click.Command):
    """A command whose help ends with an example that works."""

    example: str = ""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 -- click's signature
        """Write the example below the options."""
        with formatter.section("Example"):
            for line in self.example.splitlines():
                formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


def verb(example: str, *, name: str | None = None) -> Callable[[Callable[Concatenate[Call, P], int | None]], Verb]:
    """Make a verb of a function: its first docstring line is the summary, ``example`` a call that works."""

    def decorate(function: Callable[Concatenate[Call, P], int | None]) -> Verb:
        @functools.wraps(function)
        def run(session: str | None, json: bool, *args: P.args, **kwargs: P.kwargs) -> int | None:
            return function(Call(session, json=json), *args, **kwargs)

        option = click.option(
            "--session", metavar="ID", shell_complete=_sessions, help="Which session, where there are several."
        )
        command = click.command(name, cls=Verb)(
            option(click.option("--json", is_flag=True, help="Answer and report errors as JSON.")(run))
        )
        command.example = example
        return command

    return decorate


def _sessions(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from debugloop.session.layout import workspace_of
    from debugloop.session.session import list_sessions

    here = list_sessions(Settings.from_environment(), workspace_of(Path.cwd()))
    return [CompletionItem(session.id) for session in here if session.id.startswith(incomplete)]


def controlling_terminal() -> int | None:
    """A descriptor of the person's terminal, whatever stdin is; None where the process has none."""
    try:
        return os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return None


def ask(question: str) -> bool | None:
    """Ask yes or no on the controlling terminal; None where there is none. Enter alone is no."""
    terminal = controlling_terminal()
    if terminal is None:
        return None
    try:
        os.write(terminal, f"{question} [y/N] ".encode())
        answer = os.read(terminal, 1024).decode(errors="replace")
    finally:
        os.close(terminal)
    return answer.strip().casefold() in {"y", "yes"}


def clean(texts: Sequence[str]) -> list[str]:
    """Arguments as true text: bytes that are no UTF-8 reach Python as lone surrogates, which no file can hold."""
    return [text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for text in texts]
