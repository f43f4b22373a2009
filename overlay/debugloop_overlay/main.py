"""The command ``debuglog``: open the panel of a session in this terminal, in tmux, or as plain lines."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from debugloop.errors import DebugloopError, SeveralSessions
from debugloop.evidence.streams import open_streams
from debugloop.evidence.visible import visible
from debugloop.session import session as sessions
from debugloop.session.layout import workspace_of
from debugloop.session.pause import made_for_good
from debugloop.settings import Settings
from debugloop_overlay import languages

if TYPE_CHECKING:
    from collections.abc import Generator

    from click.shell_completion import CompletionItem

    from debugloop.session.session import Session
    from debugloop_overlay.languages.words import Words


def _complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(each) for each in sessions.ids_beginning(incomplete)]


@click.command(
    "debuglog",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: `debuglog --split` shows the panel below or beside this tmux pane.",
)
@click.option(
    "--session", "session_id", metavar="ID", shell_complete=_complete, help="Which session, where there are several."
)
@click.option("--lang", type=click.Choice(languages.LANGUAGES), help="The panel's language; else that of the locale.")
@click.option("--split", "place", flag_value="split", help="Open it in a split of this tmux window.")
@click.option("--popup", "place", flag_value="popup", help="Open it in a tmux popup, and again at each new run.")
@click.option("--in-popup", "place", flag_value="in_popup", hidden=True)
@click.option("--keep-popup", "place", flag_value="keep_popup", hidden=True)
def main(session_id: str | None, lang: str | None, place: str | None) -> None:
    """Open DEBUG LOGS, the panel of a debug session.

    It shows the reproduction steps and the live log, and sends Reproduced, Resolved and Clear to the agent.
    Where stdout is no terminal, it prints the rows as plain lines.
    """
    open_streams()
    try:
        code = _open(session_id, languages.choose(lang, os.environ), place)
    except DebugloopError as error:
        click.echo(visible(str(error)), err=True)
        code = error.exit_code
    except OSError as error:
        reason = visible(error.strerror or str(error)).lower()
        where = f" ({visible(str(error.filename))})" if error.filename else ""
        click.echo(f"The panel cannot go on: {reason}{where}. Mend that first.", err=True)
        code = 1
    _let_go_of_what_takes_nothing()
    sys.exit(code)


def _let_go_of_what_takes_nothing() -> None:
    """What could not be written, to a terminal that is gone or to a full disk, would be tried again as Python exits."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _open(session_id: str | None, words: Words, place: str | None) -> int:
    settings = Settings.from_environment()
    terminal = _can_show()
    try:
        session = sessions.find(settings, Path.cwd(), session_id=session_id)
    except SeveralSessions as several:
        if not terminal:
            raise
        here = sessions.in_folder(settings, workspace_of(Path.cwd()))
        chosen = _choose([each for each in here if each.id in several.ids], words)
        if chosen is None:
            return 0
        session = chosen
    if place in {"split", "popup", "keep_popup"}:
        from debugloop_overlay import tmux

        {"split": tmux.split, "popup": tmux.popup, "keep_popup": tmux.keep_popup}[place](session, words.code)
        return 0
    if not terminal:
        from debugloop_overlay.plain import follow_plainly

        return follow_plainly(session)
    return run_panel(session, words, popup=place == "in_popup")


def run_panel(session: Session, words: Words, *, popup: bool = False) -> int:
    """Show the panel in this terminal until it is closed; gives the exit code."""
    from debugloop_overlay.hangup import leave_without_terminal
    from debugloop_overlay.watcher import Watcher

    _believe_the_terminal()
    leave_without_terminal(session.settings.lock_seconds + 1)
    watcher = Watcher(session)
    watcher.start()  # it reads the log while Textual is loaded
    try:
        with made_for_good():
            from debugloop_overlay.app import Panel

        panel = Panel(watcher, words, popup=popup)
        with _stderr_on_the_terminal():
            panel.run()
    finally:
        watcher.stop()
    if popup:
        from debugloop_overlay.tmux import tell_shown

        tell_shown(session, panel.run_shown)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a press is waited for, at most as long as for a lock
    stored = panel.finish_storing(partial(click.echo, err=True))
    if panel.failure:
        told = "Every press is stored; open it again." if stored else "Open it again."
        click.echo(visible(f"The panel met an error of its own ({panel.failure}). {told}"), err=True)
        return 1
    return panel.return_code or int(not stored)


def _choose(here: list[Session], words: Words) -> Session | None:
    from debugloop_overlay.choose import Chooser

    with _stderr_on_the_terminal():
        return Chooser(here, words).run()


def _can_show() -> bool:
    """Whether a panel can be shown here."""
    return os.environ.get("TERM") != "dumb" and sys.stdin.isatty() and sys.stdout.isatty()


def _believe_the_terminal() -> None:
    """Drop a size that some parent exported: Textual would take it for that of this terminal."""
    if all(os.get_terminal_size(sys.stdout.fileno())):
        os.environ.pop("COLUMNS", None)
        os.environ.pop("LINES", None)


@contextmanager
def _stderr_on_the_terminal() -> Generator[None]:
    """Textual draws on stderr; where that was redirected, stdout's terminal takes its place while the panel is open."""
    if sys.stderr.isatty():
        yield
        return
    kept = os.dup(2)
    os.dup2(1, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
