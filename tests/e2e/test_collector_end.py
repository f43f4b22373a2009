from __future__ import annotations

import dataclasses
import os
import signal
import socket
import time
from contextlib import suppress
from functools import partial

import pytest

from debugloop.errors import LockBusy
from debugloop.ingest import daemon, process
from debugloop.session import collector_file, endpoint
from debugloop.session.locks import hold
from debugloop.session.session import Session
from tests.e2e.collectors import ended, messages, pid_of, post, refuses
from tests.support import until

pytestmark = pytest.mark.usefixtures("stopped")


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
