"""stdout is data, stderr is narration: how both are opened, closed, and how an error is told on stderr."""

from __future__ import annotations

import os
import re
import sys
from io import TextIOWrapper

import click
import orjson

from debugloop.errors import DebugloopError

TRACEBACK = "DEBUGLOOP_TRACEBACK"
"""The variable that shows the traceback of an error of our own, for a bug report."""

_TOKEN = re.compile(r"[0-9a-f]{64}")


def open_streams() -> None:
    """Make stdout and stderr fit for any text, and harmless where the caller closed them.

    A descriptor that the caller closed is opened on nothing, so that no file of a session gets its number. What the
    encoding of a terminal cannot write is written as an escape.
    """
    while (spare := os.open(os.devnull, os.O_RDWR)) <= 2:  # noqa: PLR2004 -- stdin, stdout, stderr
        os.set_inheritable(spare, True)  # noqa: FBT003 -- its only argument
    os.close(spare)
    if not isinstance(sys.stdout, TextIOWrapper):
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if not isinstance(sys.stderr, TextIOWrapper):
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")


def close_stdout() -> None:
    """Hand on what stdout still holds; where nobody takes it, drop it, for Python would complain as it exits."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def report(error: Exception, *, as_json: bool) -> int:
    """Tell an error on stderr, as a sentence or as ``{"error", "message"}``; returns the exit code."""
    code, sentence, exit_code = _judge(error)
    sentence = _TOKEN.sub("…", sentence)
    try:
        if as_json:
            line = orjson.dumps({"error": code, "message": sentence}, option=orjson.OPT_APPEND_NEWLINE)
            sys.stderr.buffer.write(line)
            sys.stderr.flush()
        else:
            from debugloop.evidence.visible import visible

            click.echo("\n".join(map(visible, sentence.split("\n"))), err=True)
        if os.environ.get(TRACEBACK):
            import traceback

            click.echo(_TOKEN.sub("…", "".join(traceback.format_exception(error))), err=True)
    except OSError:  # nobody reads stderr: the exit code still tells
        pass
    return exit_code


def _judge(error: Exception) -> tuple[str, str, int]:
    """The code, the sentence and the exit code of an error."""
    if isinstance(error, DebugloopError):
        return error.code, str(error), error.exit_code
    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx else "debugloop"
        return "usage", f"{error.format_message()} See `{command} --help`.", error.exit_code
    if isinstance(error, click.ClickException):
        return "usage", error.format_message(), error.exit_code
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return "system_error", f"{where}{error.strerror}. Mend that and try again.", 1
    return (
        "bug",
        (
            f"debugloop met an error of its own ({type(error).__name__}: {error}); please report it as a bug, "
            f"with what the same command prints when {TRACEBACK}=1 is set."
        ),
        1,
    )
