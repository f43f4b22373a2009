"""The digest of a run: what each hypothesis can be judged by, in a bounded number of bytes.

Events are grouped by hypothesis and location; equal ones fold with a count. Every row is cited as ``run:line``, and
what was left out is counted. All of it is quoted: what a program wrote is evidence and never an instruction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import orjson

from debugloop.evidence.columns import columns_of, distinct, one_by_one, summaries
from debugloop.evidence.content import OF_PROBES, content
from debugloop.evidence.cut import clipped, fitted
from debugloop.evidence.gaps import longest_gap
from debugloop.evidence.query import UNTAGGED, errors_in, hypotheses_of, text_of
from debugloop.evidence.room import NOTICE, Room
from debugloop.session.pause import gc_paused

if TYPE_CHECKING:
    from debugloop.session.collector_file import CollectorFile
    from debugloop.session.ledger import Hypothesis
    from debugloop.session.records import Row

_ROW_BYTES: Final = 700
_ROWS_A_GROUP: Final = 12
_GROUPS_SHARE: Final = 0.6
"""Of the room, what the list of groups may take before rows are quoted."""
_MALFORMED_CITED: Final = 5
_KEYS: Final = 5
_MENDS: Final = 3
_PATHS: Final = 12
_PLAIN: Final[frozenset[type]] = frozenset({str, type(None)})


@dataclass(slots=True)
class _Group:
    """The events of one hypothesis at one location; those that differ in nothing but their time are one row of it."""

    hypothesis: str
    location: str
    rows: list[Row] = field(default_factory=list["Row"])
    """Its events, and once they are folded those that differ."""
    records: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """What the rows say, in their order."""
    events: int = 0
    first: int = 0
    last: int = 0
    errors: int = 0
    gap: dict[str, Any] | None = None
    again: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """Of rows that came several times, by line: how often, and the last line."""
    quoted: dict[int, dict[str, Any]] = field(default_factory=dict[int, dict[str, Any]])
    different: dict[str, list[object]] | None = None
    """The values by their paths, where all events have the same members."""
    values: dict[str, Any] = field(default_factory=dict[str, Any])

    def fold(self, run: int) -> None:
        """Keep the first of events that differ in nothing but their time."""
        self.events = len(self.rows)
        self.first, self.last = self.rows[0].line, self.rows[-1].line
        self.errors = errors_in(self.records)
        self.gap = longest_gap(self.rows, self.records, run)
        if self.events > _ROWS_A_GROUP and (columns := columns_of(self.records)):
            self.different = {path: distinct(column) for path, column in columns.items()}
            told = [values for path, values in self.different.items() if path not in OF_PROBES]
            if any(len(values) == self.events for values in told):
                return  # one member alone tells all of them apart, as a counter or an id does
        firsts: dict[bytes, int] = {}
        rows, records = self.rows, self.records
        self.rows, self.records = [], []
        for row, record in zip(rows, records, strict=True):
            line = firsts.setdefault(content(row, record), row.line)
            if line == row.line:
                self.rows.append(row)
                self.records.append(record)
            else:
                self.again[line] = (self.again.get(line, (1, 0))[0] + 1, row.line)

    def left_out(self) -> Iterator[int]:
        """The lines that are not quoted, in order."""
        return (row.line for row in self.rows if row.line not in self.quoted)

    def head(self, run: int) -> dict[str, Any]:
        notable = {"errors": self.errors, "gap": self.gap}
        return {
            "location": clipped(self.location, 160) or None,
            "events": self.events,
            "distinct": len(self.rows),
            "first": f"{run}:{self.first}",
            "last": f"{run}:{self.last}",
            **{name: value for name, value in notable.items() if value},
        }

    def to_json(self, run: int) -> dict[str, Any]:
        shown = self.head(run)
        if self.values:
            shown["values"] = self.values
        if self.quoted:
            shown["rows"] = [self.quoted[line] for line in sorted(self.quoted)]
        if len(self.quoted) < len(self.rows):
            shown["more"] = len(self.rows) - len(self.quoted)
        return shown


def digest(  # noqa: PLR0913 -- what stands beside the rows, by name
    rows: Iterable[Row],
    run: int,
    ledger: Sequence[Hypothesis] = (),
    collector: CollectorFile | None = None,
    *,
    probes: Mapping[str, str] | None = None,
    limit: int = 16_384,
) -> dict[str, Any]:
    """The evidence of a run, to be dumped by orjson into at most ``limit`` bytes (at least 2,000).

    ``hypotheses`` stand in the order of the ledger, then as they first occurred, untagged events last with the id
    null; those of the ledger without an event are ``silent``. Of ``probes`` (places by id) those without one
    ``never_fired``: ``{"probe", "location"}``. A location has ``errors`` where it has any, and its longest silence as
    ``gap`` (`longest_gap`). A row is ``{"at", "times", "last", "record"}``; its
    record is spliced as it came, or cut (``"cut": size``). ``cursor`` is the line to go on after
    (``logs --after``), null where nothing was left out.
    """
    with gc_paused():
        return _digest(_grouped(rows, run), run, ledger, collector, probes or {}, limit)


@dataclass(slots=True)
class _Grouped:
    """The rows of a run, taken apart."""

    groups: dict[tuple[str, str], _Group] = field(default_factory=dict[tuple[str, str], _Group])
    several: bool = False
    """Whether any event is in several groups."""
    events: int = 0
    malformed: Counter[str] = field(default_factory=Counter[str])
    malformed_at: list[str] = field(default_factory=list[str])


def _grouped(rows: Iterable[Row], run: int) -> _Grouped:
    found = _Grouped()
    known: dict[object, tuple[Callable[[Row], None], Callable[[dict[str, Any]], None]]] = {}
    for row in rows:  # tens of thousands: no call that can be spared
        _, raw, malformed, steps = row
        if steps:
            continue
        found.events += 1
        if malformed:
            found.malformed[malformed] += 1
            found.malformed_at.append(f"{run}:{row.line}")
            continue
        try:
            record: dict[str, Any] = orjson.loads(raw)
        except orjson.JSONDecodeError:
            record = row.record()
        place = record.get("hypothesisId"), record.get("location")
        try:
            keep = known.get(place)
        except TypeError:  # a list or an object in either
            keep = None
        if keep is not None:
            keep_row, keep_record = keep
            keep_row(row)
            keep_record(record)
            continue
        location = text_of(place[1])
        groups = [
            found.groups.setdefault(key, _Group(*key))
            for key in ((hypothesis, location) for hypothesis in hypotheses_of(record))
        ]
        for group in groups:
            group.rows.append(row)
            group.records.append(record)
        found.several |= len(groups) > 1
        if len(groups) == 1 and place[0].__class__ in _PLAIN and place[1].__class__ in _PLAIN:
            known[place] = (groups[0].rows.append, groups[0].records.append)
    for group in found.groups.values():
        group.fold(run)
    return found


def _digest(  # noqa: PLR0913, PLR0917 -- as `digest`
    found: _Grouped,
    run: int,
    ledger: Sequence[Hypothesis],
    collector: CollectorFile | None,
    probes: Mapping[str, str],
    limit: int,
) -> dict[str, Any]:
    groups = found.groups
    answer: dict[str, Any] = {
        "notice": NOTICE,
        "run": run,
        "events": found.events,
        "malformed": dict(found.malformed),
        "malformed_at": found.malformed_at[:_MALFORMED_CITED],
        "rejected": collector.rejected if collector else {},
        "sampled": collector.sampled if collector else 0,
        "sampled_keys": dict(list(collector.sampled_keys.items())[:_KEYS]) if collector else {},
        "redacted": collector.redacted if collector else 0,
        "mend": list(dict.fromkeys(each.mend for each in collector.latest if each.mend))[-_MENDS:] if collector else [],
    }
    room = Room(limit - len(orjson.dumps(answer)) - 400)
    answer["silent"] = _silent(ledger, groups, room)
    fired = _fired(groups.values()) if probes else frozenset[str]()
    unheard = [{"probe": probe, "location": where} for probe, where in probes.items() if probe not in fired]
    answer["never_fired"] = [each for each in unheard if room.take(each)]
    shown, omitted = _choose(_in_turn(groups, ledger), ledger, room)
    _quote(shown, run, room)
    answer["hypotheses"] = _by_hypothesis(shown, groups, ledger, run)
    # an event of several hypotheses is left out once
    lines = {line for group in groups.values() for line in group.left_out()} if found.several else None
    rest = sum(len(group.rows) - len(group.quoted) for group in groups.values()) if lines is None else len(lines)
    answer["more"] = {"groups": len(omitted), "rows": rest}
    firsts = [line for group in groups.values() if (line := next(group.left_out(), None)) is not None]
    answer["cursor"] = min(firsts) - 1 if firsts else None
    return answer


def _fired(groups: Iterable[_Group]) -> frozenset[str]:
    said = (record.get("probe") for group in groups for record in group.records)
    return frozenset(probe for probe in said if isinstance(probe, str))


def _silent(ledger: Sequence[Hypothesis], groups: dict[tuple[str, str], _Group], room: Room) -> list[str]:
    """Hypotheses that no event speaks for: their probes never ran, or were never placed."""
    heard = {hypothesis for hypothesis, _ in groups}
    return [each.id for each in ledger if each.id not in heard and room.take(each.id)]


def _in_turn(groups: dict[tuple[str, str], _Group], ledger: Sequence[Hypothesis]) -> list[_Group]:
    """All groups, one of each hypothesis in turn, so that none of them hides another."""
    lists: dict[str, list[_Group]] = {each.id: [] for each in ledger}
    for (hypothesis, _), group in groups.items():
        if hypothesis != UNTAGGED:
            lists.setdefault(hypothesis, []).append(group)
    lists[UNTAGGED] = [group for (hypothesis, _), group in groups.items() if hypothesis == UNTAGGED]
    depth = max(map(len, lists.values()))
    return [each[turn] for turn in range(depth) for each in lists.values() if turn < len(each)]


def _choose(groups: list[_Group], ledger: Sequence[Hypothesis], room: Room) -> tuple[list[_Group], list[_Group]]:
    """The groups that are named, and those that there is no room for."""
    keep = int(room.left * (1 - _GROUPS_SHARE))
    texts = {each.id: each.text for each in ledger}
    named: set[str] = set()
    shown: list[_Group] = []
    omitted: list[_Group] = []
    for group in groups:
        head = [group.head(0), "" if group.hypothesis in named else _title(group.hypothesis, texts, 0), " " * 24]
        if room.take(head, keep=keep):
            named.add(group.hypothesis)
            shown.append(group)
        else:
            omitted.append(group)
    return shown, omitted


def _quote(groups: list[_Group], run: int, room: Room) -> None:
    """Quote rows while there is room, one of each group in turn: the first, the last, then those between."""
    orders = {id(group): _order(group) for group in groups}
    full: set[int] = set()
    for turn in range(_ROWS_A_GROUP):
        if turn == 2:  # noqa: PLR2004 -- the first and the last of each are quoted
            for group in groups:
                _summarise(group, room)
        for group in groups:
            order = orders[id(group)]
            if turn >= len(order) or id(group) in full:
                continue
            row = order[turn]
            quoted = _quoted(row, group.again.get(row.line), run)
            if room.take(quoted):
                group.quoted[row.line] = quoted
            else:
                full.add(id(group))


def _order(group: _Group) -> list[Row]:
    rows = group.rows
    return rows[:1] + rows[-1:] * (len(rows) > 1) + rows[1 : min(len(rows) - 1, _ROWS_A_GROUP)]


def _quoted(row: Row, again: tuple[int, int] | None, run: int) -> dict[str, Any]:
    record, cut = fitted(row, _ROW_BYTES)
    quoted: dict[str, Any] = {"at": f"{run}:{row.line}"}
    if again:
        quoted |= {"times": again[0], "last": f"{run}:{again[1]}"}
    if cut:
        quoted["cut"] = len(row.raw)
    return quoted | {"record": orjson.Fragment(record)}


def _summarise(group: _Group, room: Room) -> None:
    """Give the values of a group whose rows will not all be quoted: how many, which, and between what bounds."""
    if len(group.rows) <= _ROWS_A_GROUP:
        return
    different = one_by_one(group.records) if group.different is None else group.different
    for path, summary in islice(summaries(different), _PATHS):
        if room.take({path: summary}):
            group.values[path] = summary


def _by_hypothesis(
    shown: list[_Group], groups: dict[tuple[str, str], _Group], ledger: Sequence[Hypothesis], run: int
) -> list[dict[str, Any]]:
    texts = {each.id: each.text for each in ledger}
    names = dict.fromkeys([*texts, *(group.hypothesis for group in groups.values())])
    order = {name: place for place, name in enumerate(names)}
    entries: dict[str, dict[str, Any]] = {}
    events: dict[str, int] = {}
    for group in groups.values():
        events[group.hypothesis] = events.get(group.hypothesis, 0) + group.events
    for group in sorted(shown, key=lambda group: (group.hypothesis == UNTAGGED, order[group.hypothesis], group.first)):
        entry = entries.setdefault(group.hypothesis, _title(group.hypothesis, texts, events[group.hypothesis]))
        entry["locations"].append(group.to_json(run))
    return list(entries.values())


def _title(hypothesis: str, texts: dict[str, str], events: int) -> dict[str, Any]:
    text = {"text": clipped(texts[hypothesis], 160)} if hypothesis in texts else {}
    return {"id": clipped(hypothesis, 80) or None, **text, "events": events, "locations": []}
