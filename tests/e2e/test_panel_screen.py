"""The panel in a real GNU screen: every action works with plain keys there too."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Self

import pytest

from debugloop.session import actions
from debugloop.session.locks import is_held
from debugloop.session.records import Steps
from tests.overlay.house import append, publish
from tests.overlay.terminal import PANEL, Pty
from tests.support import GENEROUS, clean_environment, require, until

if TYPE_CHECKING:
    from pathlib import Path

    from debugloop.session.session import Session


class Screen:
    """A GNU screen of its own, shown in a terminal of 80 by 24, with the panel in its window."""

    def __init__(self, home: Path, workspace: Path, folder: Path) -> None:
        self._program = require("screen")
        sockets = folder / "s"
        sockets.mkdir(mode=0o700)
        self._environment = {"SCREENDIR": str(sockets), "TERM": "xterm-256color"}
        self._cwd, self._home, self._picture = workspace, home, folder / "picture"
        command = [self._program, "-c", os.devnull, "-U", "-S", "panel", *PANEL]
        self.terminal = Pty(command, home, workspace, SCREENDIR=str(sockets), TERM="xterm-256color")

    def run(self, *command: str) -> bool:
        """One command to the running screen; whether it was taken."""
        done = subprocess.run(
            [self._program, "-S", "panel", "-p", "0", "-X", *command],
            cwd=self._cwd,
            env=clean_environment(self._home, **self._environment),
            capture_output=True,
            timeout=GENEROUS,
            check=False,
        )
        return done.returncode == 0

    def sees(self, *texts: str) -> None:
        """Wait until all of these are in the window."""

        def shown() -> bool:
            self.run("hardcopy", str(self._picture))
            # screen writes it by itself, at some time after the command has ended, and not as UTF-8
            picture = self._picture.read_text(errors="replace") if self._picture.exists() else ""
            return all(text in picture for text in texts)

        until(shown, what=f"{texts} in the window")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.run("quit")
        self.terminal.__exit__()


@pytest.fixture
def screen(home: Path, workspace: Path, session: Session, tmp_path_factory: pytest.TempPathFactory) -> Screen:
    publish(session, Steps("Wrong total", ("Open the cart",)))
    return Screen(home, workspace, tmp_path_factory.mktemp("s"))


def test_every_action_works_by_plain_keys_and_the_window_is_given_back(screen: Screen, session: Session) -> None:
    terminal = screen.terminal
    with screen:
        screen.sees("DEBUG LOGS", "1. Open the cart", "[r Reproduced]")
        append(session, {"location": "cart.js:42", "message": "total"})
        screen.sees("cart.js:42", "total")
        terminal.type("r")
        until(lambda: [each.action for each in actions.presses(session)] == ["reproduced"])
        terminal.type("\t")
        screen.sees("[R Resolved]")
        terminal.type("\x1b[D\x1b[D\r")
        screen.sees("[C Clear]", "y yes")
        terminal.type("y")
        until(lambda: [each.action for each in actions.presses(session)] == ["reproduced", "clear"])
        screen.sees("Run 1 is empty")
        append(session, {"message": "after the clear"})
        screen.sees("after the clear")
        terminal.type("na note\r")
        terminal.type("Ry")
        until(lambda: [each.note for each in actions.presses(session)] == [None, None, "a note"])
        terminal.type("q")
        assert terminal.process.wait(GENEROUS) == 0
    assert not is_held(session.layout.panel_lock)
