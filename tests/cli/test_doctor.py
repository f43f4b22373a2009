"""``debugloop doctor`` without a host: what keeps events from the log, with its mending."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from debugloop.ingest import daemon
from debugloop.session import collector_file, endpoint
from debugloop.session.session import Session
from tests.e2e.collectors import post
from tests.servers import Handler, served
from tests.support import cli, until


@contextmanager
def page_with(policy: str | None, html: str = "<title>shop</title>", status: int = 200) -> Generator[int]:
    """A page with this policy in its header; gives the port of its server."""

    class Page(Handler):
        def get(self) -> None:
            self.send_response(status)
            if policy is not None:
                self.send_header("Content-Security-Policy", policy)
            self.end_headers()
            self.wfile.write(html.encode())

    with served(Page) as port:
        yield port


class Doctor:
    def __init__(self, session: Session) -> None:
        self._home = session.settings.home
        self._workspace = Path(session.state().workspace)

    def says(self, *arguments: str, code: int = 1) -> str:
        ran = cli("doctor", *arguments, home=self._home, cwd=self._workspace)
        assert ran.returncode == code, ran.stdout + ran.stderr
        return ran.stdout if code == 0 else ran.stderr


@pytest.fixture
def doctor(session: Session) -> Doctor:
    return Doctor(session)


def test_where_all_is_well_it_says_so(session: Session, doctor: Doctor) -> None:
    daemon.ensure(session)
    assert doctor.says(code=0) == "Events reach the log.\n"
    with page_with("script-src 'self'; connect-src *") as port:
        assert json.loads(doctor.says("--page", f"http://localhost:{port}/", "--json", code=0))["session"] == session.id


def test_a_collector_that_does_not_run_is_said_with_the_command_that_starts_it(doctor: Doctor) -> None:
    assert "`debugloop start` brings it back" in doctor.says()


def test_events_that_were_refused_are_told_with_their_mending(session: Session, doctor: Doctor) -> None:
    known = daemon.ensure(session)
    assert post(known, b"{}", Origin="http://myapp.test:8080") == 403
    until(lambda: collector_file.load(session.layout).latest)
    said = doctor.says()
    assert "debugloop start --allow-origin http://myapp.test:8080" in said
    assert known.token not in said


def test_a_policy_that_keeps_a_page_from_sending_is_named_with_the_exact_directive(
    session: Session, doctor: Doctor
) -> None:
    known = daemon.ensure(session)
    with page_with("default-src 'self'; connect-src 'self'") as port:
        said = doctor.says("--page", f"http://localhost:{port}/shop")
    assert "(Content-Security-Policy)" in said
    assert f"`connect-src 'self' http://127.0.0.1:{known.port}`" in said
    with page_with(None, """<meta http-equiv="Content-Security-Policy" content="default-src 'none'">""", 500) as port:
        said = doctor.says("--page", f"http://127.0.0.1:{port}/")
    assert "(meta) forbids it to send: `default-src 'none'`. While you debug let it say `connect-src http" in said
    assert known.token not in said


def test_a_page_of_another_origin_is_told_the_flag_that_lets_it_in(session: Session, doctor: Doctor) -> None:
    daemon.ensure(session)
    with page_with(None) as port:
        assert f"--allow-origin http://0.0.0.0:{port}`" in doctor.says("--page", f"http://0.0.0.0:{port}/")


@pytest.mark.parametrize(
    "page", ["http://127.0.0.1:1/", "http://127.0.0.1:99999/", "file:///etc/passwd", "shop", "http://", "http://[::1"]
)
def test_a_page_that_does_not_come_is_one_sentence(session: Session, doctor: Doctor, page: str) -> None:
    daemon.ensure(session)
    said = doctor.says("--page", page)
    assert said.startswith(f"The page {page} cannot be read: ")
    assert said.count("\n") == 1
    assert "Errno" not in said


def test_a_page_that_never_ends_is_judged_by_what_has_come(session: Session, doctor: Doctor) -> None:
    daemon.ensure(session)
    asked = threading.Event()

    class Page(Handler):
        def get(self) -> None:
            self.send_response(200)
            self.send_header("Content-Security-Policy", "connect-src 'self'")
            self.end_headers()
            asked.wait(60)

    with served(Page) as port:
        try:
            assert "(Content-Security-Policy) forbids" in doctor.says("--page", f"http://localhost:{port}/events")
        finally:
            asked.set()


def test_a_page_that_leads_back_to_itself_is_no_hang(session: Session, doctor: Doctor) -> None:
    daemon.ensure(session)

    class Page(Handler):
        def get(self) -> None:
            self.send_response(302)
            self.send_header("Location", "/")
            self.end_headers()

    with served(Page) as port:
        assert doctor.says("--page", f"http://localhost:{port}/", code=0)


def test_a_page_and_a_host_are_two_questions(doctor: Doctor) -> None:
    assert "Leave the host away." in doctor.says("claude-code", "--page", "http://localhost/", code=2)


def test_a_full_log_is_said(session: Session, doctor: Doctor) -> None:
    daemon.ensure(session)
    session.layout.log.write_bytes(b"{}\n" * (session.settings.log_bytes // 3 + 1))
    assert "The log is full." in doctor.says()


def test_it_asks_nothing_that_is_counted(session: Session, doctor: Doctor) -> None:
    daemon.ensure(session)
    before = endpoint.load(session.layout)
    doctor.says(code=0)
    doctor.says(code=0)
    assert endpoint.load(session.layout) == before
    assert "rejected" not in cli("status", home=session.settings.home, cwd=Path(session.state().workspace)).stdout
