"""What the tests of real collector processes share."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from debugloop.session import collector_file, runs
from debugloop.session.endpoint import Endpoint
from debugloop.session.session import Session
from tests.support import clean_environment, until


def post(known: Endpoint, body: bytes, **headers: str) -> int:
    connection = http.client.HTTPConnection(known.host, known.port, timeout=30)
    try:
        connection.request("POST", known.path, body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def messages(session: Session) -> list[Any]:
    return [row.record().get("m") for row in runs.read(session)[1]]


def heard(session: Session, count: int) -> list[dict[str, Any]]:
    """The records on file, once there are that many."""

    def rows() -> list[dict[str, Any]]:
        found = [row.record() for row in runs.read(session)[1]]
        return found if len(found) >= count else []

    return until(rows)


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


def _code(session: Session, code: str) -> str:
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
    return "\n".join(lines)


@contextmanager
def holding(session: Session, code: str) -> Generator[subprocess.Popen[str]]:
    """A process that has run ``code`` and stays, with what that made, until the block ends."""
    code += "print('ready', flush=True)\ntime.sleep(600)"
    command = [sys.executable, "-P", "-c", _code(session, code)]
    environment = clean_environment(session.settings.home)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def started_by(
    session: Session, code: str, *, environment: dict[str, str] | None = None, **more: Any
) -> subprocess.CompletedProcess[str]:
    """Run code in another process, with ``session`` there as here, as the user's shell or an agent would."""
    return subprocess.run(
        [sys.executable, "-P", "-c", _code(session, code)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment or clean_environment(session.settings.home),
        **more,
    )
