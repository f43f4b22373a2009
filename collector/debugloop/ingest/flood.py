"""Flood control: a probe in a hot loop must not push out the one event that matters.

Once the log is half full, a key (an event's ``location``, else its ``message``) that holds more than a quarter of
what a log may hold keeps only every 2^k-th event. k is 1 just above the quarter and rises by one with each further
32nd part of the log, so however long a probe runs, its share grows like the logarithm of its events. Every other key
is kept until the log is full. What is left out is counted by key. The same events in the same order are always
judged the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

_HALF: Final = 2
_QUARTER: Final = 4
_STEP: Final = 32
NO_KEY: Final = ""


def key_of(record: Mapping[str, object]) -> str:
    """What an event is counted under. Events without location and message share one key."""
    location = record.get("location")
    if isinstance(location, str) and location:
        return location
    message = record.get("message")
    return message if isinstance(message, str) else NO_KEY


class Flood:
    """The shares of one log. ``log_bytes`` is what a log may hold."""

    def __init__(self, log_bytes: int) -> None:
        self._log_bytes = log_bytes
        self._held: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()

    def recount(self, lines: Mapping[str, int]) -> None:
        """Begin anew from what the file holds: bytes by key."""
        self._held = Counter(lines)
        self._seen.clear()

    def stored(self, key: str, size: int) -> None:
        """Note bytes of a key that are in the file now."""
        self._held[key] += size

    def every(self, key: str, log_size: int) -> int:
        """Of how many events of this key one is kept, while the log has ``log_size`` bytes: 1, or a power of two."""
        over = self._held[key] * _QUARTER - self._log_bytes
        if log_size * _HALF < self._log_bytes or over <= 0:
            return 1
        return 2 << (over * _STEP // (self._log_bytes * _QUARTER))

    def keeps(self, key: str, log_size: int) -> bool:
        """Judge the next event of a key."""
        every = self.every(key, log_size)
        if every == 1:
            return True
        self._seen[key] += 1
        return self._seen[key] % every == 0
