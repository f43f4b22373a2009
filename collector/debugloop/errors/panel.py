"""The panel and the terminal that is to show it."""

from __future__ import annotations

from debugloop.errors.base import DebugloopError


class PanelError(DebugloopError):
    """The panel cannot be shown where it was asked for."""


class TmuxRefused(PanelError):
    """There is no tmux around this terminal, or it cannot do what was asked."""

    code = "tmux_refused"
    reason: str

    def __str__(self) -> str:
        return f"tmux cannot show the panel: {self.reason}. Run `debuglog` in a terminal of its own."
