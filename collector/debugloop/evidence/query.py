"""Which rows of a run are meant: filters over what the usual keys of an event say.

A filter first looks for its bytes in the line, which costs a hundredth of reading it as JSON, and reads only the lines
that hold them. Malformed rows have no keys, so only the text filter can meet them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast

import orjson

from debugloop.errors import InvalidTime

if TYPE_CHECKING:
    from debugloop.evidence.search import Filter
    from debugloop.session.records import Row

UNTAGGED: Final = ""
"""The hypothesis of an event that names none."""

LETTERS: Final = "TDIWEF"
"""The levels by their letters, the least grave first."""
_ERRORS: Final = frozenset("EF")

_LIST = re.compile(r"\s*[,;]\s*")


@dataclass(frozen=True, slots=True)
class Query:
    """Filters; a row must meet all that are given. Texts ignore the case of letters.

    ``hypothesis`` and ``level`` are whole values, ``location`` and ``text`` parts of one; ``probe`` is an id, or what
    stands behind the session in it. ``after`` is a line number: the cursor of an earlier answer. ``since`` and
    ``until`` are moments by the program's own clock; an event without one is not between them. ``filter`` is about what
    a row shows; ``least`` the index in LETTERS of the least grave level.
    """

    hypothesis: str | None = None
    level: str | None = None
    location: str | None = None
    text: str | None = None
    after: int = 0
    since: datetime | None = None
    until: datetime | None = None
    probe: str | None = None
    filter: Filter | None = None
    least: int = 0

    @property
    def keeps_all(self) -> bool:
        """Whether it asks for nothing but a place to begin."""
        names_none = self.hypothesis is self.level is self.location is self.text is self.probe is None
        return names_none and not (self._timed or self.filter or self.least)

    @property
    def wanted(self) -> bytes | None:
        """What every line that is meant holds in small letters, as it stands in the file: for `runs.read` to search.

        The text filter is not among it: it looks at what redaction left.
        """
        named = (self.hypothesis, self.location, self.probe)
        return max((part.lower().encode() for part in named if part and _is_plain(part)), key=len, default=None)

    @property
    def keeps_probes(self) -> bool:
        """Whether all events of a probe are meant, or none: where it asks for nothing but a hypothesis."""
        return self == Query(hypothesis=self.hypothesis)

    def matches(self, row: Row) -> bool:
        """Whether the row is meant."""
        if row.line <= self.after or not self._is_shown(row):
            return False
        if self.keeps_all:
            return True
        if row.malformed:
            keyed = self.hypothesis or self.level or self.location or self.probe or self._timed
            return not keyed and _holds(row.text, self.text)
        if not self._may_mean(row.raw):
            return False
        record = row.record()
        if self.hypothesis is not None and not _is_among(self.hypothesis, hypotheses_of(record)):
            return False
        if self.level is not None and level_of(record) != _level(self.level):
            return False
        if not _holds(text_of(record.get("location")), self.location):
            return False
        if self.probe is not None and not _is_probe(text_of(record.get("probe")), self.probe):
            return False
        if self._timed and not self._is_between(record.get("timestamp")):
            return False
        return self.text is None or any(_holds(text, self.text) for text in _texts(row.exact()))

    def _may_mean(self, raw: bytes) -> bool:
        for part in (self.hypothesis, self.location, self.text, self.probe):
            if part and not _may_hold(raw, part):
                return False
        return True

    def _is_shown(self, row: Row) -> bool:
        if self.least and gravity(row) < self.least:
            return False
        return self.filter is None or self.filter.matches(row)

    @property
    def _timed(self) -> bool:
        return self.since is not None or self.until is not None

    def _is_between(self, timestamp: object) -> bool:
        from debugloop.evidence.rows import moment_of

        moment = moment_of(timestamp)
        if moment is None:
            return False
        try:
            at = moment.timestamp()  # one without an offset is local
        except (ValueError, OverflowError, OSError):
            return False
        return (self.since is None or at >= self.since.timestamp()) and (
            self.until is None or at <= self.until.timestamp()
        )


def moment_from(text: str) -> datetime:
    """A moment as people and agents write it: ISO 8601, or milliseconds since the epoch. Raises InvalidTime."""
    try:
        number: object = float(text)
    except ValueError:
        number = text
    from debugloop.evidence.rows import moment_of

    moment = moment_of(number)
    if moment is None:
        raise InvalidTime(text)
    return moment


def select(rows: Iterable[Row], query: Query) -> Iterator[Row]:
    """The rows that are meant, in order."""
    return (row for row in rows if query.matches(row))


def hypotheses_of(record: dict[str, Any]) -> tuple[str, ...]:
    """The hypotheses that an event speaks for: ``"H1"``, ``"H1, H2"`` and ``["H1", "H2"]`` are all met in the field."""
    value: object = record.get("hypothesisId")
    if isinstance(value, str):
        return _names(value)
    if isinstance(value, list):
        return _names(",".join(map(text_of, cast("list[object]", value))))
    return _names(text_of(value))


@lru_cache(maxsize=256)
def _names(text: str) -> tuple[str, ...]:
    found = [name for name in _LIST.split(text.strip()) if name]
    return tuple(dict.fromkeys(found)) or (UNTAGGED,)


def counts(rows: Iterable[Row]) -> dict[str, int]:
    """How many events each hypothesis has, in order of occurrence, untagged ones under the empty id."""
    found: dict[str, int] = {}
    for row in rows:
        if not (row.steps or row.malformed):
            for name in hypotheses_of(row.record()):
                found[name] = found.get(name, 0) + 1
    return found


def level_of(record: dict[str, Any]) -> str:
    """The level of an event: its letter, so that WARN and warning are one; an unknown one as it is; empty for none."""
    return _level(text_of(record.get("level")))


def gravity(row: Row) -> int:
    """The index in LETTERS of a row's level; a row without one counts as Info, a malformed one as a Warning."""
    if row.malformed:
        return LETTERS.index("W")
    if b'"level"' not in row.raw and b"\\" not in row.raw:
        return LETTERS.index("I")
    letter = level_of(row.record())
    return LETTERS.index(letter if letter and letter in LETTERS else "I")


