from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from debugloop.errors import (
    CorruptFile,
    InvalidSessionId,
    InvalidSetting,
    NewerFormat,
    NoSession,
    SessionExists,
    SessionInUse,
    SessionNotFound,
    SeveralSessions,
    UnsafeFile,
)
from debugloop.session import session as sessions
from debugloop.session.layout import Layout, workspace_key, workspace_of
from debugloop.session.locks import hold
from debugloop.session.session import Session
from debugloop.settings import Settings


def test_start_makes_a_session_and_then_resumes_it(settings: Settings, workspace: Path) -> None:
    first = sessions.start(settings, workspace)
    assert sessions.start(settings, workspace).id == first.id
    assert first.state().mode == "debug"
    assert first.state().run == 0
    assert first.layout.plan.read_bytes() == b""
    assert first.layout.directory.is_relative_to(settings.home / "sessions")


def test_a_subfolder_of_a_git_repository_belongs_to_its_top(settings: Settings, workspace: Path) -> None:
    (workspace / ".git").mkdir()
    (workspace / "src" / "deep").mkdir(parents=True)
    first = sessions.start(settings, workspace)
    assert sessions.find(settings, workspace / "src" / "deep").id == first.id
    assert workspace_of(workspace / "src") == workspace.resolve()


def test_two_workspaces_never_share_a_session(settings: Settings, tmp_path: Path) -> None:
    one, two = tmp_path / "one" / "app", tmp_path / "two" / "app"
    one.mkdir(parents=True)
    two.mkdir(parents=True)
    first = sessions.start(settings, one, session_id="bug")
    with pytest.raises(SessionNotFound):
        sessions.find(settings, two, session_id="bug")
    second = sessions.start(settings, two, session_id="bug")
    assert first.layout.directory != second.layout.directory
    assert workspace_key(one) != workspace_key(two)


def test_a_workspace_without_a_session_says_what_to_run(settings: Settings, workspace: Path) -> None:
    with pytest.raises(NoSession, match="debugloop start"):
        sessions.find(settings, workspace)


def test_several_unfinished_sessions_must_be_told_apart(settings: Settings, workspace: Path) -> None:
    first = sessions.start(settings, workspace, session_id="a")
    second = sessions.start(settings, workspace, session_id="b", new=True)
    with pytest.raises(SeveralSessions, match="a, b"):
        sessions.find(settings, workspace)
    with pytest.raises(SeveralSessions):
        sessions.start(settings, workspace)
    assert sessions.find(settings, workspace, environment={"DEBUGLOOP_SESSION": "b"}).id == second.id
    second.update(mode="build")
    assert sessions.find(settings, workspace).id == first.id
    assert sessions.find(settings, workspace, session_id="b").id == "b"


def test_a_session_started_by_an_agent_host_is_found_again_by_that_host(settings: Settings, workspace: Path) -> None:
    mine = {"CLAUDE_CODE_SESSION_ID": "mine"}
    first = sessions.start(settings, workspace, new=True, session_id="a", environment=mine)
    sessions.start(settings, workspace, new=True, session_id="b", environment={"CODEX_THREAD_ID": "other"})
    assert first.state().host == "claude-code"
    assert sessions.find(settings, workspace, environment=mine).id == "a"
    assert sessions.find(settings, workspace, environment={"CODEX_THREAD_ID": "other"}).id == "b"


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "-x", "a" * 129, "a\n", "ü", "a b", "con\0"])
def test_a_name_that_is_no_session_id_never_becomes_a_path(name: str, settings: Settings, workspace: Path) -> None:
    if name:
        with pytest.raises(InvalidSessionId):
            sessions.start(settings, workspace, session_id=name)
        with pytest.raises(InvalidSessionId):
            sessions.find(settings, workspace, session_id=name)


def test_new_refuses_an_id_that_is_taken(session: Session, settings: Settings, workspace: Path) -> None:
    with pytest.raises(SessionExists):
        sessions.start(settings, workspace, session_id=session.id, new=True)


def test_a_session_in_the_workspace_is_hidden_from_git_and_found_from_there(
    settings: Settings, workspace: Path
) -> None:
    made = sessions.start(settings, workspace, in_workspace=True)
    assert made.layout.directory.is_relative_to(workspace / ".debugloop")
    assert (workspace / ".debugloop" / ".gitignore").read_text() == "*\n"
    assert sessions.find(settings, workspace).id == made.id
    assert [each.id for each in sessions.everywhere(settings, workspace)] == [made.id]


