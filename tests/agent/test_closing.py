from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from debugloop.agent import closing, loop
from debugloop.errors import CollectorFailed, Declined, NotResolved
from debugloop.session import actions, collector_file, endpoint, ledger, runs
from tests.agent.helpers import STEPS

if TYPE_CHECKING:
    from debugloop.session.session import Session
    from debugloop.settings import Settings


@pytest.fixture
def pressed(settings: Settings, workspace: Path) -> Session:
    """A session whose bug was reproduced in run 1, and resolved in run 2."""
    session = loop.start(settings, workspace, environment={}).session
    ledger.add(session, "the tax is added twice")
    loop.publish_steps(session, STEPS)
    log(session, '{"hypothesisId":"H1","message":"taxed","data":{"total":1.10}}')
    actions.press(session, "reproduced", "too much")
    loop.wait(session, 0)
    ledger.set_verdict(session, "H1", "confirmed", [(1, 2)])
    loop.publish_steps(session, STEPS)
    log(session, '{"hypothesisId":"H1","message":"taxed once"}')
    actions.press(session, "resolved")
    return session


def log(session: Session, line: str) -> None:
    with session.layout.log.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def closed(session: Session) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(session.layout.closing.read_bytes())
    return content


def leave_address(session: Session, workspace: Path) -> None:
    address = endpoint.load(session.layout)
    assert address
    (workspace / "config.js").write_text(f'const url = "{address.url}";\n', encoding="utf-8")


def test_a_finished_session_has_its_proof_and_nothing_else(pressed: Session) -> None:
    finished = closing.finish(pressed)

    assert finished.outcome == "done"
    assert (finished.to_json()["leftovers"], finished.to_json()["verified"]) == ([], True)
    assert pressed.state().mode == "build"
    assert not collector_file.running(pressed.layout)
    assert endpoint.load(pressed.layout) is None
    assert pressed.layout.log.read_bytes() == b""
    assert pressed.layout.archived_runs() == []
    assert actions.unread(pressed) == []
    content = closed(pressed)
    assert content["verified"] is True
    assert content["forced"] is False
    assert content["runs"] == [{"run": 1, "events": 1}, {"run": 2, "events": 1}]
    assert [press["action"] for press in content["presses"]] == ["reproduced", "resolved"]
    (hypothesis,) = content["hypotheses"]
    assert hypothesis["verdict"] == "confirmed"
    assert hypothesis["citations"] == [
        {"at": "1:2", "stale": False, "row": {"hypothesisId": "H1", "message": "taxed", "data": {"total": 1.1}}}
    ]
    assert b'"total":1.10' in pressed.layout.closing.read_bytes()
    assert content["cleanup"]["leftovers"] == []


def test_finishing_twice_changes_nothing(pressed: Session) -> None:
    closing.finish(pressed)
    before = pressed.layout.closing.read_bytes()

    again = closing.finish(pressed)

    assert again.outcome == "before"
    assert again.to_json()["finished"] is True
    assert pressed.layout.closing.read_bytes() == before


def test_nobody_but_the_person_says_resolved(pressed: Session) -> None:
    loop.wait(pressed, 0)
    loop.publish_steps(pressed, STEPS)

    with pytest.raises(NotResolved) as refused:
        closing.finish(pressed)
    assert (refused.value.run, refused.value.last) == (3, None)

    log(pressed, "{}")
    actions.press(pressed, "reproduced")
    with pytest.raises(NotResolved, match="Reproduced"):
        closing.finish(pressed)
    assert pressed.state().mode == "debug"
    assert collector_file.running(pressed.layout)


def test_what_is_left_keeps_the_session_open_and_is_named(pressed: Session, workspace: Path) -> None:
    leave_address(pressed, workspace)

    finished = closing.finish(pressed)

    assert finished.outcome == "open"
    (left,) = finished.to_json()["leftovers"]
    assert (left["file"], left["line"], left["kind"]) == ("config.js", 1, "endpoint")
    assert "debugloop strip" in finished.next
    assert pressed.state().mode == "debug"
    assert collector_file.running(pressed.layout)
    assert not pressed.layout.closing.exists()

    (workspace / "config.js").unlink()
    assert closing.finish(pressed).outcome == "done"


