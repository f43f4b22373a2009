from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import orjson
import pytest

from debugloop.agent import loop
from debugloop.errors import (
    PressNotDelivered,
    SessionFinished,
    SessionGone,
)
from debugloop.session import actions, endpoint, ledger
from debugloop.session import session as sessions
from debugloop.session.locks import hold
from tests.agent.helpers import STEPS, crash, log, serves
from tests.support import until

if TYPE_CHECKING:
    from debugloop.session.session import Session


def test_wait_returns_the_press_with_the_evidence_and_the_same_one_until_it_is_acknowledged(started: Session) -> None:
    ledger.add(started, "the tax is added twice")
    loop.publish_steps(started, STEPS)
    log(started, {"hypothesisId": "H1", "location": "tax.py:3", "message": "taxed", "data": {"total": 105}})
    first = actions.press(started, "reproduced", "105 where 15 was due")
    second = actions.press(started, "reproduced")

    answers = [loop.wait(started, 0) for _ in range(3)]

    assert [answer.press and answer.press.number for answer in answers] == [first.number] * 3
    assert (answers[0].status, answers[0].run, answers[0].events) == ("reproduced", 1, 1)
    assert answers[0].to_json()["note"] == "105 where 15 was due"
    assert answers[0].evidence["hypotheses"][0]["id"] == "H1"
    assert "hypothesis set" in answers[0].next

    after = loop.wait(started, 0, after=first.number)
    assert after.press
    assert after.press.number == second.number
    assert loop.wait(started, 0, after=second.number).status == "pending"
    assert loop.wait(started, 0, after=second.number).status == "pending"


