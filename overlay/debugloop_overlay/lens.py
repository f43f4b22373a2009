"""Which rows of the log are shown, and how they are told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from debugloop.evidence.content import content
from debugloop.evidence.query import LETTERS, gravity, hypotheses_of
from debugloop_overlay.sieve import Sieve

if TYPE_CHECKING:
    from debugloop.evidence.search import Filter
    from debugloop.session.records import Row
    from debugloop_overlay.kept import Rows

_ERROR: Final = LETTERS.index("E")


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a row must meet to be shown.

    ``least``: the index in LETTERS of the least grave level; a row without a level counts as Info, a malformed one as
    a Warning. ``hypotheses``: one of these, the empty one for none. ``folds``: repeats are shown once.
    """

    filter: Filter | None = None
    least: int = 0
    hypotheses: tuple[str, ...] | None = None
    folds: bool = False

    @property
    def narrows(self) -> bool:
        """Whether rows are left out."""
        return self.filter is not None or self.least > 0 or self.hypotheses is not None

    def meets(self, row: Row) -> bool:
        """Whether the row is shown."""
        if self.least and gravity(row) < self.least:
            return False
        if self.hypotheses is not None and not _speaks_for(row, self.hypotheses):
            return False
        return self.filter is None or self.filter.matches(row)


class Shown:
    """The rows that are shown, by their numbers: all of them, or those that meet the conditions."""

    def __init__(self, rows: Rows, conditions: Conditions) -> None:
        self._rows = rows
        self._sieve: Sieve | None = None
        if conditions.narrows or conditions.folds:
            self._sieve = Sieve(rows, conditions.meets, content_of if conditions.folds else None)

    @property
    def done(self) -> bool:
        return self._sieve is None or self._sieve.done

    def work(self, until: float) -> bool:
        """Go on finding them until then; whether more rows, or others, are shown."""
        return self._sieve is not None and self._sieve.work(until)

    def forget_dropped(self) -> None:
        if self._sieve:
            self._sieve.forget_dropped()

    def __len__(self) -> int:
        return len(self._rows) if self._sieve is None else len(self._sieve.hits)

    @property
    def first(self) -> int:
        """The first one; there is one at least."""
        return self._rows.first if self._sieve is None else self._sieve.hits[0]

    @property
    def last(self) -> int:
        """The last one; there is one at least."""
        return self._rows.end - 1 if self._sieve is None else self._sieve.hits[-1]

    def after(self, number: int) -> int | None:
        if self._sieve:
            return self._sieve.after(number)
        return max(number + 1, self._rows.first) if number + 1 < self._rows.end else None

    def before(self, number: int) -> int | None:
        if self._sieve:
            return self._sieve.before(number)
        return min(number, self._rows.end) - 1 if number > self._rows.first else None

    def nearest(self, number: int) -> int:
        """This one, else the next above it, else the first; there is one at least."""
        before = self.before(number + 1)
        return self.first if before is None else before

    def repeats(self, number: int) -> int:
        """How many rows this one stands for."""
        return self._sieve.repeats(number) if self._sieve else 1

    def place(self, number: int) -> int:
        """How many up to this one are shown."""
        return self._sieve.place(number) if self._sieve else self._rows.place(number)


def is_error(row: Row) -> bool:
    """Whether an event is an Error or graver."""
    return gravity(row) >= _ERROR


def content_of(row: Row) -> bytes:
    """What makes two rows repeats of each other: all but their time."""
    return content(row, row.record())


def _speaks_for(row: Row, hypotheses: tuple[str, ...]) -> bool:
    return not row.malformed and any(each in hypotheses for each in hypotheses_of(row.record()))
