"""The panel beside or above the shell in tmux: a split, or a popup that comes back with each new run."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from debugloop.errors import LockBusy, TmuxRefused
from debugloop.session.files import open_private, read_bytes
from debugloop.session.locks import hold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from debugloop.session.session import Session

_WIDE: Final = 160
"""Columns from which a split stands beside the shell, not below."""
_LOOK_SECONDS: Final = 0.25
# tmux starts programs with its own environment, not with ours
_HANDED_ON: Final = ("DEBUGLOOP_", "LANG", "LC_", "NO_COLOR", "PYTHONPATH", "COVERAGE_")


def split(session: Session, language: str) -> None:
    """Open the panel in a split of the current window; returns as soon as it is there."""
    pane = _pane()
    wide = int(_tmux("display-message", "-p", "-t", pane, "#{pane_width}")) >= _WIDE
    command = _command(session, language)
    _tmux("split-window", "-h" if wide else "-v", "-d", "-t", pane, "-c", str(Path.cwd()), command)


def popup(session: Session, language: str) -> None:
    """Open the panel in a popup now and at each new run, until the session is finished; returns at once."""
    _pane()
    if "display-popup" not in _tmux("list-commands"):
        raise TmuxRefused("popups came with tmux 3.2")
    if not _tmux("list-clients"):
        raise TmuxRefused("no terminal is attached to it")
    subprocess.Popen(
        [sys.executable, "-P", "-m", "debugloop_overlay", "--session", session.id, "--lang", language, "--keep-popup"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def keep_popup(session: Session, language: str) -> None:
    """Show the popup, and again whenever a run is opened that it has not shown. One keeper for each session."""
    pane = _pane()
    try:
        keeper = hold(session.layout.popup_lock)
    except LockBusy:  # the other keeper shows the next runs; this one is shown at once
        _show(session, language, pane)
        return
    with keeper:
        shown = -1
        while (state := session.state()).mode == "debug" and _tmux_lives():
            if state.run == shown:
                time.sleep(_LOOK_SECONDS)
                continue
            os.truncate(session.layout.popup_lock, 0)
            _show(session, language, pane)
            shown = _shown_last(session)


def tell_shown(session: Session, run: int) -> None:
    """Tell the keeper which run the popup showed last, for it may close just when the next one is opened."""
    descriptor = open_private(session.layout.popup_lock, os.O_WRONLY | os.O_TRUNC | os.O_CREAT)
    os.write(descriptor, str(run).encode())
    os.close(descriptor)


def _shown_last(session: Session) -> int:
    told = read_bytes(session.layout.popup_lock) or b""
    return int(told) if told.isdigit() else session.state().run


def _show(session: Session, language: str, pane: str) -> None:
    """Open a popup and wait until it is closed."""
    _tmux(
        "display-popup",
        "-EE",  # what it says when it fails stays to be read
        "-t",
        pane,
        "-w",
        "90%",
        "-h",
        "90%",
        "-d",
        str(Path.cwd()),
        _command(session, language, "--in-popup"),
    )


def _command(session: Session, language: str, *more: str) -> str:
    environment = [f"{name}={value}" for name, value in os.environ.items() if name.startswith(_HANDED_ON)]
    panel = [sys.executable, "-P", "-m", "debugloop_overlay", "--session", session.id, "--lang", language, *more]
    return shlex.join(["env", *environment, *panel])


def _pane() -> str:
    if not os.environ.get("TMUX"):
        raise TmuxRefused("this terminal is not inside tmux")
    if shutil.which("tmux") is None:
        raise TmuxRefused("the command tmux is not found")
    return os.environ.get("TMUX_PANE", "")


def _tmux_lives(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the server that $TMUX names (socket,pid,session) still runs."""
    try:
        os.kill(int(environment["TMUX"].split(",")[1]), 0)
    except (KeyError, IndexError, ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


def _tmux(*arguments: str) -> str:
    done = subprocess.run(["tmux", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise TmuxRefused(done.stderr.strip() or f"tmux {arguments[0]} failed")
    return done.stdout.strip()
