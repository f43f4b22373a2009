"""All that the panel shows at one moment, frozen: the app makes it, the board shows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from debugloop_overlay.snapshot import Counts, RunSeen, Snapshot

if TYPE_CHECKING:
    from debugloop.session.actions import Action
    from debugloop_overlay.history import Comparison
    from debugloop_overlay.languages.words import Words
    from debugloop_overlay.paragraphs import Paragraph

Reading: TypeAlias = Literal["steps", "hypotheses", "compare", "palette", "details", "help"]
Entry: TypeAlias = Literal["note", "search", "filter", "goto"]
"""What a line is typed for."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question that y or n answers, and the action that y takes."""

    text: str
    action: Action


@dataclass(frozen=True, slots=True)
class View:
    """What is seen besides the rows of the log. Texts that are filled in already are visible text."""

    words: Words
    session: str
    directory: str
    log: str
    cap: int
    now: Snapshot = field(default_factory=Snapshot)
    counts: Counts = field(default_factory=Counts)
    question: Question | None = None
    past: RunSeen | None = None
    """An earlier run, while it is on the screen in place of the live one."""
    elapsed: int | None = None
    """Seconds since the live run began."""
    reading: Reading | None = None
    text: tuple[Paragraph, ...] = ()
    """The details that are read."""
    comparison: Comparison | None = None
    typed: str = ""
    """What the palette is searched for."""
    entering: Entry | None = None
    wrong: str = ""
    """What is wrong with what is typed."""
    note: str = ""
    feedback: str = ""
    collector: str = ""
    """What is the matter with the collector."""
    stale_rejection: bool = False
    """The latest rejection is of an earlier run: no longer worth a notice."""

    @property
    def seen(self) -> RunSeen:
        """The run that is on the screen: the live one, or an earlier one."""
        return self.past or RunSeen(self.now.run, self.now.steps, self.counts, self.now.heard)
