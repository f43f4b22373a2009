"""Where ``:`` goes: ``120`` is a line of the run, ``14:03:10`` a time of the day, ``+5s`` one since the run began."""

from __future__ import annotations

import re
from bisect import bisect_left
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from debugloop_overlay.log_row import seconds_of

if TYPE_CHECKING:
    from datetime import tzinfo

    from debugloop_overlay.kept import Rows

_SINCE: Final = re.compile(r"\+(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|)")
_UNITS: Final = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}
_CLOCK: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d{1,6})?)?")
_LINE: Final = re.compile(r"\d{1,12}")
_NEIGHBOURS: Final = 100
"""Rows that are asked for the time of one that has none."""
_HALF_A_DAY: Final = timedelta(hours=12)


def find(rows: Rows, text: str, began: float | None, zone: tzinfo | None = None) -> int | None:
    """The number of the row that is meant, the last one where all are before; None where the text is no place.

    Rows stand in the order in which they arrived. A time is the first row that its program did not see before it.
    """
    if not rows:
        return None
    if _LINE.fullmatch(text):
        numbers = range(rows.first, rows.end)
        place = bisect_left(numbers, int(text), key=lambda number: rows[number].line)
        return min(place + rows.first, rows.end - 1)
    if since := _SINCE.fullmatch(text):
        start = _second(rows, rows.first) if began is None else began
        return _first_at(rows, start + float(since[1]) * _UNITS[since[2]])
    if clock := _CLOCK.fullmatch(text):
        return _first_at(rows, _moment(_second(rows, rows.end - 1), clock, zone))
    return None


def _first_at(rows: Rows, wanted: float) -> int:
    # each is looked at: the clocks of two programs may differ by any time
    times = ((number, seconds_of(row)) for number, row in enumerate(rows, rows.first))
    return next((number for number, second in times if second is not None and second >= wanted), rows.end - 1)


def _second(rows: Rows, number: int) -> float:
    """When a row was, or the nearest one before it that tells."""
    for each in range(number, max(number - _NEIGHBOURS, rows.first - 1), -1):
        second = seconds_of(rows[each])
        if second is not None:
            return second
    return 0.0


def _moment(last: float, clock: re.Match[str], zone: tzinfo | None) -> float:
    """The second at which it was that time, on the day of the last row or the day before."""
    end = datetime.fromtimestamp(last, UTC).astimezone(zone)
    microsecond = round(float(f"0{clock[4] or '.0'}") * 1_000_000) % 1_000_000
    moment = end.replace(hour=int(clock[1]), minute=int(clock[2]), second=int(clock[3] or 0), microsecond=microsecond)
    return (moment - timedelta(days=1) if moment - end > _HALF_A_DAY else moment).timestamp()
