"""The rows of a run that the panel keeps, each under a number that never changes."""

from __future__ import annotations

from itertools import chain, count
from typing import TYPE_CHECKING, Any, Final

from debugloop.session.records import Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST: Final = 150_000
"""Rows that are kept; a full log of ordinary events has a fifth of it. Older ones stay in the file."""


class Rows:
    """Rows from number ``first`` up to, without it, number ``end``.

    The first row that was ever given has number 0. Of a full log the last page comes first: what is older then gets
    numbers below 0, so that nothing that is on the screen has to move.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._rows: list[bytes | tuple[Any, ...]] = []
        """An ordinary row as its bytes alone, its line being its number and ``_shift``; any other as a plain tuple.
        Bytes and such tuples are nothing for Python's garbage collector, which would look at every Row again and again
        while a key waits; and they take half the memory."""
        self._shift: int | None = None
        self.first = 0
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, number: int) -> Row:
        kept = self._rows[number - self.first]
        return Row(number + (self._shift or 0), kept) if isinstance(kept, bytes) else Row(*kept)

    def __iter__(self) -> Iterator[Row]:
        return map(self.__getitem__, range(self.first, self.end))

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

    def extend(self, rows: Iterable[Row]) -> bool:
        """Add newer rows; whether old ones had to be dropped."""
        self._rows += map(self._kept, rows, count(self.end))
        surplus = len(self._rows) - self._most
        if surplus <= self._most // 10:
            return False
        del self._rows[:surplus]
        self.first += surplus
        self.dropped += surplus
        return True

    def complete(self, older: Rows, same: Sequence[Row]) -> None:
        """Add all older rows; ``same`` are the first of those here, now with line numbers."""
        if self.dropped:  # so much came since that there is no room for older ones
            self.dropped += older.total
            return
        newer = [self[number] for number in range(self.first + len(same), self.end)]
        self._rows.clear()
        self._shift = None
        self.first -= len(older)
        self.extend(chain(older, same, newer))
        self.dropped += older.dropped

    def _kept(self, row: Row, number: int) -> bytes | tuple[Any, ...]:
        if self._shift is None:
            self._shift = row.line - number
        ordinary = row.malformed is None and not row.steps and row.line == number + self._shift
        return row.raw if ordinary else tuple(row)

    def clear(self) -> None:
        self._rows.clear()
        self._shift = None
        self.first = self.dropped = 0
