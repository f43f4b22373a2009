from __future__ import annotations

import dataclasses
from collections import Counter

import orjson
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as trial
from hypothesis import strategies as st

from debugloop.ingest.bodies import Event
from debugloop.ingest.flood import Flood, key_of
from debugloop.ingest.intake import Intake, Outcome
from debugloop.session import runs
from debugloop.session.collector_file import CollectorFile
from debugloop.session.journal import Journal
from debugloop.session.records import Steps
from debugloop.session.session import Session

CAP = 100_000
PAD = "x" * 100


def event(location: str, number: int = 0) -> Event:
    return Event(orjson.dumps({"location": location, "n": number, "pad": PAD}), location)


def limited(session: Session, cap: int = CAP) -> Session:
    return Session(session.layout, dataclasses.replace(session.settings, log_bytes=cap))


def pour(intake: Intake, location: str, events: int, batch: int = 50) -> Counter[Outcome]:
    found: Counter[Outcome] = Counter()
    for start in range(0, events, batch):
        found.update(intake.store([event(location, start + number) for number in range(min(batch, events - start))]))
    return found


def share(session: Session, location: str) -> float:
    rows = [row.raw for row in runs.read(session)[1] if row.record().get("location") == location]
    return sum(len(row) + 1 for row in rows) / CAP


def test_a_hot_loop_leaves_room_for_the_one_event_that_matters(session: Session) -> None:
    intake = Intake(limited(session), "0" * 64)
    outcomes = pour(intake, "hot.js:1", 30_000)
    assert outcomes[Outcome.FULL] == 0
    assert outcomes[Outcome.STORED] + outcomes[Outcome.SAMPLED] == 30_000
    assert 0.5 <= share(session, "hot.js:1") < 0.75
    assert pour(intake, "rare.js:7", 50) == {Outcome.STORED: 50}
    counted = intake.count(CollectorFile())
    assert (counted.sampled, counted.sampled_keys) == (
        outcomes[Outcome.SAMPLED],
        {"hot.js:1": outcomes[Outcome.SAMPLED]},
    )
    intake.close()


def test_keys_below_a_quarter_are_kept_until_the_log_is_full(session: Session) -> None:
    intake = Intake(limited(session), "0" * 64)
    outcomes = [outcome for number in range(1000) for outcome in intake.store([event(f"key {number % 5}")])]
    first_full = outcomes.index(Outcome.FULL)
    assert set(outcomes[:first_full]) == {Outcome.STORED}
    assert set(outcomes[first_full:]) == {Outcome.FULL}
    intake.close()


def test_without_sampling_a_hot_loop_fills_the_log(session: Session) -> None:
    intake = Intake(limited(session), "0" * 64)
    intake.sampling = False
    outcomes = pour(intake, "hot", 2_000)
    assert outcomes[Outcome.SAMPLED] == 0
    assert outcomes[Outcome.FULL] > 0
    intake.close()


def test_what_a_program_appends_by_itself_counts_too(session: Session) -> None:
    intake = Intake(limited(session), "0" * 64)
    assert intake.store([event("hot")]) == [Outcome.STORED]
    with session.layout.log.open("ab") as log:
        log.write((event("hot").record + b"\n") * (CAP * 55 // 100 // len(event("hot").record)))
    intake.store([event("other")])
    assert pour(intake, "hot", 400)[Outcome.SAMPLED] > 300
    intake.close()


@pytest.mark.parametrize("change", ["clear", "new run"])
def test_shares_are_counted_again_when_the_log_begins_anew(session: Session, change: str) -> None:
    intake = Intake(limited(session), "0" * 64)
    pour(intake, "hot", 5_000)
    other = Journal(limited(session))
    if change == "clear":
        other.clear()
    else:
        other.new_run(Steps(None, ("again",)))
    other.close()
    assert pour(intake, "hot", 100) == {Outcome.STORED: 100}
    intake.close()


def test_a_restarted_collector_counts_the_shares_from_the_file(session: Session) -> None:
    first = Intake(limited(session), "0" * 64)
    pour(first, "hot", 20_000)
    first.close()
    second = Intake(limited(session), "0" * 64)
    second.store([event("rare")])
    assert pour(second, "hot", 100)[Outcome.STORED] <= 2
    second.close()


def test_the_further_over_the_quarter_the_fewer_are_kept() -> None:
    steps: list[int] = []
    for thirty_seconds in range(8):
        flood = Flood(CAP)
        line = orjson.dumps({"location": "hot"})
        over = b"\n" * 0 + (line + b"\n") * ((CAP // 4 + thirty_seconds * CAP // 32) // (len(line) + 1) + 1)
        filler = b"".join(b'{"location":"%d"}\n' % number for number in range(CAP // 15))
        flood.count(over)
        flood.count(filler)
        steps.append(flood.every("hot"))
    assert steps == [2, 4, 8, 16, 32, 64, 128, 256]


def test_an_event_is_counted_under_its_location_else_its_message() -> None:
    assert key_of({"location": "a:1", "message": "m"}) == "a:1"
    assert key_of({"location": "", "message": "m"}) == "m"
    assert key_of({"location": 3}) == key_of({}) == ""


@trial(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 300)), max_size=30), st.integers(10_000, 60_000))
def test_the_same_events_are_judged_the_same_way_and_a_rare_key_always_fits(
    session: Session, bursts: list[tuple[int, int]], cap: int
) -> None:
    def run() -> list[Outcome]:
        journal = Journal(session)
        journal.clear()
        journal.close()
        intake = Intake(limited(session, cap), "0" * 64)
        found = [outcome for key, count in bursts for _ in range(count) for outcome in intake.store([event(str(key))])]
        if Outcome.FULL not in found and session.layout.log.stat().st_size < cap - 1_000:
            assert intake.store([event("never seen")]) == [Outcome.STORED]
        intake.close()
        return found

    assert run() == run()
