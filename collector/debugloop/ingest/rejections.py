"""What was refused, counted by reason and the last few kept whole: rejections are evidence.

A page that is refused sees it at best in its console. So each refusal goes into collector.json, where the panel,
``status`` and the agent read it, in at most a few writes a second however many there are.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from debugloop.session.collector_file import LATEST, CollectorFile, Rejection
from debugloop.session.journal import utc_now

INTERVAL: Final = 0.25
"""Seconds between two writes."""
_ORIGIN_CHARS: Final = 200
_UNSEEN = re.compile(r"[^!-~]")


class Rejections:
    """Refusals that collector.json does not hold yet. ``secret`` (the token) is masked in all that is kept."""

    def __init__(self, secret: str, changed: Callable[[], None]) -> None:
        self._secret = secret
        self._changed = changed
        self._counts: Counter[str] = Counter()
        self._latest: deque[Rejection] = deque(maxlen=LATEST)

    def add(
        self,
        code: str,
        *,
        records: int = 1,
        origin: str | None = None,
        size: int | None = None,
        mend: str | None = None,
    ) -> None:
        """Count ``records`` refused records (or requests) of one request."""
        self._counts[code] += records
        if origin is not None:
            # it came from a stranger: printable, short, without the token
            origin = _UNSEEN.sub("?", origin.replace(self._secret, "…").replace("…", "..."))[:_ORIGIN_CHARS]
        self._latest.append(Rejection(utc_now(), code, origin, size, mend))
        self._changed()

    @property
    def pending(self) -> bool:
        """Whether collector.json lacks any."""
        return bool(self._counts)

    def counted(self) -> None:
        """What `count` added is on file."""
        self._counts.clear()
        self._latest.clear()

    def count(self, file: CollectorFile) -> CollectorFile:
        """collector.json with what is pending."""
        rejected = dict(Counter(file.rejected) + self._counts)
        return replace(file, rejected=rejected, latest=(*file.latest, *self._latest)[-LATEST:])
