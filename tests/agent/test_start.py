from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from debugloop.agent import loop, words
from debugloop.errors import (
    InvalidOrigin,
    PortTaken,
    UnreadResolved,
)
from debugloop.session import actions, collector_file, endpoint
from debugloop.session import session as sessions
from tests.agent.helpers import STEPS, crash, log
from tests.probes.repo import new_repo

if TYPE_CHECKING:
    from debugloop.session.session import Session
    from debugloop.settings import Settings


def test_a_start_makes_a_session_and_the_next_one_resumes_it(settings: Settings, workspace: Path) -> None:
    first = loop.start(settings, workspace, environment={})
    again = loop.start(settings, workspace, environment={})

    assert (first.history, first.attached) == ("new", False)
    assert (again.history, again.attached) == ("resumed", True)
    assert again.session.id == first.session.id
    assert again.endpoint == first.endpoint
    assert collector_file.running(first.session.layout)


def test_a_start_after_a_crash_serves_the_same_address(started: Session, settings: Settings, workspace: Path) -> None:
    before = endpoint.load(started.layout)
    crash(started)

    again = loop.start(settings, workspace, environment={})

    assert (again.endpoint, again.attached) == (before, False)


def test_a_new_endpoint_replaces_the_old_one(started: Session, settings: Settings, workspace: Path) -> None:
    before = endpoint.load(started.layout)

    renewed = loop.start(settings, workspace, loop.Wish(new_endpoint=True), {})

    assert renewed.old == before
    assert renewed.endpoint != before
    assert endpoint.load(started.layout) == renewed.endpoint


def test_a_taken_port_is_named_and_a_new_endpoint_is_the_way_out(
    started: Session, settings: Settings, workspace: Path
) -> None:
    address = endpoint.load(started.layout)
    assert address
    crash(started)
    with socket.socket() as foreign:
        foreign.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        foreign.bind((address.host, address.port))
        foreign.listen()

        with pytest.raises(PortTaken, match=str(address.port)):
            loop.start(settings, workspace, environment={})
        renewed = loop.start(settings, workspace, loop.Wish(new_endpoint=True), {})

    assert renewed.endpoint.port != address.port


def test_allowed_origins_are_kept_for_the_collector_and_a_wrong_one_makes_nothing(
    settings: Settings, workspace: Path
) -> None:
    with pytest.raises(InvalidOrigin):
        loop.start(settings, workspace, loop.Wish(origins=("http://myapp.test/path",)), {})
    assert sessions.in_folder(settings, workspace) == []

    first = loop.start(settings, workspace, loop.Wish(origins=("http://MyApp.test:8080",)), {})
    loop.start(settings, workspace, loop.Wish(origins=("https://other.test", "http://myapp.test:8080")), {})

    allowed = collector_file.load(first.session.layout).allowed_origins
    assert allowed == ("http://myapp.test:8080", "https://other.test")


def test_what_git_knows_at_the_start_is_remembered(settings: Settings, workspace: Path) -> None:
    repo = new_repo(workspace)
    repo.write("old.txt", "here before")

    state = loop.start(settings, workspace, environment={}).session.state()

    assert state.head == repo.git("rev-parse", "HEAD").strip()
    assert state.status == ("?? old.txt",)


def test_a_repository_that_git_refuses_keeps_nobody_from_starting(settings: Settings, workspace: Path) -> None:
    new_repo(workspace)
    (workspace / ".git" / "config").write_text("[core]\nrepositoryformatversion = 99\n")

    assert loop.start(settings, workspace, environment={}).session.state().head is None


def test_steps_open_a_run_and_stand_in_its_log(started: Session) -> None:
    published = loop.publish_steps(started, STEPS)

    assert (published.run, published.retired, published.revived) == (1, (), False)
    assert "debugloop wait" in published.next
    assert "debuglog" in published.next
    assert started.state().steps == STEPS
    assert started.layout.log.read_bytes().startswith(b'{"type":"reproduction_steps"')


def test_steps_bring_a_dead_collector_back_on_the_same_address(started: Session) -> None:
    before = endpoint.load(started.layout)
    crash(started)

    published = loop.publish_steps(started, STEPS)

    assert (published.revived, published.endpoint) == (True, before)


def test_steps_that_cannot_be_served_open_no_run(started: Session) -> None:
    address = endpoint.load(started.layout)
    assert address
    crash(started)
    with socket.socket() as foreign:
        foreign.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        foreign.bind((address.host, address.port))
        foreign.listen()
        with pytest.raises(PortTaken):
            loop.publish_steps(started, STEPS)

    assert started.state().run == 0


def test_new_steps_retire_an_unread_reproduced_and_say_so(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    log(started, {"message": "a"})
    pressed = actions.press(started, "reproduced")

    published = loop.publish_steps(started, STEPS)

    assert [press.number for press in published.retired] == [pressed.number]
    assert published.acknowledged == ()
    assert "debugloop logs --run 1" in words.retired(published.retired[0])
    assert loop.wait(started, 0).status == "pending"


def test_new_steps_acknowledge_what_wait_returned(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    pressed = actions.press(started, "reproduced")
    loop.wait(started, 0)

    published = loop.publish_steps(started, STEPS)

    assert published.acknowledged == (pressed.number,)
    assert published.retired == ()


def test_an_unread_resolved_keeps_steps_from_being_published(started: Session) -> None:
    loop.publish_steps(started, STEPS)
    pressed = actions.press(started, "resolved")

    with pytest.raises(UnreadResolved) as refused:
        loop.publish_steps(started, STEPS)
    assert (refused.value.press, refused.value.run) == (pressed.number, 1)
    assert started.state().run == 1

    loop.wait(started, 0)
    assert loop.publish_steps(started, STEPS).run == 2
