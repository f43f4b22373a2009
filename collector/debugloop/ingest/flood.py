"""Flood control: a probe in a hot loop must not push out the one event that matters.

Once the log is half full, a key (an event's ``location``, else its ``message``) that holds more than a quarter of
what a log may hold keeps only every 2^k-th event. k is 1 just above the quarter and rises by one with each further
32nd part of the log, so however long a probe runs, its share grows like the logarithm of its events. Every other key
is kept until the log is full. The same events in the same order are always judged the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

import orjson

if TYPE_CHECKING:
    from debugloop.session.journal import Journal

_HALF: Final = 2
_QUARTER: Final = 4
_STEP: Final = 32
_CHUNK: Final = 1 << 20
_STAMP: Final = 64
"""Bytes that the journal adds to a record, about."""


def key_of(record: Mapping[str, Any]) -> str:
    """What an event is counted under. Events without location and message share one key."""
    location = record.get("location")
    if isinstance(location, str) and location:
        return location
    message = record.get("message")
    return message if isinstance(message, str) else ""


class Flood:
    """The shares of one log, always counted from what is in the file. ``log_bytes`` is what a log may hold."""

    def __init__(self, log_bytes: int) -> None:
        self._log_bytes = log_bytes
        self._held: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()
        self._counted = 0
        self._epoch: object = None
        self._partial = b""

    def may_thin(self, journal: Journal) -> bool:
        """Whether the log is half full. If so, what came into it since the last call is counted first."""
        if journal.size * _HALF < self._log_bytes:
            return False
        journal.look()
        size = journal.size
        if size < self._counted or journal.epoch != self._epoch:  # cleared, or another run
            self._held.clear()
            self._seen.clear()
            self._counted = 0
            self._partial = b""
            self._epoch = journal.epoch
        while self._counted < size and (data := journal.read(self._counted, min(size - self._counted, _CHUNK))):
            self._counted += len(data)
            self.count(data)
        return True

    def count(self, data: bytes) -> None:
        """Add the shares of lines that stand in the file. A last line without its LF waits for the next call."""
        *lines, self._partial = (self._partial + data).split(b"\n")
        for line in lines:
            try:
                value: object = orjson.loads(line)
            except orjson.JSONDecodeError:
                value = None
            key = key_of(cast("dict[str, Any]", value)) if isinstance(value, dict) else ""
            self._held[key] += len(line) + 1
        if len(self._partial) > _CHUNK:
            self._partial = b""

    def fits(self, size: int) -> bool:
        """Whether a record of ``size`` bytes still fits into the log, as far as was counted."""
        return self._counted + size + _STAMP <= self._log_bytes

    def every(self, key: str) -> int:
        """Of how many events of this key one is kept: 1, or a power of two."""
        over = self._held[key] * _QUARTER - self._log_bytes
        if over <= 0:
            return 1
        return 2 << (over * _STEP // (self._log_bytes * _QUARTER))

    def keeps(self, key: str) -> bool:
        """Judge the next event of a key."""
        every = self.every(key)
        if every == 1:
            return True
        self._seen[key] += 1
        return self._seen[key] % every == 0
