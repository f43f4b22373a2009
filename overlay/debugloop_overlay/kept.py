"""The rows of a run that the panel keeps, each under a number that never changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from debugloop.session.records import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST: Final = 150_000
"""Rows that are kept; a full log of ordinary events has a fifth of it. Older ones stay in the file."""


class Rows:
    """Rows from number ``first`` up to, without it, number ``end``.

    The first row that was ever given has number 0. Of a full log the last page comes first: what is older then gets
    numbers below 0, so that nothing that is on the screen has to move.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._rows: list[tuple[Any, ...]] = []
        """Plain tuples: Python's garbage collector soon lets go of those, while it would look at every Row again and
        again, and a key would wait for a tenth of a second."""
        self.first = 0
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, number: int) -> Row:
        return Row(*self._rows[number - self.first])

    @property
    def end(self) -> int:
        return self.first + len(self._rows)

    @property
    def total(self) -> int:
        """Rows of the run, those no longer kept included."""
        return self.dropped + len(self._rows)

    def place(self, number: int) -> int:
        """The place of a row in the run, from 1."""
        return number - self.first + self.dropped + 1

    def extend(self, rows: Sequence[Row]) -> bool:
        """Add newer rows; whether old ones had to be dropped."""
        self._rows += map(tuple, rows)
        surplus = len(self._rows) - self._most
        if surplus <= self._most // 10:
            return False
        del self._rows[:surplus]
        self.first += surplus
        self.dropped += surplus
        return True

    def complete(self, older: Sequence[Row], same: Sequence[Row], dropped: int = 0) -> None:
        """Add all older rows but for those ``dropped``; ``same`` are the first of those here, now with line numbers."""
        if self.dropped:  # so much came since that there is no room for older ones
            self.dropped += dropped + len(older)
            return
        self._rows[: len(same)] = map(tuple, (*older, *same))
        self.first -= len(older)
        self.dropped = dropped

    def clear(self) -> None:
        self._rows.clear()
        self.first = self.dropped = 0
