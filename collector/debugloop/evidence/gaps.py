"""The silences between events, by the program's own clock."""

from __future__ import annotations

from operator import sub
from typing import TYPE_CHECKING, Any, Final

from debugloop.evidence.rows import moment_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from debugloop.session.records import Row

_FEWEST: Final = 3
"""Events of which one silence can be longer than the others."""
_MILLISECONDS: Final = 10**11
"""Numbers from here on are milliseconds, as `moment_of` reads them."""


def milliseconds(timestamp: object) -> float | None:
    """A timestamp as milliseconds since the epoch; None for what is none."""
    moment = moment_of(timestamp)
    try:
        return moment.timestamp() * 1000 if moment else None
    except (ValueError, OverflowError, OSError):
        return None


def longest_gap(rows: Sequence[Row], records: Sequence[dict[str, Any]], run: int) -> dict[str, Any] | None:
    """The longest silence between two of these events: ``{"after": "run:line", "ms"}``; None for fewer than three."""
    times: list[Any] = [record.get("timestamp") for record in records]
    if set(map(type, times)) != {int} or min(times) < _MILLISECONDS:
        pairs = [(row, time) for row, time in zip(rows, map(milliseconds, times), strict=True) if time is not None]
        rows, times = [row for row, _ in pairs], [time for _, time in pairs]
    if len(times) < _FEWEST:
        return None
    silences = list(map(sub, times[1:], times))
    longest = max(silences)
    if longest < 1:  # clocks of several processes may disagree and run back
        return None
    return {"after": f"{run}:{rows[silences.index(longest)].line}", "ms": round(longest)}
