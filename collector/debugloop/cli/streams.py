"""stdout is data, stderr is narration: how both are opened, closed, and how an error is told on stderr."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress

import click
import orjson

from debugloop.agent.failures import TRACEBACK, masked, told

# DEL, the controls of C1, bidi controls and separators of lines, as UTF-8; in JSON they stand in strings only
_OBEYED = re.compile(rb"\x7f|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]")


def write(text: str) -> None:
    """Write visible text to stdout, and hand it on at once: the reader of a pipe may wait for it."""
    sys.stdout.write(text)
    sys.stdout.flush()


def write_json(data: bytes) -> None:
    """Write JSON to stdout, and hand it on at once.

    Characters that a terminal obeys, and JSON allows as they are, become escapes: it stays the same JSON value.
    """
    sys.stdout.flush()
    plain = data.isascii() and b"\x7f" not in data
    sys.stdout.buffer.write(data if plain else _OBEYED.sub(_escaped, data))
    sys.stdout.buffer.flush()


def _escaped(match: re.Match[bytes]) -> bytes:
    return b"\\u%04x" % ord(match[0].decode())


def close_streams() -> None:
    """Hand on what stdout and stderr still hold; what nobody takes is dropped.

    A stream whose flush failed keeps its text, and Python would try again while it exits, complain, and exit with 120.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def report(error: Exception, *, as_json: bool) -> int:
    """Tell an error on stderr, as a sentence or as ``{"error", "message"}``; returns the exit code."""
    code, sentence, exit_code = _judge(error)
    sentence = masked(sentence)
    with suppress(OSError):  # where nobody reads stderr, the exit code still tells
        if as_json:
            line = orjson.dumps({"error": code, "message": sentence}, option=orjson.OPT_APPEND_NEWLINE)
            sys.stderr.buffer.write(line)
            sys.stderr.flush()
        else:
            from debugloop.evidence.visible import visible

            click.echo("\n".join(map(visible, sentence.split("\n"))), err=True)
        if os.environ.get(TRACEBACK):
            import traceback

            click.echo(masked("".join(traceback.format_exception(error))), err=True)
    return exit_code


def _judge(error: Exception) -> tuple[str, str, int]:
    """The code, the sentence and the exit code of an error."""
    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx else "debugloop"
        return "usage", f"{error.format_message()} See `{command} --help`.", error.exit_code
    return told(error)
