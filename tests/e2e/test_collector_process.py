from __future__ import annotations

import asyncio
import dataclasses
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest

from debugloop.errors import CollectorFailed, CollectorRuns, CorruptFile, LockBusy, PortTaken
from debugloop.ingest import daemon, process
from debugloop.session import collector_file, endpoint, runs
from debugloop.session import session as sessions
from debugloop.session.endpoint import Endpoint
from debugloop.session.journal import Journal
from debugloop.session.locks import hold
from debugloop.session.session import Session
from debugloop.settings import Settings
from tests.support import ROOT, clean_environment, until


@pytest.fixture(autouse=True)
def _stopped(session: Session) -> Iterator[None]:
    yield
    if session.layout.directory.exists():
        daemon.stop(session)


def post(known: Endpoint, body: bytes, **headers: str) -> int:
    connection = http.client.HTTPConnection(known.host, known.port, timeout=30)
    try:
        connection.request("POST", known.path, body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def messages(session: Session) -> list[Any]:
    return [row.record().get("m") for row in runs.read(session)[1]]


def pid_of(session: Session) -> int:
    pid = collector_file.load(session.layout).pid
    assert pid is not None
    return pid


def refuses(known: Endpoint) -> bool:
    try:
        socket.create_connection((known.host, known.port), timeout=10).close()
    except ConnectionRefusedError:
        return True
    return False


def ended(session: Session) -> bool:
    return not collector_file.running(session.layout)


def started_by(
    session: Session, code: str, *, environment: dict[str, str] | None = None, **more: Any
) -> subprocess.CompletedProcess[str]:
    """Run code in another process, with ``session`` there as here, as the user's shell or an agent would."""
    lines = (
        "import os, sys, time",
        "from pathlib import Path",
        "from debugloop.ingest import daemon",
        "from debugloop.session.layout import Layout",
        "from debugloop.session.session import Session",
        "from debugloop.settings import Settings",
        f"session = Session(Layout(Path({str(session.layout.directory)!r})), Settings.from_environment())",
        code,
    )
    return subprocess.run(
        [sys.executable, "-P", "-c", "\n".join(lines)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment or clean_environment(session.settings.home),
        **more,
    )


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


def test_stopping_waits_for_no_client(session: Session) -> None:
    known = daemon.ensure(session)
    head = f"POST {known.path} HTTP/1.1\r\nHost: localhost\r\n".encode()
    halves = (
        b"",
        head,
        head + b'Content-Length: 9\r\n\r\n{"m":',
        head + b"Content-Length: 9000000\r\n\r\n" + b"x" * 70_000,
    )
    clients = [socket.create_connection((known.host, known.port)) for _ in halves]
    for client, half in zip(clients, halves, strict=True):
        client.sendall(half)
    assert post(known, b'{"m":1}') == 204
    began = time.monotonic()
    assert daemon.stop(session)
    assert time.monotonic() - began < daemon.TERM_SECONDS
    for client in clients:
        client.close()
    assert messages(session) == [1]


@pytest.mark.usefixtures("unmeasured")
def test_a_full_disk_is_500_without_a_torn_line_and_recovers(session: Session) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
    assert started_by(session, limit + "daemon.ensure(session)").stderr == ""
    known = daemon.ensure(session)
    body = b'{"m":"' + b"x" * 3_000 + b'"}'
    stored = 0
    while (status := post(known, body)) == 204:
        stored += 1
    assert status == 500
    rows = runs.read(session)[1]
    assert [row.malformed for row in rows] == [None] * stored
    Journal(session).clear()
    assert post(known, body) == 204
    until(lambda: collector_file.load(session.layout).rejected == {"write_failed": 1})


def test_a_collector_that_does_not_react_is_killed(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    daemon.ensure(session)
    os.kill(pid_of(session), signal.SIGSTOP)
    monkeypatch.setattr(daemon, "TERM_SECONDS", 0.2)
    assert daemon.stop(session)
    assert ended(session)


def test_what_cannot_be_ended_is_said(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon, "TERM_SECONDS", 0.1)
    with hold(session.layout.collector_lock), pytest.raises(LockBusy):
        daemon.stop(session)


def test_damaged_files_do_not_end_a_collector(session: Session) -> None:
    known = daemon.ensure(session)
    origin = "http://myapp.test:8080"
    collector_file.update(
        session.layout, session.settings, lambda file: dataclasses.replace(file, allowed_origins=(origin,))
    )
    until(lambda: post(known, b'{"m":1}', Origin=origin) == 204)
    whole = session.layout.collector.read_bytes(), session.layout.endpoint.read_bytes()
    session.layout.collector.write_text("{", encoding="utf-8")
    session.layout.endpoint.write_text("{", encoding="utf-8")
    began = time.monotonic()
    while time.monotonic() - began < 3 * process.LOOK_SECONDS:  # it looks at them and goes on
        assert post(known, b'{"m":2}', Origin=origin) == 204
    assert post(known, b'{"m":') == 400
    session.layout.collector.write_bytes(whole[0])
    session.layout.endpoint.write_bytes(whole[1])
    assert daemon.ensure(session) == known


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_ends_at_once_on_a_signal_with_what_it_accepted_on_file(session: Session, number: int) -> None:
    known = daemon.ensure(session)
    assert post(known, b'{"m":1}') == 204
    assert post(known, b'{"m":') == 400
    os.kill(pid_of(session), number)
    until(lambda: ended(session), daemon.TERM_SECONDS)
    assert messages(session) == [1]
    file = collector_file.load(session.layout)
    assert (file.pid, file.rejected) == (None, {"bad_record": 1})


def test_it_ends_when_nobody_needs_it(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBUGLOOP_IDLE_SECONDS", "0.2")
    daemon.ensure(session)
    until(lambda: ended(session))


def test_it_does_not_end_while_a_panel_is_open(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBUGLOOP_IDLE_SECONDS", "0.8")
    with hold(session.layout.panel_lock):
        daemon.ensure(session)
        time.sleep(2.5)  # that it does not end has no event to wait for
        assert not ended(session)
    until(lambda: ended(session))


def test_it_ends_when_its_endpoint_is_deleted(session: Session) -> None:
    daemon.ensure(session)
    endpoint.delete(session.layout)
    until(lambda: ended(session))


def test_it_ends_when_its_session_is_deleted(session: Session) -> None:
    known = daemon.ensure(session)
    for path in sorted(session.layout.directory.iterdir()):
        path.unlink()
    session.layout.directory.rmdir()
    with suppress(ConnectionError):  # it may have seen the end by itself
        assert post(known, b'{"m":1}') == 404
    until(partial(refuses, known))
    assert not session.layout.directory.exists()


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
    monkeypatch.setattr(daemon, "_environment", lambda: {"PYTHONPATH": "/", "DEBUGLOOP_NESTING": "no"})
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


async def test_every_204_is_on_file_whole_and_once_when_it_is_killed_under_load(session: Session) -> None:
    for _ in range(3):
        known = await asyncio.to_thread(daemon.ensure, session)
        confirmed: list[str] = []

        async def write(writer_id: str, known: Endpoint = known, confirmed: list[str] = confirmed) -> None:
            reader, writer = await asyncio.open_connection(known.host, known.port)
            for number in range(100_000):
                name = f"{writer_id}-{number}"
                body = orjson.dumps({"m": name, "fill": "x" * (8_000 if number % 7 == 0 else 20)})
                head = f"POST {known.path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
                writer.write(head + body)
                try:
                    status = await reader.readuntil(b"\r\n\r\n")
                except (asyncio.IncompleteReadError, ConnectionError):
                    break
                if not status.startswith(b"HTTP/1.1 204"):
                    break
                confirmed.append(name)
            writer.close()

        pid = pid_of(session)
        tasks = [asyncio.create_task(write(f"{pid}-{number}")) for number in range(16)]
        while len(confirmed) < 300:
            await asyncio.sleep(0)
        os.kill(pid, signal.SIGKILL)
        await asyncio.gather(*tasks)
        until(lambda: ended(session))
        rows = runs.read(session)[1]
        assert [row.malformed for row in rows if row.malformed] == []
        found = [str(row.record()["m"]) for row in rows]
        assert len(set(found)) == len(found)
        assert set(confirmed) <= set(found)
        for writer_id in {name.rpartition("-")[0] for name in confirmed}:
            numbers = [int(name.rpartition("-")[2]) for name in found if name.startswith(writer_id + "-")]
            assert numbers == sorted(numbers)
        session_log_emptied(session)


def session_log_emptied(session: Session) -> None:
    os.truncate(session.layout.log, 0)


async def test_64_writers_over_http_and_by_append_lose_and_tear_nothing(session: Session) -> None:
    known = await asyncio.to_thread(daemon.ensure, session)

    def line(writer: int, number: int) -> bytes:
        fill = 5_000 if (writer + number) % 50 == 0 else 30
        return orjson.dumps({"m": f"{writer}-{number}", "fill": "x" * fill})

    async def post_all(writer_id: int) -> None:
        reader, writer = await asyncio.open_connection(known.host, known.port)
        for number in range(200):
            body = line(writer_id, number)
            head = f"POST {known.path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            writer.write(head + body)
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 204")
        writer.close()

    code = (
        "descriptor = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)\n"
        "import json\n"
        "for number in range(200):\n"
        "    for writer in map(int, sys.argv[2:]):\n"
        "        fill = 5_000 if (writer + number) % 50 == 0 else 30\n"
        "        text = json.dumps({'m': f'{writer}-{number}', 'fill': 'x' * fill})\n"
        "        os.write(descriptor, text.encode() + b'\\n')\n"
    )
    appenders = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", "import os, sys\n" + code, str(session.layout.log), *map(str, range(first, first + 8))
        )
        for first in (0, 8, 16, 24)
    ]
    await asyncio.gather(*(post_all(writer) for writer in range(32, 64)), *(each.wait() for each in appenders))
    assert [each.returncode for each in appenders] == [0] * 4
    rows = runs.read(session)[1]
    assert [row.text for row in rows if row.malformed] == []
    found = [str(row.record()["m"]) for row in rows]
    assert sorted(found) == sorted(f"{writer}-{number}" for writer in range(64) for number in range(200))