def test_only_a_person_who_sees_the_obstacles_can_overrule_them(pressed: Session, workspace: Path) -> None:
    loop.wait(pressed, 0)
    loop.publish_steps(pressed, STEPS)
    leave_address(pressed, workspace)
    seen: list[closing.Obstacles] = []

    def no(obstacles: closing.Obstacles) -> bool:
        seen.append(obstacles)
        return False

    with pytest.raises(Declined):
        closing.finish(pressed, no)
    assert (seen[0].resolved, seen[0].run, len(seen[0].report.leftovers)) == (False, 3, 1)
    assert pressed.state().mode == "debug"

    finished = closing.finish(pressed, lambda _: True)
    assert finished.outcome == "done"
    assert closed(pressed)["forced"] is True
    assert "forced" in finished.next


def test_a_call_after_a_crash_in_the_middle_does_the_rest_and_keeps_the_proof(
    pressed: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(_session: Session) -> None:
        raise CollectorFailed("it was cut off here")

    with monkeypatch.context() as broken:
        broken.setattr(endpoint, "delete", crash)
        with pytest.raises(CollectorFailed):
            closing.finish(pressed)
    assert pressed.state().mode == "debug"
    pressed.update(steps=None)
    pressed.layout.log.write_bytes(b"")

    assert closing.finish(pressed).outcome == "done"
    assert closed(pressed)["hypotheses"][0]["citations"][0]["row"]["message"] == "taxed"
    assert pressed.state().mode == "build"


def test_a_finish_without_any_event_since_the_fix_says_so(pressed: Session) -> None:
    loop.clear(pressed)

    finished = closing.finish(pressed)

    assert finished.closing["events"] == 0
    assert "No event came in run 2 since the fix" in finished.next


def test_an_unverified_fix_is_called_so(settings: Settings, workspace: Path) -> None:
    session = loop.start(settings, workspace, environment={}).session
    loop.publish_steps(session, STEPS)
    actions.press(session, "resolved")

    finished = closing.finish(session)

    assert finished.to_json()["verified"] is False
    assert "unverified" in finished.next


@pytest.mark.parametrize("redact", [True, False])
def test_a_cited_row_is_kept_without_the_token_also_where_redaction_is_off(pressed: Session, redact: bool) -> None:
    address = endpoint.load(pressed.layout)
    assert address
    collector_file.update(pressed.layout, pressed.settings, lambda old: dataclasses.replace(old, redact=redact))
    log(pressed, json.dumps({"message": address.url}))
    log(pressed, "torn {")
    ledger.set_verdict(pressed, "H1", "confirmed", [(2, 3), (2, 4)])
    ledger.add(pressed, "another")
    loop.wait(pressed, 0)
    ledger.set_verdict(pressed, "H2", "rejected", [(2, 99)])

    closing.finish(pressed)

    first, second = closed(pressed)["hypotheses"]
    url, torn = (cite["row"] for cite in first["citations"][1:])
    assert url["message"].startswith(f"http://127.0.0.1:{address.port}/debug/")
    assert torn == "torn {"
    assert second["citations"] == [{"at": "2:99", "stale": False, "row": None}]
    assert address.token.encode() not in pressed.layout.closing.read_bytes()


def test_a_finished_session_that_is_started_again_gets_a_new_address(
    pressed: Session, settings: Settings, workspace: Path
) -> None:
    before = endpoint.load(pressed.layout)
    closing.finish(pressed)

    again = loop.start(settings, workspace, loop.Wish(session_id=pressed.id), {})

    assert again.history == "reopened"
    assert again.endpoint != before
    assert pressed.state().mode == "debug"
    assert not pressed.layout.closing.exists()
    assert loop.publish_steps(pressed, STEPS).run == 3
    assert runs.kept(pressed) == [3]
