"""The opening of a log that is long already: its last page first, and all before it when it has been read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from debugloop_overlay.kept import Rows

if TYPE_CHECKING:
    from debugloop.session.records import Row

PAGE: Final = 65_536
"""Bytes of the last page: more than any screen holds of ordinary rows."""


@dataclass(slots=True)
class Older:
    """What stands before the last page: its first row, and its events.

    ``same``: the rows of that page, now with their line numbers.
    """

    first: Row | None = None
    rows: Rows = field(default_factory=Rows)
    same: list[Row] = field(default_factory=list["Row"])


class Opening:
    """Puts together what is read from the start on, until the rows of the last page have come."""

    def __init__(self, page: int) -> None:
        self._page = page
        self._older = Older()

    def add(self, rows: list[Row], *, before_page: bool) -> tuple[Older, list[Row]] | None:
        """Take rows, all from before the page or none; gives the older ones and the newer ones once it is whole."""
        older = self._older
        if before_page:
            older.first = older.first or next(iter(rows), None)
            older.rows.extend(row for row in rows if not row.steps)
            return None
        older.same += rows
        if len(older.same) < self._page:
            return None
        newer = older.same[self._page :]
        del older.same[self._page :]
        return older, newer
