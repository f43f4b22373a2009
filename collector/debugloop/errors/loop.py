"""A step of the loop out of its order."""

from __future__ import annotations

from debugloop.errors.base import DebugloopError


class LoopError(DebugloopError):
    """A step of the loop out of its order."""


class UnreadResolved(LoopError):
    """New steps would bury the person's Resolved, which the agent has not read."""

    code = "unread_resolved"
    press: int
    run: int

    def __str__(self) -> str:
        return (
            f"The person pressed Resolved (press {self.press}, run {self.run}), and it has not been read. "
            "Run `debugloop wait` to read it; no new steps were published."
        )


class NotResolved(LoopError):
    """``finish`` before the person has said that the bug is resolved. ``last`` is their last word on this run."""

    code = "not_resolved"
    run: int
    last: str | None

    def __str__(self) -> str:
        word = f"The person's last word on run {self.run} is {self.last}" if self.last else "The person has not pressed"
        return (
            f"{word}, so this session cannot be finished: only the person can say Resolved, in the panel (`debuglog`) "
            "or with `debugloop press resolved`. Run `debugloop wait` until they do."
        )


class PressNotDelivered(LoopError):
    """``wait --after N`` acknowledges what no ``wait`` has returned."""

    code = "press_not_delivered"
    press: int

    def __str__(self) -> str:
        return f"`wait` has not returned a press {self.press}, so it cannot be acknowledged. Leave --after away."


class NothingPublished(LoopError):
    """A press about a run of which nobody was told how to reproduce it."""

    code = "nothing_published"
    action: str

    def __str__(self) -> str:
        return f"There are no steps and no events yet, so there is nothing to call {self.action}."


class RunChanged(LoopError):
    """The person answered about a run that is no longer the current one."""

    code = "run_changed"
    run: int
    current: int

    def __str__(self) -> str:
        return f"Run {self.current} was opened meanwhile, so nothing was sent for run {self.run}. Read its steps first."


class NoTerminal(LoopError):
    """Something that only a person may do, in a process without a terminal to ask them."""

    code = "no_terminal"
    what: str

    def __str__(self) -> str:
        return (
            f"Only a person may {self.what}, and this process has no terminal to ask one. "
            "Ask the person to press it in the panel (`debuglog`), or to run this command in a terminal."
        )


class Declined(LoopError):
    """The person answered no."""

    code = "declined"

    def __str__(self) -> str:
        return "Nothing was sent or changed."
