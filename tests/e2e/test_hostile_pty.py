"""Hostile text from everywhere, through a real terminal: no byte of it is obeyed, and all of it can be read."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from debugloop.evidence.visible import visible
from debugloop.session import actions, collector_file, endpoint, ledger
from debugloop.session import session as sessions
from debugloop.session.collector_file import CollectorFile, Rejection
from debugloop.session.records import Steps
from debugloop.session.session import Session
from debugloop.settings import Settings
from tests.overlay.house import append, publish
from tests.overlay.terminal import PANEL, Pty
from tests.support import GENEROUS, until

STARTED = "[r Reproduced]"

# all that Textual writes: CSI sequences, and the shape of the mouse pointer
CSI = re.compile(rb"\x1b\[[0-9;?<>=$]*[A-Za-z@`~]|\x1b\]22;default\x07")
HARMLESS_FINALS = frozenset(b"mHhlup\x07")
SEQUENCES = [
    "\x1b]52;c;cHduZWQ=\x07",  # the clipboard
    "\x1b]0;pwned\x1b\\",  # the title
    "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[2J\x1b[H",
    "\x1b[?1049l\x1b[?25h",
    "\x1b[6n\x1b[c\x1b[>q",  # questions that the terminal answers as if typed
    "\x1bP$q\x1b\\",
    "\x1b_pwned\x1b\\",
    "\x1bc",
    "\x9b31m\x9d0;pwned\x9c\x90q\x9c\x9fx\x9c",
    *(chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))),
    "\u202e\u2066\u2069\u200e\u061c",
    "\u200b\u200d\ufeff\u00ad\u2060\U000e0041",
    "\u2028\u2029\u0085",
    "[bold red]markup[/] [@click=app.bell]click[/] [link=http://evil.example]x[/link]",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u26a0\ufe0f \u4e2d\u6587 e\u0301\u0301\u0301\u0301\u0301\u0301",
]
INVISIBLE = "\u202e\u2066\u2069\u200e\u061c\u200b\u200d\ufeff\u00ad\u2060\U000e0041\u2028\u2029\u0085\ufe0f"


def check_bytes(written: bytes) -> None:
    """Assert that nothing of the log is obeyed, reordered or hidden by a terminal."""
    for sequence in CSI.findall(written):
        assert sequence[-1] in HARMLESS_FINALS, sequence
    # the sixteen colours of the terminal, no others
    assert not re.search(rb"\x1b\[(?:[0-9;]*;)?[34]8;[0-9;]*m", written)
    text = CSI.sub(b"", written).decode()
    assert not re.findall(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]", text)
    assert not set(text) & set(INVISIBLE)
    for sign in (b"]52;", b"1;31m\x1b[H\x1b[2J", b"\x1b[6n", b"\x1b[c", b"\x1b[>q"):
        assert b"\x1b" + sign not in written


def test_no_byte_of_the_log_is_obeyed_by_the_terminal(home: Path, workspace: Path, session: Session) -> None:
    hostile = "".join(SEQUENCES)
    publish(session, Steps(f"title {hostile}", (f"first {hostile}", "last")))
    with Pty([*PANEL, "--lang", "en"], home, workspace, size=(200, 60)) as terminal:
        terminal.sees(STARTED)
        for number, sequence in enumerate(SEQUENCES):
            fields = ("message", "location", "hypothesisId", "level", "timestamp", "extra")
            append(session, {**dict.fromkeys(fields, sequence), "data": {sequence: [sequence]}, "n": number})
            append(session, f"{number} {sequence}".replace("\n", "").encode("utf-8", "surrogatepass"))
        terminal.sees(f"n={len(SEQUENCES) - 1}")
        terminal.type("\x1b[H")  # Home: the rows at the start, too
        terminal.sees("paused")
        start = len(terminal.written)
        terminal.type("n")
        terminal.sees("Note for the agent", start)
        terminal.type(b"\x1b[200~note " + hostile.replace("\x1b", "\x9b").encode() + b"\x1b[201~\r")
        terminal.sees("goes with the next action", start)
        terminal.type("r")
        press = until(lambda: actions.presses(session))[0]
        terminal.sees("sent as press 1")
        terminal.type("sq")
        assert terminal.process.wait(GENEROUS) == 0
    check_bytes(bytes(terminal.written))
    assert b"\\x1b]52;c;cHduZWQ=\\x07" in CSI.sub(b"", bytes(terminal.written))
    assert press.note
    assert press.note.startswith("note \\x9b]52;")


@pytest.mark.parametrize(
    ("command", "term"),
    [(["sh", "-c", f"{shlex.join(PANEL)} < /dev/null"], "xterm"), (PANEL, "dumb")],
    ids=["no terminal for input", "TERM=dumb"],
)
def test_plain_lines_are_as_harmless(
    home: Path, workspace: Path, session: Session, command: list[str], term: str
) -> None:
    for sequence in SEQUENCES:
        append(session, {"message": sequence, "data": {sequence: sequence}})
        append(session, sequence.replace("\n", "").encode())
    append(session, {"message": "the last"})
    with Pty(command, home, workspace, TERM=term) as terminal:
        terminal.sees("the last")
        session.update(mode="build")
        assert terminal.process.wait(GENEROUS) == 0
    check_bytes(bytes(terminal.written))
    assert not CSI.search(bytes(terminal.written))


def test_the_token_never_reaches_the_terminal(home: Path, workspace: Path, session: Session) -> None:
    address, listener = endpoint.new()
    listener.close()
    endpoint.save(session.layout, address)
    with Pty(PANEL, home, workspace) as terminal:
        terminal.sees(STARTED)
        terminal.type("?")
        terminal.sees(f"127.0.0.1:{address.port}")
        terminal.type("\x1b[Fq")
        terminal.process.wait(GENEROUS)
    assert address.token.encode() not in terminal.written


def shown(written: bytes) -> str:
    """What was written, without the terminal's commands and without blanks, which lines are wrapped at."""
    return "".join(CSI.sub(b"", written).decode().split())


