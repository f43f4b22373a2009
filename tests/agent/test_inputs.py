from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from debugloop.agent import hypotheses
from debugloop.agent.inputs import Instrument, Judgement, NewHypothesis, arguments, checked
from debugloop.errors import InvalidArguments, InvalidCitation, InvalidHypothesis
from debugloop.session import ledger
from debugloop.session.journal import Journal
from debugloop.session.records import Steps

if TYPE_CHECKING:
    from debugloop.session.session import Session


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"text": ""}, "the text is empty"),
        ({"text": " \n "}, "the text is empty"),
        ({"text": "x" * 2_001}, "the text is longer than 2000 characters"),
        ({"text": "x", "id": "i" * 33}, "the id is longer than 32 characters"),
        ({"text": "x", "colour": "red"}, "it knows no colour; it takes text, id"),
        ({"text": 7}, "text: input should be a valid string"),
        ({}, "text: field required"),
    ],
)
def test_a_wrong_hypothesis_is_refused_with_what_is_wrong_in_it(values: dict[str, object], reason: str) -> None:
    with pytest.raises(InvalidHypothesis) as refused:
        checked(NewHypothesis, **values)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"verdict": "maybe"}, "the verdict must be 'open', 'confirmed', 'rejected' or 'inconclusive'"),
        ({"citations": ("17",)}, "'17' is no citation; one is run:line, such as 2:17"),
        ({"citations": ("1:2",) * 101}, "there may be 100 citations at most"),
    ],
)
def test_a_wrong_judgement_is_refused_with_what_is_wrong_in_it(values: dict[str, object], reason: str) -> None:
    with pytest.raises(InvalidHypothesis) as refused:
        checked(Judgement, **{"id": "H1", "verdict": "open", **values})
    assert refused.value.reason == reason


def test_a_verdict_cites_rows_that_are_there(session: Session) -> None:
    hypotheses.add(session, "  the tax is added twice ")
    with session.layout.log.open("a", encoding="utf-8") as log:
        log.write('{"message": "a"}\n\n{"message": "b"}\n')

    judged = hypotheses.judge(session, "H1", "confirmed", ["0:1", "0:3"])

    assert (judged.text, judged.verdict) == ("the tax is added twice", "confirmed")
    assert hypotheses.as_json(session, judged) == {
        "id": "H1",
        "text": "the tax is added twice",
        "verdict": "confirmed",
        "citations": ["0:1", "0:3"],
        "stale": [],
    }


@pytest.mark.parametrize(
    ("cited", "reason"),
    [("0:2", "run 0 has no line 2; its last one is 3"), ("0:9", "its last one is 3"), ("4:1", "run 4 is not kept")],
)
def test_a_row_that_is_not_there_cannot_be_cited(session: Session, cited: str, reason: str) -> None:
    hypotheses.add(session, "x")
    with session.layout.log.open("a", encoding="utf-8") as log:
        log.write('{"message": "a"}\n\n{"message": "b"}\n')

    with pytest.raises(InvalidCitation, match=reason):
        hypotheses.judge(session, "H1", "confirmed", ["0:1", cited])
    assert ledger.load(session)[0].citations == ()


def test_an_empty_run_has_no_line_to_cite(session: Session) -> None:
    hypotheses.add(session, "x")

    with pytest.raises(InvalidCitation, match="its last one is 0"):
        hypotheses.judge(session, "H1", "confirmed", ["0:1"])


def test_citations_of_a_run_that_was_cleared_are_stale(session: Session) -> None:
    hypotheses.add(session, "x")
    with session.layout.log.open("a", encoding="utf-8") as log:
        log.write('{"message": "a"}\n')
    hypotheses.judge(session, "H1", "confirmed", ["0:1"])
    journal = Journal(session)
    journal.clear()
    journal.append([b'{"message": "b"}'])
    hypotheses.judge(session, "H1", "confirmed", ["0:1"])
    journal.clear()

    assert hypotheses.as_json(session, ledger.load(session)[0])["stale"] == ["0:1"]

    journal.append([b'{"message": "c"}'])
    hypotheses.judge(session, "H1", "confirmed", ["0:1"])
    journal.new_run(Steps(None, ("a",)))
    session.layout.run_archive(0).unlink()
    journal.close()

    assert hypotheses.as_json(session, ledger.load(session)[0])["stale"] == ["0:1"]


def test_what_an_unknown_member_within_a_list_could_have_been_is_told() -> None:
    with pytest.raises(InvalidArguments) as refused:
        arguments(Instrument, {"insert": [{"place": "cart.js:1"}, {"file": "cart.js", "line": 1}]})
    assert "insert.1.place: field required" in refused.value.reason

    with pytest.raises(InvalidArguments) as refused:
        arguments(Instrument, {"insert": [{"place": "cart.js:1", "expression": "total"}]})
    assert "it knows no insert.0.expression; it takes place, hypothesis, message, data, " in refused.value.reason
