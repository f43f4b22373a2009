"""A search in the log: all rows that are shown and hold a pattern, and the way from one to the next."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from debugloop_overlay.sieve import Sieve

if TYPE_CHECKING:
    from debugloop.evidence.search import Pattern
    from debugloop.session.records import Row
    from debugloop_overlay.kept import Rows
    from debugloop_overlay.lens import Conditions

FIRST: Final = 0.008
"""Seconds that are spent at once; what is not found by then is looked for in slices."""


class Finder:
    """The matches of a pattern, found little by little; at most one is being looked for."""

    def __init__(self, rows: Rows, conditions: Conditions, pattern: Pattern) -> None:
        self.pattern = pattern
        self.wrapped = False
        """The latest match was found past the end, or the start, of the log."""
        self._rows = rows
        self._conditions = conditions
        self._sieve = Sieve(rows, self._meets)
        self._wanted: tuple[int, int] | None = None

    def _meets(self, row: Row) -> bool:
        return self.pattern.matches(row) and self._conditions.meets(row)

    @property
    def done(self) -> bool:
        return self._sieve.done

    @property
    def count(self) -> int:
        """Matches that are known."""
        return len(self._sieve.hits)

    def place(self, number: int | None) -> int:
        """Which match this row is, from 1; 0 for none."""
        if number is None or self._sieve.before(number + 1) != number:
            return 0
        return self._sieve.place(number)

    def forget_dropped(self) -> None:
        self._sieve.forget_dropped()

    def work(self, until: float) -> int | None:
        """Go on until then; gives the match that was looked for, once it is certain."""
        self._sieve.work(until)
        return self._found()

    def look(self, start: int, step: int) -> int | None:
        """The first match from a row on, downwards (1) or upwards (-1), then from the other end.

        None: there is no match, or `work` will give it.
        """
        self._wanted = (start, step)
        until = time.perf_counter() + FIRST
        number = start
        while self._rows.first <= number < self._rows.end and time.perf_counter() < until:
            if self._meets(self._rows[number]):
                self._wanted = None
                self.wrapped = False
                return number
            number += step
        return self._found()

    def _found(self) -> int | None:
        if self._wanted is None:
            return None
        start, step = self._wanted
        sieve, hits = self._sieve, self._sieve.hits
        # all between the lowest row that was looked at and the end is known
        found = sieve.before(start + 1) if step < 0 else sieve.after(start - 1) if sieve.low <= start else None
        if found is None and not sieve.done:
            return None
        self._wanted = None
        self.wrapped = found is None
        if found is None and hits:
            found = hits[0 if step > 0 else -1]
        return found
