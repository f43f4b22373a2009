"""What really reaches the terminal, byte by byte, and how the terminal is left behind."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest

from debugloop.session import actions, endpoint
from debugloop.session.locks import hold
from tests.overlay.house import append, publish
from tests.overlay.terminal import PANEL, Pty
from tests.support import GENEROUS, ROOT, until

if TYPE_CHECKING:
    from pathlib import Path

    from debugloop.session.session import Session

EVENT: dict[str, object] = {"hypothesisId": "H1", "location": "cart.js:42", "message": "total", "data": {"sum": 3}}
STARTED = "[r Reproduced]"
RESTORED = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?1006l", b"\x1b[?2004l", b"\x1b[?7h")


def test_a_signal_to_go_on_that_ends_no_suspension_changes_nothing(
    home: Path, workspace: Path, session: Session
) -> None:
    # a terminal that goes away sends it with its SIGHUP
    with Pty(PANEL, home, workspace) as terminal:
        terminal.sees(STARTED)
        terminal.process.send_signal(signal.SIGCONT)
        append(session, EVENT)
        terminal.sees("cart.js:42")
        terminal.type("q")
        assert terminal.process.wait(GENEROUS) == 0
    assert terminal.written.count(b"\x1b[?1049h") == 1


def drawn(terminal: Pty, times: int) -> bool:
    return terminal.written.count(b"\x1b[?1049h") == times


def test_a_suspended_panel_comes_back(home: Path, workspace: Path, session: Session) -> None:
    with Pty(["bash", "-mc", f"{shlex.join(PANEL)}; fg"], home, workspace) as terminal:
        terminal.sees(STARTED)
        os.kill(child_of(terminal.process.pid), signal.SIGTSTP)
        until(partial(drawn, terminal, 2), what="the panel, drawn again")
        start = len(terminal.written)
        append(session, EVENT)
        terminal.sees("cart.js:42", start)
        terminal.type("q")
        assert terminal.process.wait(GENEROUS) == 0


def test_it_may_be_suspended_at_any_moment_also_while_it_draws(home: Path, workspace: Path, session: Session) -> None:
    with Pty(PANEL, home, workspace) as terminal:
        terminal.sees(STARTED)
        for number in range(2, 22):
            append(session, *[{"message": f"{number}-{row}"} for row in range(50)])
            terminal.process.send_signal(signal.SIGTSTP)
            until(lambda: os.waitid(os.P_PID, terminal.process.pid, os.WSTOPPED | os.WNOHANG), what="the stop")
            terminal.process.send_signal(signal.SIGCONT)
            until(partial(drawn, terminal, number), what="the panel, drawn again")
        terminal.type("q")
        assert terminal.process.wait(GENEROUS) == 0


@pytest.mark.parametrize(
    ("ending", "code"),
    [("q", 0), ("\x1b", 0), ("\x03", 0), (signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)],
    ids=["q", "Esc", "Ctrl+C", "SIGTERM", "SIGINT", "SIGHUP"],
)
def test_the_terminal_is_as_it_was(
    home: Path, workspace: Path, session: Session, ending: str | signal.Signals, code: int
) -> None:
    append(session, EVENT)
    script = f"stty -g; {shlex.join(PANEL)}; echo code=$?; stty -g; read line; echo got=$line."
    with Pty(["bash", "-mc", script], home, workspace) as terminal:
        terminal.sees(STARTED)
        before = terminal.written.split(b"\r\n")[0]
        if isinstance(ending, str):
            terminal.type(ending)
        else:
            os.kill(child_of(terminal.process.pid), ending)
        terminal.sees(f"code={code}")
        terminal.type("hello\n")
        terminal.sees("got=hello.")
        terminal.process.wait(GENEROUS)
    end = bytes(terminal.written)
    assert all(sequence in end for sequence in RESTORED)
    assert end.rindex(b"\x1b[?1049l") > end.rindex(b"\x1b[?1049h")
    assert before in end[end.rindex(b"code=") :]
    assert b"Traceback" not in end


def child_of(pid: int) -> int:
    """The program that a shell runs."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=True)
    return int(found.stdout.split()[0])


def test_quitting_while_the_mouse_moves_leaves_nothing_typed(home: Path, workspace: Path, session: Session) -> None:
    script = f"{shlex.join(PANEL)}; echo ready; read line; echo got=$line."
    with Pty(["bash", "-c", script], home, workspace) as terminal:
        terminal.sees(STARTED)
        for column in range(1, 60):
            terminal.type(f"\x1b[<35;{column};5M")
        terminal.type("q")

        def told_to_stop() -> bool:
            terminal.type("\x1b[<35;7;7M")
            return b"\x1b[?1003l" in terminal.written

        until(told_to_stop)
        terminal.sees("ready")
        terminal.type("hello\n")
        terminal.sees("got=hello.")


def test_a_window_that_is_closed_ends_the_panel(home: Path, workspace: Path, session: Session) -> None:
    publish(session)
    with Pty(PANEL, home, workspace) as terminal:
        terminal.sees(STARTED)
        terminal.close()
        assert terminal.process.wait(GENEROUS) == 129


