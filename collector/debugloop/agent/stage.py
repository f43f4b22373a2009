"""Where the loop of a session stands: told from its files alone, so that it is the same for everybody who looks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from debugloop.session.actions import FOR_THE_AGENT

if TYPE_CHECKING:
    from debugloop.session.actions import Press
    from debugloop.session.state import State

Stage: TypeAlias = Literal["investigating", "reproducing", "analysing", "resolved", "finished"]


def stage(state: State, presses: Sequence[Press]) -> Stage:
    """The stage of a session.

    ``investigating`` before the first steps, ``reproducing`` until the person presses in the current run,
    ``analysing`` after they reproduced (or said that no probe fired), ``resolved`` after they said so,
    ``finished`` after the end. Clear changes nothing.
    """
    if state.mode == "build":
        return "finished"
    said = [press.action for press in presses if press.run == state.run and press.action in FOR_THE_AGENT]
    if said:
        return "resolved" if said[-1] == "resolved" else "analysing"
    return "reproducing" if state.steps else "investigating"