def test_two_starts_at_once_make_one_session(home: Path, workspace: Path) -> None:
    program = (
        "import sys, pathlib\n"
        "from debugloop.session import session\nfrom debugloop.settings import Settings\n"
        "print(session.start(Settings(home=pathlib.Path(sys.argv[1])), pathlib.Path(sys.argv[2])).id)\n"
    )
    command = [sys.executable, "-c", program, str(home), str(workspace)]
    racers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    ids = {racer.communicate(timeout=60)[0] for racer in racers}
    assert len(ids) == 1
    assert ids != {""}


def test_deleting_removes_our_files_and_leaves_the_others(session: Session) -> None:
    stranger = session.layout.directory / "notes.txt"
    stranger.write_text("mine")
    sessions.delete(session)
    assert list(session.layout.directory.iterdir()) == [stranger]
    stranger.unlink()


def test_deleting_the_last_session_leaves_nothing_behind(session: Session, settings: Settings) -> None:
    sessions.delete(session)
    assert list((settings.home / "sessions").iterdir()) == []


@pytest.mark.parametrize("lock", ["collector_lock", "panel_lock", "agent_lock"])
def test_a_session_in_use_is_not_deleted(session: Session, lock: str) -> None:
    with hold(getattr(session.layout, lock)), pytest.raises(SessionInUse):
        sessions.delete(session)
    assert session.state().run == 0


def test_a_damaged_session_is_never_passed_over_in_silence(
    session: Session, settings: Settings, workspace: Path
) -> None:
    session.layout.session.write_bytes(b"{")
    with pytest.raises(CorruptFile):
        sessions.find(settings, workspace)
    with pytest.raises(CorruptFile):
        sessions.start(settings, workspace)
    session.layout.session.write_bytes(b'{"version": 9}')
    with pytest.raises(NewerFormat):
        sessions.find(settings, workspace)


@pytest.mark.parametrize(
    "wrong",
    [b'"run": -1', b'"run": "1"', b'"mode": "x"', b'"workspace": 3', b'"cut": {}', b'"steps": []', b'"clears": 3'],
)
def test_a_field_of_the_wrong_kind_is_a_damaged_file(session: Session, wrong: bytes) -> None:
    session.layout.session.write_bytes(b'{"version": 1, "workspace": "/x", %b}' % wrong)
    with pytest.raises(CorruptFile, match="session.json"):
        session.state()


def test_a_session_folder_that_is_a_link_is_refused(
    session: Session, settings: Settings, workspace: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "elsewhere"
    session.layout.directory.rename(moved)
    session.layout.directory.symlink_to(moved)
    with pytest.raises(UnsafeFile):
        sessions.find(settings, workspace)


def test_the_agent_waits_while_its_lock_is_held_and_goes_away_with_time(session: Session) -> None:
    assert sessions.agent_state(session) == "working"
    with hold(session.layout.agent_lock):
        assert sessions.agent_state(session) == "waiting"
    session.update(agent_seen=0)
    assert sessions.agent_state(session) == "away"
    sessions.touch_agent(session)
    assert sessions.agent_state(session) == "working"
    assert sessions.panel_state(session) == "closed"
    with hold(session.layout.panel_lock):
        assert sessions.panel_state(session) == "open"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DEBUGLOOP_LOG_BYTES", "x"),
        ("DEBUGLOOP_LOG_BYTES", "0"),
        ("DEBUGLOOP_STEPS", "1.5"),
        ("DEBUGLOOP_IDLE_SECONDS", "nan"),
    ],
)
def test_a_setting_that_is_no_number_says_what_it_must_be(variable: str, value: str) -> None:
    with pytest.raises(InvalidSetting, match=variable):
        Settings.from_environment({"DEBUGLOOP_HOME": "/x", variable: value})


def test_settings_come_from_the_environment_and_empty_counts_as_unset() -> None:
    read = Settings.from_environment({"DEBUGLOOP_HOME": "", "DEBUGLOOP_LOG_BYTES": "99", "DEBUGLOOP_STEPS": ""})
    assert (read.log_bytes, read.steps) == (99, 50)
    assert read.home.name == "debugloop"


def test_the_layout_knows_every_file_it_owns(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    assert {path.name for path in layout.owned()} >= {"session.json", "debug.jsonl", "plan.md", "journal.lock"}


def test_one_unsafe_session_hides_no_other(
    session: Session, settings: Settings, workspace: Path, tmp_path: Path
) -> None:
    other = sessions.start(settings, workspace, new=True, session_id="other")
    moved = tmp_path / "elsewhere"
    session.layout.directory.rename(moved)
    session.layout.directory.symlink_to(moved)
    assert sessions.find(settings, workspace).id == other.id
    assert len(sessions.everywhere(settings, workspace)) == 2
    with pytest.raises(UnsafeFile):
        sessions.find(settings, workspace, session_id=session.id)