def squeezed(text: str) -> str:
    return "".join(visible(text).split())


@pytest.fixture
def hostile_session(tmp_path: Path, workspace: Path) -> Session:
    """A session whose folder, id, steps, hypotheses, rows of two runs and rejections are hostile in every way."""
    # no file name holds a slash or a NUL, or is longer than 255 bytes
    home = tmp_path / "home \x1b]0;pwned\x07\u202e[bold]"
    home.mkdir(mode=0o700)
    made = sessions.start(Settings(home=home), workspace, session_id="x")
    folder = made.layout.directory.rename(made.layout.directory.with_name("id \x1b[2J\x9b31m\u200b[b]"))
    session = Session(type(made.layout)(folder), made.settings)
    for number, sequence in enumerate(SEQUENCES):
        ledger.add(session, f"<{number} {sequence}>")
    for _ in range(2):
        publish(session, Steps("".join(SEQUENCES), tuple(f"<{sequence}>" for sequence in SEQUENCES[:10])))
        changing = os.urandom(2).hex()
        append(session, *({"location": f"<{each}>", "message": each, "data": {each: changing}} for each in SEQUENCES))
    rejected = tuple(Rejection("t", each, each, 1, each) for each in SEQUENCES[:10])
    told = CollectorFile(rejected=dict.fromkeys(SEQUENCES[:10], 1), latest=rejected)
    collector_file.update(session.layout, session.settings, lambda _: told)
    return session


def test_what_stands_beside_the_log_is_as_harmless(hostile_session: Session, workspace: Path) -> None:
    session = hostile_session
    with Pty([*PANEL, "--lang", "en"], session.settings.home, workspace, size=(200, 120)) as terminal:
        terminal.sees(STARTED)

        def key(typed: str, sees: str) -> None:
            start = len(terminal.written)
            terminal.type(typed)
            terminal.sees(sees, start)

        key("p", "Hypotheses")
        key("\x1b[F", f"<{len(SEQUENCES) - 1} ")
        key("p", "following")
        key("=", "Changed values")
        key("=", "following")
        key("?", "Latest rejections")
        key("?", "following")
        key("[", "not live")
        key("]", "following")
        key("\x10", "Actions")
        terminal.type("\x9b2Jpwned".encode())
        terminal.sees("pwned▏")
        key("\x1b", "following")
        terminal.type("q")
        assert terminal.process.wait(GENEROUS) == 0
    check_bytes(bytes(terminal.written))
    text = shown(bytes(terminal.written))
    for sequence in SEQUENCES:
        assert squeezed(f"<{sequence}>") in text  # a location, a hypothesis or a step
    assert squeezed(str(session.layout.directory)) in text
    for rejection in SEQUENCES[:10]:
        assert squeezed(f"Rejected: {rejection} {rejection}. {rejection}") in text


@pytest.mark.parametrize(
    "verb",
    [["logs"], ["logs", "--timeline"], ["logs", "--compare", "1"], ["hypothesis", "list"], ["sessions"]],
    ids=" ".join,
)
def test_the_command_line_is_as_harmless(hostile_session: Session, workspace: Path, verb: list[str]) -> None:
    command = [sys.executable, "-m", "debugloop", *verb]
    with Pty(command, hostile_session.settings.home, workspace, size=(200, 60)) as terminal:
        assert terminal.process.wait(GENEROUS) == 0
    written = bytes(terminal.written)
    check_bytes(written)
    wanted = hostile_session.id if verb == ["sessions"] else SEQUENCES[0]
    assert squeezed(wanted) in shown(written)


LOGS = [sys.executable, "-m", "debugloop", "logs"]


def test_logs_on_a_terminal_has_the_colours_of_the_panel_and_is_as_harmless(
    home: Path, workspace: Path, session: Session
) -> None:
    append(
        session, {"hypothesisId": "H1", "location": "cart.js:42", "message": "total", "level": "error"}, b"torn \x1b[2J"
    )
    with Pty(LOGS, home, workspace, NO_COLOR="") as terminal:
        assert terminal.process.wait(GENEROUS) == 0
        terminal.sees("torn \\x1b[2J")
    check_bytes(bytes(terminal.written))
    for piece in (b"\x1b[1;31mE\x1b[0m", b"\x1b[1;36m H1\x1b[0m", b"\x1b[36m  cart.js:42\x1b[0m", b"\x1b[1;31m  total"):
        assert piece in terminal.written
    with Pty(LOGS, home, workspace, NO_COLOR="1") as terminal:
        assert terminal.process.wait(GENEROUS) == 0
        terminal.sees("torn \\x1b[2J")
    assert b"\x1b" not in terminal.written
