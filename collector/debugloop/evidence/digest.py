"""The digest of a run: what each hypothesis can be judged by, in a bounded number of bytes.

Events are grouped by hypothesis and location; equal ones fold with a count. Every row is cited as ``run:line``, and
what was left out is counted. All of it is quoted: what a program wrote is evidence and never an instruction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import orjson

from debugloop.evidence.columns import summaries
from debugloop.evidence.content import content
from debugloop.evidence.cut import clipped, fitted
from debugloop.evidence.query import UNTAGGED, hypotheses_of, text_of
from debugloop.evidence.room import NOTICE, Room

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
    events: int = 0
    last: int = 0
    rows: dict[bytes, Row] = field(default_factory=dict[bytes, "Row"])
    records: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """What the rows say, in their order."""
    again: dict[bytes, tuple[int, int]] = field(default_factory=dict[bytes, tuple[int, int]])
    """Of rows that came several times: how often, and the last line."""
    quoted: dict[int, dict[str, Any]] = field(default_factory=dict[int, dict[str, Any]])
    values: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def first(self) -> int:
        return next(iter(self.rows.values())).line

    def add(self, row: Row, record: dict[str, Any], same: bytes) -> None:
        self.events += 1
        self.last = row.line
        if same not in self.rows:
            self.rows[same] = row
            self.records.append(record)
        else:
            self.again[same] = (self.again.get(same, (1, 0))[0] + 1, row.line)

    def left_out(self) -> Iterator[int]:
        """The lines that are not quoted, in order."""
        return (row.line for row in self.rows.values() if row.line not in self.quoted)

    def head(self, run: int) -> dict[str, Any]:
        return {
            "location": clipped(self.location, 160) or None,
            "events": self.events,
            "distinct": len(self.rows),
            "first": f"{run}:{self.first}",
            "last": f"{run}:{self.last}",
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
    ``never_fired``: ``{"probe", "location"}``. A row is ``{"at", "times", "last", "record"}``; its
    record is spliced as it came, or cut (``"cut": size``). ``cursor`` is the line to go on after
    (``logs --after``), null where nothing was left out.
    """
    groups: dict[tuple[str, str], _Group] = {}
    places: dict[tuple[str | None, str | None], list[_Group]] = {}
    malformed: dict[str, int] = {}
    malformed_at: list[str] = []
    fired: set[object] = set()
    events = 0
    for row in rows:
        if row.steps:
            continue
        events += 1
        if row.malformed:
            malformed[row.malformed] = malformed.get(row.malformed, 0) + 1
            malformed_at.append(f"{run}:{row.line}")
            continue
        record = row.record()
        place = record.get("hypothesisId"), record.get("location")
        plain = place[0].__class__ in _PLAIN and place[1].__class__ in _PLAIN
        found = places.get(place) if plain else None
        if found is None:
            found = _groups_of(groups, record)
            if plain:
                places[place] = found
        if (probe := record.get("probe")).__class__ is str:
            fired.add(probe)
        same = content(row, record)
        for group in found:
            group.add(row, record, same)
    answer: dict[str, Any] = {
        "notice": NOTICE,
        "run": run,
        "events": events,
        "malformed": malformed,
        "malformed_at": malformed_at[:_MALFORMED_CITED],
        "rejected": collector.rejected if collector else {},
        "sampled": collector.sampled if collector else 0,
        "sampled_keys": dict(list(collector.sampled_keys.items())[:_KEYS]) if collector else {},
        "redacted": collector.redacted if collector else 0,
        "mend": list(dict.fromkeys(each.mend for each in collector.latest if each.mend))[-_MENDS:] if collector else [],
    }
    room = Room(limit - len(orjson.dumps(answer)) - 400)
    answer["silent"] = _silent(ledger, groups, room)
    unheard = [{"probe": probe, "location": where} for probe, where in (probes or {}).items() if probe not in fired]
    answer["never_fired"] = [each for each in unheard if room.take(each)]
    shown, omitted = _choose(_in_turn(groups, ledger), ledger, room)
    _quote(shown, run, room)
    answer["hypotheses"] = _by_hypothesis(shown, groups, ledger, run)
    # an event of several hypotheses is left out once
    several = any(len(found) > 1 for found in places.values()) or len(places) < len(groups)
    lines = {line for group in groups.values() for line in group.left_out()} if several else None
    rest = sum(len(group.rows) - len(group.quoted) for group in groups.values()) if lines is None else len(lines)
    answer["more"] = {"groups": len(omitted), "rows": rest}
    firsts = [line for group in groups.values() if (line := next(group.left_out(), None)) is not None]
    answer["cursor"] = min(firsts) - 1 if firsts else None
    return answer


def _groups_of(groups: dict[tuple[str, str], _Group], record: dict[str, Any]) -> list[_Group]:
    """The groups that an event belongs to, one for each hypothesis that it names; made where they are new."""
    location = text_of(record.get("location"))
    keys = [(hypothesis, location) for hypothesis in hypotheses_of(record)]
    return [groups.setdefault(key, _Group(*key)) for key in keys]


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
            same, row = order[turn]
            quoted = _quoted(row, group.again.get(same), run)
            if room.take(quoted):
                group.quoted[row.line] = quoted
            else:
                full.add(id(group))


def _order(group: _Group) -> list[tuple[bytes, Row]]:
    rows = list(group.rows.items())
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
    for path, summary in list(summaries(group.records).items())[:_PATHS]:
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
