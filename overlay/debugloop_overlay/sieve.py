"""Which rows meet a condition: found from the end backwards, a slice of time at a time, so that no key has to wait."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from debugloop.session.records import Row
    from debugloop_overlay.kept import Rows

_BLOCK: Final = 256
"""Rows that are looked at between two looks at the clock."""


class Sieve:
    """The numbers of the rows that meet a condition, in order.

    ``same`` folds repeats: of rows that are met one after the other and for which it gives the same, the first stands
    for all, and `repeats` tells how many they are.
    """

    def __init__(self, rows: Rows, meets: Callable[[Row], bool], same: Callable[[Row], bytes] | None = None) -> None:
        self._rows = rows
        self._meets = meets
        self._same = same
        self.low = self._high = rows.end
        """All rows from ``low`` to the end were looked at, but for those that came since."""
        self.hits: list[int] = []
        self._repeats: dict[int, int] = {}

    @property
    def done(self) -> bool:
        """Whether all rows were looked at."""
        return self.low <= self._rows.first and self._high >= self._rows.end

    def work(self, until: float) -> bool:
        """Look at rows until then (`time.perf_counter`), some at least; whether that changed what is met."""
        before = len(self.hits), len(self._repeats), self._high
        while not self.done:
            if self._high < self._rows.end:
                self._append(min(self._high + _BLOCK, self._rows.end))
            else:
                self._prepend(max(self.low - _BLOCK, self._rows.first))
            if time.perf_counter() >= until:
                break
        return before != (len(self.hits), len(self._repeats), self._high)

    def forget_dropped(self) -> None:
        """Forget what the rows no longer keep."""
        first = self._rows.first
        self.low, self._high = max(self.low, first), max(self._high, first)
        gone = bisect_left(self.hits, first)
        if self._same and gone:
            # of the rows that the last of them stood for, the oldest that is kept takes its place
            newer = self.hits[gone] if gone < len(self.hits) else self._high
            heir = next((number for number in range(first, newer) if self._meets(self._rows[number])), None)
            if heir is not None:
                self._repeats[heir] = self.repeats(self.hits[gone - 1])
                self.hits.insert(gone, heir)
        for number in self.hits[:gone]:
            self._repeats.pop(number, None)
        del self.hits[:gone]

    def repeats(self, number: int) -> int:
        """How many rows this one stands for."""
        return self._repeats.get(number, 1)

    def after(self, number: int) -> int | None:
        """The next one that is met."""
        at = bisect_right(self.hits, number)
        return self.hits[at] if at < len(self.hits) else None

    def before(self, number: int) -> int | None:
        """The one before that is met."""
        at = bisect_left(self.hits, number)
        return self.hits[at - 1] if at else None

    def place(self, number: int) -> int:
        """How many up to this one are met."""
        return bisect_right(self.hits, number)

    def _append(self, end: int) -> None:
        found, repeats = self._met(self._high, end)
        self._high = end
        self._join(self.hits, found, repeats)
        self.hits += found
        self._repeats |= repeats

    def _prepend(self, first: int) -> None:
        found, repeats = self._met(first, self.low)
        self.low = first
        self._join(found, self.hits, self._repeats, into=repeats)
        self.hits[:0] = found
        self._repeats |= repeats

    def _join(
        self, older: list[int], newer: list[int], repeats: dict[int, int], *, into: dict[int, int] | None = None
    ) -> None:
        """Let the last of the older stand for the first of the newer, too, where they are the same."""
        same = self._same
        if same is None or not older or not newer or same(self._rows[older[-1]]) != same(self._rows[newer[0]]):
            return
        kept = self._repeats if into is None else into
        kept[older[-1]] = kept.get(older[-1], 1) + repeats.pop(newer[0], 1)
        del newer[0]

    def _met(self, first: int, end: int) -> tuple[list[int], dict[int, int]]:
        rows, meets, same = self._rows, self._meets, self._same
        met = [number for number in range(first, end) if meets(rows[number])]
        if same is None:
            return met, {}
        found: list[int] = []
        repeats: dict[int, int] = {}
        last = None
        for number in met:
            content = same(rows[number])
            if content == last:
                repeats[found[-1]] = repeats.get(found[-1], 1) + 1
            else:
                found.append(number)
                last = content
        return found, repeats
