"""The collector cannot be started, reached or stopped."""

from __future__ import annotations

from debugloop.errors.base import DebugloopError


class CollectorError(DebugloopError):
    """The collector cannot be started, reached or stopped."""


class PortTaken(CollectorError):
    """A foreign program listens on the session's port."""

    code = "port_taken"
    port: int

    def __str__(self) -> str:
        return (
            f"Port {self.port} of this session is taken by another program. End that program, "
            "or run `debugloop start --new-endpoint` and replace the old URL in the code."
        )


class NoFreePort(CollectorError):
    """No port of the range could be bound."""

    code = "no_free_port"
    low: int
    high: int

    def __str__(self) -> str:
        return f"No port between {self.low} and {self.high} could be bound on 127.0.0.1. End a program that holds many."


class CollectorFailed(CollectorError):
    """The collector ended before it served, or did not answer in time."""

    code = "collector_failed"
    reason: str

    def __str__(self) -> str:
        return f"The collector did not start: {self.reason}. `debugloop serve` shows it in the foreground."


class CollectorRuns(CollectorError):
    """A collector in the foreground was asked for while one serves already."""

    code = "collector_runs"
    port: int | None

    def __str__(self) -> str:
        where = f" on port {self.port}" if self.port else ""
        return f"A collector already serves this session{where}. `debugloop stop` ends it; then run this again."


class EventsHindered(CollectorError):
    """What `doctor` finds on the way of events into the log. ``problems``: a sentence each, with its mending."""

    code = "events_hindered"
    problems: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.problems)


class PageUnreadable(CollectorError):
    """A page that `doctor` was to look at does not come."""

    code = "page_unreadable"
    page: str
    reason: str

    def __str__(self) -> str:
        return f"The page {self.page} cannot be read: {self.reason}. Start what serves it, and give its whole address."