def errors_in(records: Iterable[dict[str, Any]]) -> int:
    """How many of these events are an Error or graver."""
    levels = Counter(text_of(record["level"]) for record in records if "level" in record)
    return sum(count for level, count in levels.items() if _level(level) in _ERRORS)


def text_of(value: object) -> str:
    """A value as text: a string as it is, nothing as the empty string, all else as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else orjson.dumps(value).decode()


def _level(text: str) -> str:
    # what makes rows readable is loaded where it is needed: many a query needs none of it
    from debugloop.evidence.rows import LEVELS

    name = text.strip().lower()
    return LEVELS.get(name, name)


def _holds(text: str, part: str | None) -> bool:
    return part is None or part.casefold() in text.casefold()


def _is_among(name: str, names: tuple[str, ...]) -> bool:
    return name in names or name.casefold() in map(str.casefold, names)


def _is_plain(part: str) -> bool:
    return part.isascii() and '"' not in part and "redacted" not in part.lower()


def _is_probe(text: str, probe: str) -> bool:
    return text.casefold() == probe.casefold() or text.casefold().endswith(f"/{probe.casefold()}")


def _may_hold(raw: bytes, part: str) -> bool:
    """Whether the part can stand in the line: certain only where neither is escaped nor needs Unicode's case rules."""
    if not (part.isascii() and raw.isascii()) or b"\\" in raw or '"' in part:
        return True
    return part.lower().encode() in raw.lower()


def _texts(record: dict[str, Any]) -> Iterator[str]:
    """Every key and scalar of an event as text, without the field that the collector added."""
    left: list[object] = [{key: value for key, value in record.items() if key != "_"}]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            for key, member in cast("dict[str, object]", value).items():
                yield key
                left.append(member)
        elif isinstance(value, list):
            left += cast("list[object]", value)
        else:
            yield text_of(value)
