from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from debugloop.errors import RunChanged
from debugloop.session import actions
from debugloop.session.follow import LineReader
from debugloop_overlay import languages, presses
from tests.overlay.house import STEPS, append, publish

if TYPE_CHECKING:
    from debugloop.session.session import AgentState, Session


def test_a_press_is_stored_with_its_run_and_note(session: Session) -> None:
    publish(session)
    press, is_new = presses.take(session, "reproduced", "with a note", 1)
    assert (press.number, press.action, press.run, press.note, is_new) == (1, "reproduced", 1, "with a note", True)
    assert actions.presses(session) == [press]


def test_only_the_very_same_press_that_nobody_has_seen_is_the_same(session: Session) -> None:
    publish(session)
    first, _ = presses.take(session, "reproduced", "", 1)
    assert presses.take(session, "reproduced", "", 1) == (first, False)
    noted, is_new = presses.take(session, "reproduced", "a note", 1)
    assert (noted.number, is_new) == (2, True)
    assert presses.take(session, "resolved", "", 1)[1]
    assert presses.take(session, "reproduced", "", 1)[1]  # the person changed their mind: another word than the last
    actions.deliver(session, 4)
    assert presses.take(session, "reproduced", "", 1)[1]
    publish(session)
    assert presses.take(session, "reproduced", "", 2)[1]


def test_a_press_for_a_run_that_is_over_is_refused(session: Session) -> None:
    publish(session)
    publish(session)
    with pytest.raises(RunChanged):
        presses.take(session, "clear", "", 1)
    assert actions.presses(session) == []


def test_clear_is_stored_and_leaves_only_the_steps(session: Session) -> None:
    publish(session)
    append(session, {"a": 1}, b"torn")
    press, _ = presses.take(session, "clear", "", 1)
    rows = LineReader(session.settings).feed(session.layout.log.read_bytes())
    assert [row.steps for row in rows] == [True]
    assert session.state().steps == STEPS
    assert actions.presses(session) == [press]


@pytest.mark.parametrize(
    ("agent", "word"), [("waiting", "has been waiting"), ("working", "is at work"), ("away", "a copies a text")]
)
def test_what_the_person_is_told_depends_on_the_agent(session: Session, agent: AgentState, word: str) -> None:
    words = languages.load("en")
    press, is_new = presses.take(session, "no_events", "", 0)
    told = presses.told(words, press, agent, is_new=is_new)
    assert told.startswith("The agent learns, as press 1, that no probe fired.")
    assert word in told
    assert presses.told(words, press, agent, is_new=False).startswith("Reproduced is sent already, as press 1")
