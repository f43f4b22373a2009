"""Who presses Reproduced and Resolved: the demo itself, or a person in the panel."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from debugloop.agent import loop
from debugloop.demo.held import held_back
from debugloop.errors import DemoFailed
from debugloop.session import actions
from debugloop.session.session import panel_state

if TYPE_CHECKING:
    from debugloop.demo.narration import Story
    from debugloop.session.session import Session

Wanted: TypeAlias = Literal["reproduced", "resolved"]

_LABELS: Final[dict[Wanted, str]] = {"reproduced": "Reproduced", "resolved": "Resolved"}
_OPEN_SECONDS: Final = 15.0
_LOOK_SECONDS: Final = 0.5


class Player(Protocol):
    """The person of the loop."""

    def asks(self, *, fixed: bool) -> list[str]:
        """Steps for the person to follow, behind those that the demo follows by itself."""
        ...

    def begin(self, session: Session) -> None:
        """Be there: steps were published."""
        ...

    def press(self, session: Session, run: int, wanted: Wanted) -> loop.Waited:
        """Press an action on a run; gives what the waiting agent is told."""
        ...


class Played:
    """The demo presses, through the same file as the panel, and says so."""

    def __init__(self, story: Story) -> None:
        self._story = story

    def asks(self, *, fixed: bool) -> list[str]:  # noqa: ARG002 -- as the protocol has it
        """Nobody is asked for anything."""
        return []

    def begin(self, session: Session) -> None:
        """Nothing is opened."""

    def press(self, session: Session, run: int, wanted: Wanted) -> loop.Waited:
        """Press at once, then wait as the agent does."""
        number = actions.press(session, wanted, run=run).number
        waited = loop.wait(session, _OPEN_SECONDS)
        if waited.press is None or waited.press.number != number:
            raise DemoFailed(f"press {number} did not reach the waiting agent")
        self._story.part("", f"The demo plays the person and presses {_LABELS[wanted]} (press {number}).")
        return waited


class Person:
    """A person presses in the panel: in a split of this tmux window, else in this terminal, in the story's place."""

    def __init__(self, story: Story, environment: Mapping[str, str] | None = None) -> None:
        self._story = story
        self._env = dict(os.environ if environment is None else environment)
        self._panel: subprocess.Popen[bytes] | None = None
        self._panes: set[str] = set()

    def asks(self, *, fixed: bool) -> list[str]:
        """What to press when all is done."""
        return [f"The demo did all this in a browser of its own; press {'Resolved' if fixed else 'Reproduced'} here"]

    def begin(self, session: Session) -> None:
        """Open the panel, unless it is open."""
        if self._panel is not None:
            return
        options: list[str] = []
        before: set[str] = set()
        if self._env.get("TMUX"):
            options, before = ["--split"], self._all_panes()
        else:
            self._story.hold()
        command = [sys.executable, "-P", "-m", "debugloop_overlay", "--session", session.id, *options]
        env = {**self._env, "DEBUGLOOP_HOME": str(session.settings.home), "DEBUGLOOP_SESSION": session.id}
        workspace = session.state().workspace
        with held_back():
            self._panel = subprocess.Popen(command, cwd=workspace, env=env)
        deadline = time.monotonic() + _OPEN_SECONDS
        while panel_state(session) == "closed":
            if self._panel.poll() not in {None, 0} or time.monotonic() > deadline:
                raise DemoFailed("the panel did not open")
            time.sleep(0.02)
        self._panes = self._all_panes() - before if before else set()

    def press(self, session: Session, run: int, wanted: Wanted) -> loop.Waited:
        """Wait until the person presses that; other presses are acknowledged and passed over."""
        self._story.part("", f"Press {_LABELS[wanted]} in the panel.")
        after = None
        while True:
            waited = loop.wait(session, _LOOK_SECONDS, after)
            if waited.status == wanted and waited.run == run:
                return waited
            after = waited.press.number if waited.press else None
            if waited.press is None and panel_state(session) == "closed":
                raise DemoFailed(f"the panel was closed before {_LABELS[wanted]} was pressed")

    def close(self) -> None:
        """Close the panel and give the terminal back to the story."""
        for pane in self._panes:
            self._tmux("kill-pane", "-t", pane)
        if self._panel is not None:
            self._panel.terminate()
            self._panel.wait()
        self._story.release()

    def _all_panes(self) -> set[str]:
        return set(self._tmux("list-panes", "-s", "-F", "#{pane_id}").split())

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(["tmux", *arguments], env=self._env, capture_output=True, text=True, check=False)
        return done.stdout
