"""The runs of a session: what the rows of one say as they come, earlier ones read back, two compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from debugloop.evidence.query import counts
from debugloop.evidence.rows import moment_of
from debugloop.session import runs
from debugloop.session.records import Steps
from debugloop_overlay.snapshot import Counts, RunSeen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from debugloop.session.records import Row
    from debugloop.session.session import Session
    from debugloop_overlay.snapshot import Heard

_MOST_IDS: Final = 200
"""Ids of hypotheses that are told apart: a program may name a new one with each event."""
_COMPARED_BYTES: Final = 1_048_576


class Tally:
    """Counts the events of a run by hypothesis, and knows when it began."""

    def __init__(self) -> None:
        self.began: int | None = None
        self._heard: dict[str, int] = {}

    @property
    def heard(self) -> Heard:
        return tuple(self._heard.items())

    def add(self, rows: Sequence[Row]) -> None:
        """Count further rows."""
        if rows and rows[0].steps:
            self.began = _began(rows[0])
        for name, times in counts(rows).items():
            if name in self._heard or len(self._heard) < _MOST_IDS:
                self._heard[name] = self._heard.get(name, 0) + times


def _began(row: Row) -> int | None:
    stamp: object = row.record().get("_")  # a program may have appended the line: nothing of it is sure
    moment = moment_of(cast("dict[str, Any]", stamp).get("observed")) if isinstance(stamp, dict) else None
    try:
        return int(moment.timestamp() * 1000) if moment else None
    except (ValueError, OverflowError, OSError):
        return None


def neighbour(session: Session, run: int, step: int) -> int | None:
    """The run that is kept before ``run`` (-1) or after it (1); None where there is none."""
    kept = runs.kept(session)
    beside = [each for each in kept if each < run][-1:] if step < 0 else [each for each in kept if each > run][:1]
    return beside[0] if beside else None


def read(session: Session, run: int) -> tuple[RunSeen, list[Row]]:
    """A run and its rows. Raises RunNotFound, CorruptFile."""
    _, rows = runs.read(session, run)
    tally = Tally()
    tally.add(rows)
    return RunSeen(run, _steps(rows), Counts().plus(rows), tally.heard), rows


def _steps(rows: Sequence[Row]) -> Steps | None:
    if not rows or not rows[0].steps:
        return None
    record = rows[0].record()
    title, listed = record.get("title"), record.get("steps")
    steps = cast("list[object]", listed) if isinstance(listed, list) else []
    return Steps(title if isinstance(title, str) else None, tuple(map(str, steps)))


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two runs, and what ``evidence.compare`` found to differ between them."""

    before: int
    after: int
    found: dict[str, Any]


def compare_with_before(session: Session, run: int) -> Comparison | None:
    """Compare a run with the one that is kept before it; None where there is none. Raises RunNotFound, CorruptFile."""
    before = neighbour(session, run, -1)
    if before is None:
        return None
    # loads what only a comparison needs
    from debugloop.evidence.compare import compare

    _, old = runs.read(session, before)
    _, new = runs.read(session, run)
    return Comparison(before, run, compare(old, before, new, run, limit=_COMPARED_BYTES))
