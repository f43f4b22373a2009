from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from debugloop.errors import CorruptFile, InvalidCitation, InvalidHypothesis
from debugloop.session import actions, ledger
from debugloop.session.journal import Journal
from debugloop.session.records import Steps
from debugloop.session.session import Session


def test_presses_are_numbered_and_carry_their_run_and_note(session: Session) -> None:
    first = actions.press(session, "reproduced", "  twice  ")
    Journal(session).new_run(Steps(None, ("x",)))
    second = actions.press(session, "clear")
    assert [(each.number, each.action, each.run, each.note) for each in (first, second)] == [
        (1, "reproduced", 0, "twice"),
        (2, "clear", 1, None),
    ]
    assert actions.presses(session) == [first, second]


def test_a_press_waits_with_one_number_until_it_is_acknowledged(session: Session) -> None:
    actions.press(session, "reproduced")
    assert actions.settle_delivered(session) == []
    actions.deliver(session, 1)
    actions.deliver(session, 1)
    assert [each.number for each in actions.unread(session)] == [1]
    assert actions.settle_delivered(session) == [1]
    assert actions.unread(session) == []
    assert actions.press(session, "resolved").number == 2


def test_clear_waits_for_nobody(session: Session) -> None:
    actions.press(session, "clear")
    assert actions.unread(session) == []


def test_only_the_last_word_on_the_current_run_resolves(session: Session) -> None:
    assert not actions.resolved(session)
    actions.press(session, "resolved")
    actions.press(session, "clear")
    assert actions.resolved(session)
    actions.press(session, "reproduced")
    assert not actions.resolved(session)
    actions.press(session, "resolved")
    Journal(session).new_run(Steps(None, ("x",)))
    assert not actions.resolved(session)


def test_a_line_that_a_crash_cut_off_hides_no_other_press(session: Session) -> None:
    actions.press(session, "reproduced")
    with session.layout.actions.open("ab") as file:
        file.write(b'{"press":7}\n{"press":8,"action":"?","run":0}\n[1]\n{"press":2,"act')
    assert actions.press(session, "resolved").number == 2
    assert [each.action for each in actions.presses(session)] == ["reproduced", "resolved"]


def test_a_note_may_hold_anything(session: Session) -> None:
    note = 'a\nb\0\x1b[31m"\ud800字' + "x" * 5000
    assert (actions.press(session, "reproduced", note).note or "").startswith("a\nb\0\x1b[31m")
    assert len(actions.presses(session)[0].note or "") == actions.NOTE_CHARS


PRESSER = """
import pathlib, sys
from debugloop.session import actions
from debugloop.session.layout import Layout
from debugloop.session.session import Session
from debugloop.settings import Settings
session = Session(Layout(pathlib.Path(sys.argv[1])), Settings(home=pathlib.Path(sys.argv[2]), lock_seconds=60))
for _ in range(int(sys.argv[3])):
    print(actions.press(session, "reproduced").number, flush=True)
"""


def test_presses_of_many_processes_each_get_a_number_of_their_own(session: Session) -> None:
    command = [sys.executable, "-c", PRESSER, str(session.layout.directory), str(session.settings.home), "5"]
    pressers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    numbers = [int(line) for each in pressers for line in each.communicate(timeout=100)[0].split()]
    assert sorted(numbers) == list(range(1, 21))


def test_a_press_that_was_confirmed_survives_a_kill(session: Session) -> None:
    command = [sys.executable, "-c", PRESSER, str(session.layout.directory), str(session.settings.home), "1000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as presser:
        assert presser.stdout is not None
        told = [int(presser.stdout.readline()) for _ in range(20)]
        presser.send_signal(signal.SIGKILL)
    assert [each.number for each in actions.presses(session)][:20] == told


def test_the_ledger_keeps_hypotheses_verdicts_and_cited_rows(session: Session) -> None:
    ledger.add(session, " the total is rounded twice ")
    ledger.add(session, "the second item is lost", "cart")
    assert ledger.add(session, "third").id == "H2"
    changed = ledger.set_verdict(session, "H1", "confirmed", [(0, 2), (0, 3)])
    assert [str(cite) for cite in changed.citations] == ["0:2", "0:3"]
    ledger.set_verdict(session, "H1", "rejected", [(0, 3), (1, 4)])
    found = ledger.load(session)[0]
    assert (found.text, found.verdict) == ("the total is rounded twice", "rejected")
    assert [str(cite) for cite in found.citations] == ["0:2", "0:3", "1:4"]


def test_a_citation_of_a_run_that_was_cleared_since_is_stale(session: Session) -> None:
    ledger.add(session, "x")
    ledger.set_verdict(session, "H1", "confirmed", [(0, 1)])
    Journal(session).clear()
    ledger.set_verdict(session, "H1", "confirmed", [(0, 2)])
    clears = session.state().clears
    assert [ledger.is_stale(cite, clears) for cite in ledger.load(session)[0].citations] == [True, False]


def test_what_the_ledger_cannot_take_says_why(session: Session) -> None:
    ledger.add(session, "x")
    with pytest.raises(InvalidHypothesis, match="H1 is there already"):
        ledger.add(session, "y", "H1")
    with pytest.raises(InvalidHypothesis, match="no id"):
        ledger.add(session, "y", "a b")
    with pytest.raises(InvalidHypothesis, match="there are: H1"):
        ledger.set_verdict(session, "H9", "open", [])
    for text in ("3", "a:b", "1:0", "-1:2", "1:2:3", "١:٢٣٤٥٦٧٨٩٠١"):
        with pytest.raises(InvalidCitation):
            ledger.parse_citation(text)
    assert ledger.parse_citation("2:17") == (2, 17)


@pytest.mark.parametrize(
    "content",
    [
        b'{"version":1}',
        b'{"version":1,"hypotheses":[{}]}',
        b'{"version":1,"hypotheses":[{"id":"H1","text":"x","verdict":"?","citations":[]}]}',
    ],
)
def test_a_damaged_ledger_is_named(session: Session, content: bytes) -> None:
    session.layout.hypotheses.write_bytes(content)
    with pytest.raises(CorruptFile, match="hypotheses.json"):
        ledger.load(session)