def test_reading_the_evidence_acknowledges_what_wait_returned_and_nothing_else(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    actions.press(started, "reproduced")

    assert actions.settle_delivered(started) == []
    loop.wait(started, 0)
    assert actions.settle_delivered(started) == [1]
    assert loop.wait(started, 0).status == "pending"


@pytest.mark.parametrize("number", [1, 99])
def test_a_press_that_wait_has_not_returned_cannot_be_acknowledged(started: Session, number: int) -> None:
    loop.publish_steps(started, STEPS)
    actions.press(started, "reproduced")

    with pytest.raises(PressNotDelivered):
        loop.wait(started, 0, after=number)
    assert loop.wait(started, 0).status == "reproduced"


def test_pending_tells_how_many_events_came_and_how_to_go_on(started: Session) -> None:
    unasked = loop.wait(started, 0)
    assert "No steps are published yet" in unasked.next

    loop.publish_steps(started, STEPS)
    log(started, {"hypothesisId": "H1"}, {"hypothesisId": "H1"}, {"message": "untagged"})
    answer = loop.wait(started, 0)

    assert (answer.status, answer.press, answer.events) == ("pending", None, 3)
    assert answer.evidence == {"run": 1, "events": 3, "by_hypothesis": {"H1": 2, "": 1}}
    assert answer.panel == "closed"
    assert "debuglog" in answer.next
    with hold(started.layout.panel_lock):
        assert "debuglog" not in loop.wait(started, 0).next


def test_a_press_on_an_older_run_is_not_returned_for_the_new_one(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    actions.press(started, "reproduced")
    loop.wait(started, 0)
    loop.publish_steps(started, STEPS)

    assert loop.wait(started, 0).status == "pending"


def test_the_evidence_of_an_older_run_is_never_read_as_that_of_the_new_one(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    log(started, {"message": "old"})
    loop.publish_steps(started, STEPS)
    actions.press(started, "reproduced")

    answer = loop.wait(started, 0)

    assert (answer.run, answer.events, answer.evidence["hypotheses"]) == (2, 0, [])
    assert "No event came in run 2" in answer.next


def test_clear_is_no_press_that_wait_returns(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    actions.press(started, "clear")

    assert loop.wait(started, 0).status == "pending"


def test_no_events_tells_the_agent_that_no_probe_fired(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    actions.press(started, "no_events")

    answer = loop.wait(started, 0)

    assert answer.status == "no_events"
    assert "no probe fired" in answer.next


def test_a_waiting_agent_is_seen_as_waiting_and_woken_by_a_press(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    answers: list[loop.Waited] = []
    waiting = threading.Thread(target=lambda: answers.append(loop.wait(started, 60)))
    waiting.start()
    until(lambda: sessions.agent_state(started) == "waiting", what="the agent's waiting")

    actions.press(started, "reproduced")

    waiting.join(60)
    assert [answer.status for answer in answers] == ["reproduced"]
    assert sessions.agent_state(started) == "working"


def test_two_may_wait_at_once_and_both_get_the_press(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    answers: list[loop.Waited] = []
    both = [threading.Thread(target=lambda: answers.append(loop.wait(started, 60))) for _ in range(2)]
    for each in both:
        each.start()
    until(lambda: sessions.agent_state(started) == "waiting", what="the agents' waiting")

    pressed = actions.press(started, "reproduced")

    for each in both:
        each.join(60)
    assert [answer.press and answer.press.number for answer in answers] == [pressed.number] * 2


def test_wait_ends_after_its_time_also_when_nothing_happens(started: Session) -> None:
    loop.publish_steps(started, STEPS)

    assert loop.wait(started, 0.2).status == "pending"


def test_wait_brings_a_dead_collector_back_on_the_same_address_and_says_so(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    before = endpoint.load(started.layout)
    crash(started)

    answer = loop.wait(started, 0)

    assert answer.collector == "revived"
    assert serves(started)
    assert endpoint.load(started.layout) == before
    assert loop.wait(started, 0).collector == "running"


def test_a_collector_that_dies_while_an_agent_waits_is_brought_back(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    answers: list[loop.Waited] = []
    waiting = threading.Thread(target=lambda: answers.append(loop.wait(started, 60)))
    waiting.start()
    until(lambda: sessions.agent_state(started) == "waiting", what="the agent's waiting")

    crash(started)
    until(lambda: serves(started), what="the collector's return")
    actions.press(started, "reproduced")

    waiting.join(60)
    assert [answer.collector for answer in answers] == ["revived"]


def test_a_press_reaches_the_agent_also_where_the_collector_cannot_come_back(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    address = endpoint.load(started.layout)
    assert address
    actions.press(started, "reproduced")
    crash(started)
    with socket.socket() as foreign:
        foreign.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        foreign.bind((address.host, address.port))
        foreign.listen()

        answer = loop.wait(started, 0)

    assert answer.status == "reproduced"
    assert str(address.port) in answer.collector


def test_a_session_that_ends_ends_the_wait(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    caught: list[type[Exception]] = []

    def waiting() -> None:
        try:
            loop.wait(started, 60)
        except (SessionFinished, SessionGone) as error:
            caught.append(type(error))

    thread = threading.Thread(target=waiting)
    thread.start()
    until(lambda: sessions.agent_state(started) == "waiting", what="the agent's waiting")
    started.update(mode="build")
    thread.join(60)

    assert caught == [SessionFinished]
    with pytest.raises(SessionFinished):
        loop.publish_steps(started, STEPS)
    started.layout.session.unlink()
    with pytest.raises(SessionGone):
        loop.wait(started, 0)


def test_a_press_on_a_run_that_is_over_by_now_still_comes_with_its_own_evidence(
    started: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop.publish_steps(started, STEPS)
    pressed = actions.press(started, "reproduced")
    deliver = actions.deliver

    def and_another_agent_goes_on(session: Session, number: int) -> None:
        deliver(session, number)
        loop.publish_steps(session, STEPS)

    monkeypatch.setattr(actions, "deliver", and_another_agent_goes_on)
    answer = loop.wait(started, 0)

    assert answer.press
    assert (answer.press.number, answer.run, answer.events) == (pressed.number, 1, 0)


def test_a_long_note_leaves_room_for_some_evidence(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    log(started, *({"hypothesisId": f"H{n}", "message": "x" * 300} for n in range(500)))
    actions.press(started, "reproduced", "注" * 4_000)

    answer = loop.wait(started, 0)

    assert answer.evidence["hypotheses"]
    assert len(orjson.dumps(answer.to_json())) <= started.settings.answer_bytes


def test_a_fix_is_verified_by_a_run_that_was_opened_after_the_last_reproduced_that_was_read(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    log(started, {"message": "a"})
    actions.press(started, "reproduced")
    loop.wait(started, 0)
    loop.publish_steps(started, STEPS)
    log(started, {"message": "b"})
    actions.press(started, "resolved")

    answer = loop.wait(started, 0)

    assert (answer.status, answer.verified) == ("resolved", True)
    assert "unverified" not in answer.next
    assert "debugloop finish" in answer.next


def test_a_resolved_in_the_run_that_was_reproduced_is_unverified(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    actions.press(started, "reproduced")
    loop.wait(started, 0)
    actions.settle_delivered(started)
    actions.press(started, "resolved")

    answer = loop.wait(started, 0)

    assert answer.verified is False
    assert "unverified" in answer.next


def test_a_resolved_that_nobody_reproduced_before_is_unverified(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    loop.publish_steps(started, STEPS)
    actions.press(started, "resolved")

    assert loop.wait(started, 0).verified is False


def test_no_event_since_the_fix_is_said_plainly(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    log(started, {"message": "a"})
    actions.press(started, "reproduced")
    loop.wait(started, 0)
    loop.publish_steps(started, STEPS)
    actions.press(started, "resolved")

    assert "No event came in run 2 since the fix" in loop.wait(started, 0).next


def test_clear_empties_the_run_and_keeps_its_steps(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    log(started, {"message": "a"}, {"message": "b"})

    assert loop.clear(started) == (1, 2)
    assert loop.wait(started, 0).events == 0
    assert started.state().steps == STEPS
