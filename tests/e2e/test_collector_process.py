from __future__ import annotations

import dataclasses
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from debugloop.errors import CollectorFailed, CollectorRuns, CorruptFile, PortTaken
from debugloop.ingest import daemon
from debugloop.session import collector_file, endpoint
from debugloop.session import session as sessions
from debugloop.session.endpoint import Endpoint
from debugloop.session.locks import hold
from debugloop.session.session import Session
from debugloop.settings import Settings
from tests.e2e.collectors import ended, messages, pid_of, post, started_by
from tests.support import ROOT, clean_environment, cli, until

pytestmark = pytest.mark.usefixtures("stopped")


def test_a_started_collector_stores_and_a_second_start_attaches_to_it(session: Session) -> None:
    known = daemon.ensure(session)
    assert post(known, b'{"m":1}') == 204
    pid = pid_of(session)
    assert daemon.ensure(session) == known
    other = started_by(session, "print(daemon.ensure(session).port)")
    assert (other.stdout, other.stderr) == (f"{known.port}\n", "")
    assert pid_of(session) == pid
    assert messages(session) == [1]


def test_many_starts_at_once_give_one_collector(session: Session) -> None:
    found: list[Endpoint] = []
    threads = [threading.Thread(target=lambda: found.append(daemon.ensure(session))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert len(found) == 8
    assert post(found[0], b'{"m":1}') == 204


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_where_uvloop_is_not_made_for_the_platform_it_does_the_same_without(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "uvloop.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    known = daemon.ensure(session)
    assert post(known, b'{"m":1}') == 204
    assert "uvloop" not in Path(f"/proc/{pid_of(session)}/maps").read_text()
    assert daemon.stop(session)
    assert messages(session) == [1]


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_collector_that_comes_back_has_the_same_url(session: Session, end: str) -> None:
    known = daemon.ensure(session)
    assert post(known, b'{"m":1}') == 204
    pid = pid_of(session)
    if end == "stop":
        assert daemon.stop(session)
        assert collector_file.load(session.layout).pid is None
    else:
        os.kill(pid, signal.SIGKILL)
        until(lambda: ended(session))
        assert collector_file.load(session.layout).pid == pid
    assert daemon.ensure(session) == known
    assert pid_of(session) != pid
    assert post(known, b'{"m":2}') == 204
    assert messages(session) == [1, 2]


def test_stopping_what_does_not_run_says_so(session: Session) -> None:
    assert not daemon.stop(session)
    daemon.ensure(session)
    assert daemon.stop(session)
    assert not daemon.stop(session)
    assert endpoint.load(session.layout) is not None


def test_a_taken_port_is_an_error_that_names_it_and_ends_nobody(session: Session) -> None:
    known = daemon.ensure(session)
    daemon.stop(session)
    with endpoint.bind(known.port) as foreign:
        with pytest.raises(PortTaken, match=str(known.port)):
            daemon.ensure(session)
        assert ended(session)
        client = socket.create_connection(foreign.getsockname(), timeout=10)
        server, _ = foreign.accept()
        server.close()
        client.close()
    assert daemon.ensure(session) == known


def test_a_foreign_server_is_not_taken_for_a_collector_that_starts(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = daemon.ensure(session)
    daemon.stop(session)
    monkeypatch.setattr(daemon, "START_SECONDS", 0.2)
    with endpoint.bind(known.port), hold(session.layout.collector_lock), pytest.raises(CollectorFailed, match="lock"):
        daemon.ensure(session)


def test_a_new_endpoint_is_another_port_and_token_and_the_old_is_dead(session: Session) -> None:
    old = daemon.ensure(session)
    new = daemon.renew(session)
    assert (new.port, new.token) != (old.port, old.token)
    assert post(new, b'{"m":1}') == 204
    with pytest.raises(ConnectionRefusedError):
        post(old, b'{"m":2}')
    assert daemon.ensure(session) == new


def test_a_new_endpoint_is_the_way_out_of_a_taken_port(session: Session) -> None:
    old = daemon.ensure(session)
    daemon.stop(session)
    with endpoint.bind(old.port):
        assert post(daemon.renew(session), b'{"m":1}') == 204


def test_two_workspaces_share_nothing(session: Session, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = sessions.start(settings, tmp_path / "other")
    try:
        here, there = daemon.ensure(session), daemon.ensure(other)
        for number in range(10):
            assert post(here, b'{"m":"here %d"}' % number) == 204
            assert post(there, b'{"m":"there %d"}' % number) == 204
        assert post(dataclasses.replace(here, port=there.port), b'{"m":"astray"}') == 404
        daemon.stop(session)
        assert post(there, b'{"m":"there 10"}') == 204
    finally:
        daemon.stop(other)
    assert messages(session) == [f"here {number}" for number in range(10)]
    assert messages(other) == [f"there {number}" for number in range(11)]


def test_start_returns_at_once_and_leaves_no_output_open(session: Session) -> None:
    # capture_output reads until every writer of the pipe is gone; 3 is what a shell would leave open
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)  # noqa: FBT003 -- its only argument
    done = started_by(session, "print(daemon.ensure(session).port)", close_fds=False)
    os.close(writer)
    assert os.read(reader, 1) == b""
    os.close(reader)
    assert done.stderr == ""
    known = endpoint.load(session.layout)
    assert known is not None
    assert done.stdout == f"{known.port}\n"
    assert post(known, b'{"m":1}') == 204


def test_the_collector_outlives_the_shell_that_started_it_and_is_nobodys_child(session: Session) -> None:
    done = started_by(session, "daemon.ensure(session); os.killpg(0, 15)", start_new_session=True)
    assert done.returncode == -signal.SIGTERM
    pid = pid_of(session)
    assert os.getsid(pid) not in {os.getsid(0), pid}
    assert not collector_file.load(session.layout).rejected
    known = endpoint.load(session.layout)
    assert known is not None
    assert post(known, b'{"m":1}') == 204
    daemon.stop(session)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_the_token_is_in_no_argument_and_no_environment(session: Session) -> None:
    known = daemon.ensure(session)
    process = Path("/proc") / str(pid_of(session))
    if not process.exists():
        pytest.skip("no /proc on this system")
    assert known.token not in (process / "cmdline").read_text(encoding="utf-8")
    assert known.token not in (process / "environ").read_text(encoding="utf-8")
    assert known.token not in repr(known)


def test_modules_of_the_users_folder_are_not_imported(session: Session, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    for name in ("aiohttp", "orjson", "logging", "debugloop", "signal", "platform"):
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'a').write('{name} ')\n")
    environment = clean_environment(session.settings.home, PYTHONPATH=str(ROOT / "collector"))
    code = f"os.chdir({str(folder)!r}); os.environ['PYTHONPATH'] += ':.:'; daemon.ensure(session)"
    done = started_by(session, code, environment=environment)
    assert done.stderr == ""
    assert not (tmp_path / "imported").exists()
    assert not ended(session)


def test_origins_allowed_later_are_obeyed_within_a_second_and_refusals_are_on_file(session: Session) -> None:
    known = daemon.ensure(session)
    origin = "http://myapp.test:8080"
    assert post(known, b'{"m":1}', Origin=origin) == 403
    (refused,) = until(lambda: collector_file.load(session.layout).latest)
    assert (refused.code, refused.origin, refused.size) == ("origin_refused", origin, 7)
    assert refused.mend == f"debugloop start --allow-origin {origin}"
    collector_file.update(
        session.layout, session.settings, lambda file: dataclasses.replace(file, allowed_origins=(origin,))
    )
    until(lambda: post(known, b'{"m":2}', Origin=origin) == 204)
    assert messages(session) == [2]


def test_what_stops_a_start_is_said_by_the_starter(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session.layout.endpoint.write_text("{", encoding="utf-8")
    with pytest.raises(CorruptFile, match="debug-endpoint"):
        daemon.ensure(session)
    session.layout.endpoint.unlink()
    monkeypatch.setattr(
        daemon, "_environment", lambda: clean_environment(session.settings.home, DEBUGLOOP_NESTING="no")
    )
    with pytest.raises(CollectorFailed, match="DEBUGLOOP_NESTING is 'no'"):
        daemon.ensure(session)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(CollectorFailed, match="ended at once"):
        daemon.ensure(session)
    monkeypatch.undo()
    assert ended(session)
    daemon.ensure(session)


def test_a_collector_in_the_foreground_serves_until_it_is_told_to_stop(session: Session) -> None:
    code = "daemon.serve(session, lambda known: print(known.port, flush=True))"
    done: list[subprocess.CompletedProcess[str]] = []
    thread = threading.Thread(target=lambda: done.append(started_by(session, code)))
    thread.start()
    until(lambda: collector_file.load(session.layout).pid)
    known = daemon.ensure(session)
    assert post(known, b'{"m":1}') == 204
    with pytest.raises(CollectorRuns, match=f"port {known.port}"):
        daemon.serve(session, lambda _: None)
    assert daemon.stop(session)
    thread.join()
    assert (done[0].returncode, done[0].stdout, done[0].stderr) == (0, f"{known.port}\n", "")


def test_a_session_touches_nothing_that_a_watcher_of_the_workspace_looks_at(session: Session, workspace: Path) -> None:
    (workspace / "src").mkdir()
    (workspace / "src" / "app.js").write_text("run();\n")

    def seen() -> dict[str, tuple[int, int]]:
        # a file that came and went shows in the time of its folder
        return {
            str(path): (path.stat().st_mtime_ns, path.stat().st_ctime_ns) for path in (workspace, *workspace.rglob("*"))
        }

    before = seen()
    known = daemon.ensure(session)
    assert post(known, b'{"m":1}') == 204
    home = session.settings.home
    for verb in (
        ("start",),
        ("hypothesis", "add", "the price is text"),
        ("steps", "Open the page"),
        ("snippet", "javascript"),
        ("logs",),
        ("wait", "--timeout", "0"),
        ("status",),
        ("scan",),
        ("doctor",),
        ("clear",),
        ("stop",),
    ):
        assert cli(*verb, home=home, cwd=workspace).returncode in {0, 3}, verb
    assert seen() == before
