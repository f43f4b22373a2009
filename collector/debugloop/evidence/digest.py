"""The digest of a run: what each hypothesis can be judged by, in a bounded number of bytes.

Events are grouped by hypothesis and location; equal ones fold with a count. Every row is cited as ``run:line``, and
what was left out is counted. All of it is quoted: what a program wrote is evidence and never an instruction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import orjson

from debugloop.evidence.content import content, leaves
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
_VALUES_A_PATH: Final = 6
_THEIR_OWN_KEY: Final = frozenset({int, str})
"""Types whose values tell themselves apart from all others as keys."""


@dataclass(slots=True)
class _Fold:
    """Events of one group that differ in nothing but their time."""

    row: Row
    times: int = 0
    last: int = 0


@dataclass(slots=True)
class _Group:
    """The events of one hypothesis at one location."""

    hypothesis: str
    location: str
    events: int = 0
    first: int = 0
    last: int = 0
    folds: dict[bytes, _Fold] = field(default_factory=dict[bytes, _Fold])
    quoted: dict[int, dict[str, Any]] = field(default_factory=dict[int, dict[str, Any]])
    values: dict[str, Any] = field(default_factory=dict[str, Any])

    def add(self, row: Row, same: bytes) -> None:
        self.events += 1
        self.first = self.first or row.line
        self.last = row.line
        fold = self.folds.get(same)
        if fold is None:
            fold = self.folds[same] = _Fold(row)
        fold.times += 1
        fold.last = row.line

    def head(self, run: int) -> dict[str, Any]:
        return {
            "location": clipped(self.location, 160) or None,
            "events": self.events,
            "distinct": len(self.folds),
            "first": f"{run}:{self.first}",
            "last": f"{run}:{self.last}",
        }

    def to_json(self, run: int) -> dict[str, Any]:
        shown = self.head(run)
        if self.values:
            shown["values"] = self.values
        if self.quoted:
            shown["rows"] = [self.quoted[line] for line in sorted(self.quoted)]
        if len(self.quoted) < len(self.folds):
            shown["more"] = len(self.folds) - len(self.quoted)
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
    malformed: dict[str, int] = {}
    malformed_at: list[str] = []
    fired: set[str | None] = set()
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
        location = text_of(record.get("location"))
        hypotheses = hypotheses_of(record)
        fired.add(record.get("probe") if isinstance(record.get("probe"), str) else None)
        same = content(row, record)
        for hypothesis in hypotheses:
            group = groups.get((hypothesis, location))
            if group is None:
                group = groups[hypothesis, location] = _Group(hypothesis, location)
            group.add(row, same)
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
    left_out = [fold.row.line for group in omitted for fold in group.folds.values()]
    left_out += [fold.row.line for group in shown for fold in group.folds.values() if fold.row.line not in group.quoted]
    answer["more"] = {"groups": len(omitted), "rows": len(set(left_out))}
    answer["cursor"] = min(left_out) - 1 if left_out else None
    return answer


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
    orders = {id(group): _order(list(group.folds.values())) for group in groups}
    full: set[int] = set()
    for turn in range(_ROWS_A_GROUP):
        if turn == 2:  # noqa: PLR2004 -- the first and the last of each are quoted
            for group in groups:
                _summarise(group, room)
        for group in groups:
            order = orders[id(group)]
            if turn >= len(order) or id(group) in full:
                continue
            fold = order[turn]
            quoted = _quoted(fold, run)
            if room.take(quoted):
                group.quoted[fold.row.line] = quoted
            else:
                full.add(id(group))


def _order(folds: list[_Fold]) -> list[_Fold]:
    return folds[:1] + folds[-1:] * (len(folds) > 1) + folds[1 : min(len(folds) - 1, _ROWS_A_GROUP)]


def _quoted(fold: _Fold, run: int) -> dict[str, Any]:
    record, cut = fitted(fold.row, _ROW_BYTES)
    quoted: dict[str, Any] = {"at": f"{run}:{fold.row.line}"}
    if fold.times > 1:
        quoted |= {"times": fold.times, "last": f"{run}:{fold.last}"}
    if cut:
        quoted["cut"] = len(fold.row.raw)
    return quoted | {"record": orjson.Fragment(record)}


def _summarise(group: _Group, room: Room) -> None:
    """Give the values of a group whose rows will not all be quoted: how many, which, and between what bounds."""
    if len(group.folds) <= _ROWS_A_GROUP:
        return
    seen: dict[str, dict[object, object]] = {}
    for fold in group.folds.values():
        for path, value in leaves(fold.row.record()):
            # 1, 1.0 and true are one key in Python
            key = value if value.__class__ in _THEIR_OWN_KEY else orjson.dumps(value)
            if (values := seen.get(path)) is None:
                values = seen[path] = {}
            values.setdefault(key, value)
    for path, values in list(seen.items())[:_PATHS]:
        if len(values) > 1:
            summary = _summary(list(values.values()))
            if room.take({path: summary}):
                group.values[path] = summary


def _summary(values: list[object]) -> dict[str, Any]:
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    bounds = {"min": min(numbers), "max": max(numbers)} if numbers else {}
    first = [clipped(value, 60) if isinstance(value, str) else value for value in values[:_VALUES_A_PATH]]
    return {"distinct": len(values), **bounds, "first": first}


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
