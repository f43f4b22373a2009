"""What the files of a session say at one moment, frozen: the watcher takes it, the widgets show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from debugloop.session.actions import Press
    from debugloop.session.collector_file import Rejection
    from debugloop.session.ledger import Hypothesis
    from debugloop.session.records import Row, Steps
    from debugloop.session.session import AgentState
    from debugloop.session.state import Mode

Collector: TypeAlias = Literal["running", "down", "none"]
"""``none``: the session has no endpoint, before its first start and after ``finish``."""


Heard: TypeAlias = tuple[tuple[str, int], ...]
"""How many events of a run speak for each hypothesis, by id; those that name none under the empty one."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A session as the panel shows it, but for its rows. ``problem`` is why it cannot be read, as a sentence."""

    mode: Mode = "debug"
    run: int = 0
    steps: Steps | None = None
    began: int | None = None
    """When the run began, or was last cleared: milliseconds since the epoch."""
    hypotheses: tuple[Hypothesis, ...] = ()
    heard: Heard = ()
    agent: AgentState = "away"
    collector: Collector = "none"
    port: int | None = None
    rejected: tuple[tuple[str, int], ...] = ()
    """How often each reason refused a request."""
    sampled: int = 0
    redacted: int = 0
    latest: tuple[Rejection, ...] = ()
    press: Press | None = None
    """The latest press of this run that is for the agent."""
    bytes: int = 0
    gone: bool = False
    """The log file is not there."""
    other_panel: bool = False
    problem: str | None = None

    @property
    def finished(self) -> bool:
        return self.mode == "build"


@dataclass(frozen=True, slots=True)
class Counts:
    """Rows of the run besides the steps, and how many of these are malformed."""

    events: int = 0
    malformed: int = 0

    def plus(self, rows: Iterable[Row], dropped: int = 0) -> Counts:
        """With these rows, too, and with some that are no longer kept."""
        events, malformed = self.events + dropped, self.malformed
        for row in rows:
            events += not row.steps
            malformed += row.malformed is not None
        return Counts(events, malformed)


@dataclass(frozen=True, slots=True)
class RunSeen:
    """The run that is on the screen."""

    run: int
    steps: Steps | None
    counts: Counts
    heard: Heard
