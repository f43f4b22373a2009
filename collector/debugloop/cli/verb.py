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
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import click
import orjson

from debugloop.cli.streams import write, write_json
from debugloop.errors import InvalidSessionId
from debugloop.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.shell_completion import CompletionItem

    from debugloop.session.session import Session

P = ParamSpec("P")


class Call:
    """One call of a verb: which session is meant and how it wants its answer."""

    def __init__(self, session: str | None, *, json: bool) -> None:
        if session == "":  # an unset variable of a script must not mean another session
            raise InvalidSessionId(session)
        self.session_id = session
        self.json = json
        self.settings = Settings.from_environment()

    @property
    def folder(self) -> Path:
        """The folder that the call was made in."""
        try:
            return Path.cwd()
        except FileNotFoundError:
            raise click.UsageError("The current folder is gone. Change into one that is there.") from None

    def open(self) -> Session:
        """The session that is meant (NoSession, SeveralSessions or SessionNotFound where none can be told)."""
        from debugloop.session.session import find

        return find(self.settings, self.folder, session_id=self.session_id, environment=os.environ)

    def answer(self, value: object, text: str) -> None:
        """Write one answer to stdout: the value as JSON for programs, else the text for people."""
        if self.json:
            write_json(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE))
        elif text:
            write(f"{text}\n")

    def say(self, text: str) -> None:
        """Narrate on stderr; programs that asked for JSON are spared."""
        if text and not self.json:
            click.echo(text, err=True)

    def note(self, value: object, text: str) -> None:
        """Say on stderr what belongs to an answer but is no part of its data, as JSON for programs."""
        click.echo(orjson.dumps(value) if self.json else text, err=True)


class Verb(click.Command):
    """A command whose help ends with an example that works."""

    example: str = ""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 -- click's signature
        """Write the example below the options."""
        with formatter.section("Example"):
            for line in self.example.splitlines():
                formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


def verb(
    example: str, *, name: str | None = None, context_settings: dict[str, Any] | None = None
) -> Callable[[Callable[Concatenate[Call, P], int | None]], Verb]:
    """Make a verb of a function: its first docstring line is the summary, ``example`` a call that works."""

    def decorate(function: Callable[Concatenate[Call, P], int | None]) -> Verb:
        @functools.wraps(function)
        def run(session: str | None, json: bool, *args: P.args, **kwargs: P.kwargs) -> int | None:
            return function(Call(session, json=json), *args, **kwargs)

        option = click.option(
            "--session", metavar="ID", shell_complete=_sessions, help="Which session, where there are several."
        )
        command = click.command(name, cls=Verb, context_settings=context_settings)(
            option(click.option("--json", is_flag=True, help="Answer and report errors as JSON.")(run))
        )
        command.example = example
        return command

    return decorate


def _sessions(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from debugloop.session.session import ids_beginning

    return [CompletionItem(each) for each in ids_beginning(incomplete)]


def clean(text: str | None) -> str | None:
    """An argument as true text: bytes that are no UTF-8 reach Python as lone surrogates, which no file can hold."""
    return text and text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