def test_a_window_that_is_closed_while_the_panel_waits_to_draw_ends_it_too(
    home: Path, workspace: Path, session: Session
) -> None:
    with Pty(PANEL, home, workspace, size=(200, 60)) as terminal:
        terminal.sees(STARTED)
        terminal.freeze()
        seen: list[int] = []

        def stuck() -> bool:
            append(session, *[{"message": os.urandom(80).hex()} for _ in range(60)])
            seen.append(terminal.unread())
            return len(seen) > 100 and len(set(seen[-100:])) == 1

        until(stuck, what="a panel that cannot write")
        terminal.close()
        assert terminal.process.wait(GENEROUS) == 129


def test_stderr_in_a_file_does_not_hide_the_panel(home: Path, workspace: Path, session: Session) -> None:
    with Pty(["sh", "-c", f"{shlex.join(PANEL)} 2>said; echo code=$?"], home, workspace) as terminal:
        terminal.sees(STARTED)
        terminal.type("q")
        terminal.sees("code=0")
    assert (workspace / "said").read_bytes() == b""


BROKEN = """
import sys
from debugloop_overlay.{module} import {owner}

def broken(*_):
    secret = "a local variable"
    raise RuntimeError("broken on purpose")

{owner}.{method} = broken
from debugloop_overlay.main import main
main(["--lang", "en"])
"""


@pytest.mark.parametrize(
    ("module", "owner", "method"),
    [("widgets.log", "LogView", "render_line"), ("app", "Panel", "on_woke"), ("app", "Panel", "_revive")],
)
def test_an_error_of_our_own_restores_the_terminal_and_is_one_sentence(
    home: Path, workspace: Path, session: Session, module: str, owner: str, method: str
) -> None:
    address, listener = endpoint.new()
    listener.close()
    endpoint.save(session.layout, address)  # a collector to be brought back
    broken = BROKEN.format(module=module, owner=owner, method=method)
    script = f"{shlex.join([sys.executable, '-c', broken])}; echo code=$?"
    with Pty(["sh", "-c", script], home, workspace, PYTHONPATH=str(ROOT)) as terminal:
        terminal.sees("code=1")
    end = bytes(terminal.written)
    assert b"The panel met an error of its own (" in end
    assert b"broken on purpose" in end
    assert b"Every press is stored" in end
    assert b"Traceback" not in end
    assert b"a local variable" not in end
    assert all(sequence in end for sequence in RESTORED)


def test_only_the_sixteen_colours_of_the_terminals_own_theme_are_used(
    home: Path, workspace: Path, session: Session
) -> None:
    publish(session)
    append(session, EVENT, {"message": "bad", "level": "error"}, b"torn")
    with Pty([*PANEL, "--lang", "en"], home, workspace, TERM="xterm-256color", COLORTERM="truecolor") as terminal:
        terminal.sees("3 events")
        for key, shown in (
            ("?", "Esc"),
            ("\x1b", "following"),
            ("R", "Is the bug gone?"),
            ("n", "Not sent."),
            ("\x10", "▏"),
        ):
            start = len(terminal.written)
            terminal.type(key)
            terminal.sees(shown, start)
        terminal.type("\x1b\x1b")
    assert re.search(rb"\x1b\[[0-9;]*3[0-7]", terminal.written)
    assert not re.search(rb"\x1b\[(?:[0-9;]*;)?[34]8[;:]", terminal.written)


BREAKS_AT_AN_EVENT = """
from debugloop_overlay.widgets.log import LogView

extend = LogView.extend

def broken(self, rows):
    if any(b"boom" in row.raw for row in rows):
        raise RuntimeError("broken on purpose")
    extend(self, rows)

LogView.extend = broken
from debugloop_overlay.main import main
main(["--lang", "en"])
"""


def test_a_press_just_before_an_error_of_our_own_is_stored(home: Path, workspace: Path, session: Session) -> None:
    publish(session)
    append(session, EVENT)
    script = f"{shlex.join([sys.executable, '-c', BREAKS_AT_AN_EVENT])}; echo code=$?"
    with Pty(["sh", "-c", script], home, workspace, PYTHONPATH=str(ROOT)) as terminal:
        terminal.sees("1 event")
        with hold(session.layout.journal_lock):
            terminal.type("r")
            terminal.sees("Sending Reproduced")
            with session.layout.log.open("ab") as log:  # a program needs no lock
                log.write(b'{"message":"boom"}\n')
            terminal.sees(b"\x1b[?1049l")
            assert actions.presses(session) == []
        terminal.sees("code=1")
    assert [each.action for each in actions.presses(session)] == ["reproduced"]
    assert b"Traceback" not in terminal.written


def test_a_full_log_opens_at_its_end_and_every_key_still_works(home: Path, workspace: Path, session: Session) -> None:
    publish(session)
    append(session, *[{**EVENT, "message": f"ordinary row {number}", "pad": "x" * 60} for number in range(36_000)])
    append(session, {"message": "huge", "data": "y" * 60_000}, {"message": "the very last"})
    with Pty(PANEL, home, workspace, size=(120, 40)) as terminal:
        terminal.sees("the very last")
        start = terminal.sees("36,002 events")
        terminal.type("\x1b[H")
        terminal.sees("ordinary row 0 ", start)
        start = len(terminal.written)
        terminal.type("\x1b[F")
        terminal.sees("the very last", start)
        terminal.type("r")
        until(lambda: [each.action for each in actions.presses(session)] == ["reproduced"])
