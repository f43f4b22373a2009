"""start, status, stop, serve, sessions, clear and gc: the session and its collector."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from debugloop.session import collector_file, endpoint
from debugloop.session.layout import Layout
from debugloop.session.locks import hold
from debugloop.session.session import Session
from tests.cli.processes import script
from tests.support import clean_environment, cli, until

if TYPE_CHECKING:
    from debugloop.settings import Settings
    from tests.cli.conftest import Debugloop


def post(url: str, body: bytes, **headers: str) -> int:
    request = Request(url, data=body, headers=headers, method="POST")
    with build_opener(ProxyHandler({})).open(request, timeout=30) as answer:
        status: int = answer.status
        return status


def test_start_gives_what_a_program_needs_and_how_to_go_on(debugloop: Debugloop) -> None:
    started = debugloop("start", "--json").answer

    assert {"session", "directory", "endpoint", "log", "run"} <= started.keys()
    assert post(started["endpoint"], b'{"message":"first"}') == 204
    assert b'"message":"first"' in Path(started["log"]).read_bytes()
    assert "debugloop hypothesis add" in started["workflow"]

    again = debugloop("start")
    assert f"endpoint   {started['endpoint']}\n" in again.out
    assert f"#region debugloop {started['session']}/1" in again.out
    assert again.err == f"Resumed session {started['session']}.\n"


def test_start_returns_at_once_and_leaves_no_child_that_holds_its_output(home: Path, workspace: Path) -> None:
    ran = cli("start", "--json", home=home, cwd=workspace)  # would wait for the end of both pipes

    assert ran.returncode == 0
    assert json.loads(cli("status", "--json", home=home, cwd=workspace).stdout)["collector"]["running"] is True


def test_a_second_session_has_a_directory_and_an_address_of_its_own(debugloop: Debugloop) -> None:
    one = debugloop("start", "--session", "one", "--json").answer
    two = debugloop("start", "--new", "--session", "two", "--json").answer

    assert one["directory"] != two["directory"]
    assert one["endpoint"] != two["endpoint"]


def test_a_session_in_the_workspace_hides_itself_from_git(debugloop: Debugloop, workspace: Path) -> None:
    started = debugloop("start", "--in-workspace", "--json").answer

    assert Path(started["directory"]).is_relative_to(workspace / ".debugloop")
    assert (workspace / ".debugloop" / ".gitignore").read_text() == "*\n"
    assert debugloop("status", "--json").answer["session"] == started["session"]
    assert debugloop("stop").code == 0


def test_a_new_endpoint_lists_the_lines_that_still_hold_the_old_one(debugloop: Debugloop, workspace: Path) -> None:
    old = debugloop("start", "--json").answer["endpoint"]
    (workspace / "app.js").write_text(f"// here\nfetch('{old}')\n")

    renewed = debugloop("start", "--new-endpoint", "--json").answer
    (workspace / "app.js").write_text(f"// here\nfetch('{renewed['endpoint']}')\n")
    text = debugloop("start", "--new-endpoint").out

    assert renewed["endpoint"] != old
    assert renewed["old_address"] == [{"file": "app.js", "line": 2}]
    assert "The old address is dead. These lines still hold it:\n  app.js:2\n" in text
    assert renewed["endpoint"] not in text


def test_an_allowed_origin_reaches_a_running_collector(debugloop: Debugloop, home: Path) -> None:
    started = debugloop("start", "--json").answer

    debugloop("start", "--allow-origin", "http://myapp.test:8080")

    def let_in() -> bool:
        try:
            return post(started["endpoint"], b"{}", Origin="http://myapp.test:8080") == 204
        except OSError:
            return False

    until(let_in, what="the collector's obedience")


def test_status_tells_where_the_session_stands(debugloop: Debugloop, settings: Settings) -> None:
    assert debugloop("start", "--session", "s1").code == 0
    first = debugloop("status", "--json").answer
    assert first["collector"] == {"running": True, "port": first["collector"]["port"], "crashed": False}
    keys = {"session", "workspace", "mode", "run", "events", "malformed", "rejected", "sampled", "bytes", "cap"}
    assert keys | {"agent", "panel"} <= first.keys()
    assert (first["mode"], first["run"], first["agent"], first["panel"]) == ("debug", 0, "working", "closed")

    debugloop("steps", "--title", "Wrong\x1b[2J", "Open the cart")
    session = Session(Layout(Path(first["directory"])), settings)
    with session.layout.log.open("ab") as log:
        log.write(b'{"message":"a"}\n{"torn":\n')
    address = endpoint.load(session.layout)
    assert address
    with pytest.raises(OSError, match="403"):
        post(address.url, b"{}", Origin="http://myapp.test:8080")
    until(lambda: collector_file.load(session.layout).rejected, what="the count of rejections")

    with hold(session.layout.panel_lock):
        text = debugloop("status").out
    assert "mode       debug, run 1\n" in text
    assert f"collector  running on port {address.port}\n" in text
    assert "events     2, 1 of them malformed; " in text
    assert "panel      open\n" in text
    assert "not stored 1 origin_refused\n" in text
    assert "to mend: debugloop start --allow-origin http://myapp.test:8080\n" in text
    assert "steps      Wrong\\x1b[2J\n           1. Open the cart\n" in text
    assert address.token not in text
    debugloop("steps", "Open the cart")
    assert "steps      1. Open the cart\n" in debugloop("status").out


def test_status_says_when_the_collector_was_killed_and_when_it_was_stopped(debugloop: Debugloop) -> None:
    layout = Layout(Path(debugloop("start", "--json").answer["directory"]))
    pid = collector_file.load(layout).pid
    assert pid
    os.kill(pid, signal.SIGKILL)
    until(lambda: not collector_file.running(layout), what="the end of the collector")

    assert "not running, it was killed or crashed; `debugloop start` brings it back" in debugloop("status").out
    assert debugloop("status", "--json").answer["collector"]["crashed"] is True
    assert debugloop("stop").err == "No collector was running.\n"

    debugloop("start")
    assert debugloop("stop", "--json").answer["stopped"] is True
    assert "not running, it was stopped" in debugloop("status").out


def test_stop_keeps_the_address(debugloop: Debugloop) -> None:
    before = debugloop("start", "--json").answer["endpoint"]

    assert "brings it back on the same address" in debugloop("stop").err
    assert debugloop("start", "--json").answer["endpoint"] == before


def test_serve_runs_in_the_foreground_until_it_is_told_to_stop(home: Path, workspace: Path) -> None:
    with subprocess.Popen(
        script(["serve", "--json"]), cwd=workspace, env=clean_environment(home), stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        served = json.loads(process.stdout.readline())
        status = json.loads(cli("status", "--json", home=home, cwd=workspace).stdout)
        assert status["session"] == served["session"]
        assert status["collector"] == {"running": True, "port": served["port"], "crashed": False}
        second = cli("serve", home=home, cwd=workspace)
        assert second.returncode == 1
        assert str(served["port"]) in second.stderr
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
    assert cli("start", home=home, cwd=workspace).returncode == 0


def test_serve_names_a_port_that_is_taken(debugloop: Debugloop) -> None:
    started = debugloop("start", "--json").answer
    debugloop("stop")
    address = endpoint.load(Layout(Path(started["directory"])))
    assert address
    with socket.socket() as foreign:
        foreign.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        foreign.bind((address.host, address.port))
        foreign.listen()

        for verb in ("serve", "start"):
            ran = debugloop(verb)
            assert ran.code == 1
            assert f"Port {address.port} of this session is taken" in ran.err
            assert "--new-endpoint" in ran.err


def test_a_finished_session_is_not_served(debugloop: Debugloop, settings: Settings) -> None:
    started = debugloop("start", "--session", "s1", "--json").answer
    debugloop("stop")
    Session(Layout(Path(started["directory"])), settings).update(mode="build")

    for verb in (["serve"], ["clear"], ["steps", "a"], ["wait", "--timeout", "0"], ["press", "resolved"]):
        ran = debugloop(*verb, "--session", "s1", "--json")
        assert (ran.code, ran.error["error"]) == (1, "session_finished")


def test_sessions_lists_those_of_every_workspace_and_deletes_one(
    debugloop: Debugloop, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert debugloop("sessions", "--json").answer == []
    assert "`debugloop start` makes one" in debugloop("sessions").err
    debugloop("start", "--session", "one")
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    debugloop("start", "--session", "two")

    listed = debugloop("sessions", "--json").answer
    assert {(each["session"], each["workspace"]) for each in listed} == {("one", str(workspace)), ("two", str(other))}
    assert all({"directory", "mode", "run", "updated"} <= each.keys() for each in listed)
    assert str(other) in debugloop("sessions").out

    in_use = debugloop("sessions", "delete", "two", "--json")
    assert (in_use.code, in_use.error["error"]) == (1, "session_in_use")
    debugloop("stop")
    directory = Path(next(each["directory"] for each in listed if each["session"] == "two"))
    (directory / "notes.txt").write_text("mine")
    assert debugloop("sessions", "delete", "two").err == "Deleted session two.\n"
    assert [path.name for path in directory.iterdir()] == ["notes.txt"]
    assert debugloop("stop", "--session", "one").code == 1
    monkeypatch.chdir(workspace)
    debugloop("stop")
    monkeypatch.chdir(other)
    assert debugloop("sessions", "delete", "one").code == 0


def test_a_damaged_session_hides_no_other(debugloop: Debugloop) -> None:
    debugloop("start", "--session", "good")
    bad = Path(debugloop("start", "--new", "--session", "bad", "--json").answer["directory"])
    debugloop("stop", "--session", "bad")
    (bad / "session.json").write_bytes(b"{")

    listed = {each["session"]: each for each in debugloop("sessions", "--json").answer}
    assert listed["good"]["mode"] == "debug"
    assert "is damaged" in listed["bad"]["error"]
    assert "is damaged" in debugloop("sessions").out
    assert debugloop("status", "--json").answer["session"] == "good"
    assert "is damaged" in debugloop("gc").out


def test_clear_empties_the_run_and_keeps_its_steps(debugloop: Debugloop) -> None:
    log = Path(debugloop("start", "--json").answer["log"])
    debugloop("steps", "Open the cart")
    with log.open("ab", buffering=0) as appender:
        appender.write(b'{"message":"a"}\n')
        assert debugloop("clear").err == "Run 1 is empty: 1 event removed, the steps are kept.\n"
        appender.write(b'{"message":"b"}\n')

    assert debugloop("clear", "--json").answer["events"] == 1
    assert log.read_bytes().count(b"\n") == 1
    assert debugloop("status", "--json").answer["events"] == 0


def test_gc_deletes_what_is_old_or_orphaned_and_nothing_in_use(
    debugloop: Debugloop, settings: Settings, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def session(name: str) -> Session:
        return Session(
            Layout(Path(debugloop("start", "--new", "--session", name, "--json").answer["directory"])), settings
        )

    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    orphan, orphan_in_use = session("orphan"), session("orphan-in-use")
    debugloop("stop", "--session", "orphan")
    monkeypatch.chdir(workspace)
    gone.rmdir()
    old, young, unfinished = session("old"), session("young"), session("unfinished")
    for each in (old, young):
        debugloop("stop", "--session", each.id)
        each.update(mode="build")
    content = json.loads(old.layout.session.read_bytes())
    old.layout.session.write_text(json.dumps(content | {"updated": content["updated"] - 31 * 86_400_000}))

    tried = debugloop("gc", "--dry-run", "--json").answer
    assert {each["session"] for each in tried["deleted"]} == {"old", "orphan", "orphan-in-use"}
    assert old.layout.session.exists()

    ran = debugloop("gc")
    assert "Deleted old: finished more than 30 days ago.\n" in ran.out
    assert "Deleted orphan: its workspace is gone.\n" in ran.out
    assert "Kept orphan-in-use: in use by its collector\n" in ran.out
    assert not old.layout.directory.exists()
    assert not orphan.layout.directory.exists()
    assert all(each.layout.session.exists() for each in (orphan_in_use, young, unfinished))
    assert "There is nothing to delete." not in ran.out
    debugloop("sessions", "delete", "young")
    assert debugloop("gc", "--older-than", "0", "--json").answer["deleted"] == []


def test_the_panel_is_a_program_of_its_own(home: Path, workspace: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "debugloop", "overlay", "--session", "gone", "--lang", "en"],
        cwd=workspace,
        env=clean_environment(home),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ran.returncode == 1
    assert "has no session gone" in ran.stderr
