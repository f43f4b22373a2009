"""From records to the file: secrets out, floods thinned, one write. Both ways of a request end here."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from debugloop.ingest.flood import Flood
from debugloop.session.journal import Journal
from debugloop.session.redact import Redactor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from debugloop.ingest.bodies import Event
    from debugloop.session.collector_file import CollectorFile
    from debugloop.session.records import Steps
    from debugloop.session.session import Session

KEYS_KEPT: Final = 50
"""Keys whose sampled events collector.json counts one by one; all are in the total."""
KEY_CHARS: Final = 200


class Outcome(Enum):
    """What became of an event: on file, left out by flood control, or refused by a full log."""

    STORED = 0
    SAMPLED = 1
    FULL = 2


class Intake:
    """The only writer of a collector's events. ``sampling`` and ``redacting`` may be switched while it runs."""

    def __init__(self, session: Session, token: str) -> None:
        self.sampling = True
        self.redacting = True
        self._journal = Journal(session)
        self._lock_seconds = session.settings.lock_seconds
        self._flood = Flood(session.settings.log_bytes)
        self._redactor = Redactor(token)
        self._sampled: Counter[str] = Counter()
        self._redacted = 0

    def store(self, events: Sequence[Event], patience: float | None = None) -> list[Outcome]:
        """Store a batch with one write; gives what became of each.

        Raises WriteFailed, SessionGone, or LockBusy after ``patience`` seconds (``lock_seconds`` if None): then nothing
        of it is stored.
        """
        records = [event.record for event in events]
        hidden: dict[int, int] = {}
        if self.redacting and self._redactor.may_hold_any(records):
            for place, record in enumerate(records):
                records[place], count = self._redactor.line(record)
                if count:
                    hidden[place] = count
        with self._journal.held(self._lock_seconds if patience is None else patience):
            if self.sampling and self._flood.may_thin(self._journal):
                outcomes = self._store_thinned(events, records)
            else:
                outcomes = [Outcome.STORED] * len(records)
                for place in self._journal.append(records):
                    outcomes[place] = Outcome.FULL
        if hidden:
            self._redacted += sum(count for place, count in hidden.items() if outcomes[place] is Outcome.STORED)
        return outcomes

    def open_run(self, steps: Steps, patience: float) -> int:
        """Open the next run; gives its number. Raises LockBusy after ``patience`` seconds, or as `Journal.new_run`."""
        with self._journal.held(patience):
            return self._journal.new_run(steps)

    def count(self, file: CollectorFile) -> CollectorFile:
        """collector.json with what was sampled and redacted since the last call of `counted`."""
        by_key = Counter(file.sampled_keys)
        for key, count in self._sampled.items():
            by_key[self._redactor.text(key)[0][:KEY_CHARS]] += count
        return replace(
            file,
            sampled=file.sampled + self._sampled.total(),
            sampled_keys=dict(by_key.most_common(KEYS_KEPT)),
            redacted=file.redacted + self._redacted,
        )

    def counted(self) -> None:
        """What `count` added is on file."""
        self._sampled.clear()
        self._redacted = 0

    @property
    def pending(self) -> bool:
        """Whether collector.json lacks any count."""
        return bool(self._sampled or self._redacted)

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def _store_thinned(self, events: Sequence[Event], records: list[bytes]) -> list[Outcome]:
        flood = self._flood
        outcomes = [Outcome.SAMPLED] * len(events)
        kept: list[int] = []
        for place, event in enumerate(events):
            # a full log is the first to be said, of any event
            if not flood.fits(len(records[place])) or flood.keeps(event.key):
                kept.append(place)
        full = self._journal.append([records[place] for place in kept])
        for number, place in enumerate(kept):
            outcomes[place] = Outcome.FULL if number in full else Outcome.STORED
        self._sampled.update(events[place].key for place, outcome in enumerate(outcomes) if outcome is Outcome.SAMPLED)
        return outcomes
