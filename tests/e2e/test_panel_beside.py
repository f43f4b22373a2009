"""What stands beside the live log, in a real tmux: every key of it in both languages at both ends of the sizes."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from debugloop.session import actions, ledger
from debugloop.session.locks import hold
from debugloop.session.records import Steps
from debugloop.session.session import Session
from debugloop_overlay import languages
from tests.overlay.house import append, publish
from tests.overlay.terminal import PANEL, Pty, Tmux
from tests.support import GENEROUS, until

CLOSED = b"\x1b[?1049l"
EVENT: dict[str, object] = {"hypothesisId": "H1", "location": "cart.js:42", "message": "total", "data": {"sum": 3}}


@pytest.mark.parametrize("language", languages.LANGUAGES)
@pytest.mark.parametrize("size", [(80, 24), (40, 10)], ids=["80x24", "40x10"])
def test_hypotheses_runs_comparison_palette_and_language_by_plain_keys(
    home: Path, workspace: Path, session: Session, size: tuple[int, int], language: str
) -> None:
    words = languages.load(language)
    ledger.add(session, "The price is text")
    ledger.set_verdict(session, "H1", "confirmed", [])
    publish(session, Steps("Before", ("Open",)))
    append(session, EVENT, {"location": "only.js:1", "message": "before"})
    publish(session, Steps("After", ("Open",)))
    append(session, {**EVENT, "data": {"sum": 5}}, {"hypothesisId": "H2", "location": "new.js:7"})
    panel = shlex.join([*PANEL, "--lang", language])
    with Tmux(["sh", "-c", f"{panel}; echo exit=$?; exec sleep 100"], home, workspace, size=size) as tmux:
        tmux.sees(words.run.format(run=2), "After", "new.js:7")
        tmux.keys("p")
        tmux.sees(words.hypotheses, "▸ H1 ✓", words.verdict_confirmed)
        tmux.keys("Enter")
        tmux.sees("cart.js:42", words.following)
        until(lambda: "new.js:7" not in tmux.screen(), what="the events of H1 alone")
        tmux.keys("Escape")
        tmux.sees("new.js:7")
        tmux.keys("[")
        tmux.sees(words.run.format(run=1), words.not_live_short, "Before", "only.js:1")
        tmux.keys("]")
        tmux.sees(words.run.format(run=2), "new.js:7")
        tmux.keys("=")
        tmux.sees(words.compared.format(before=1, after=2), words.compared_changed, "data.sum 3 → 5")
        tmux.keys("=")
        tmux.sees("new.js:7", words.log)
        tmux.keys("C-p")
        tmux.sees(words.palette)
        tmux.keys("-l", "english")
        tmux.sees("english▏", "▸ L")
        tmux.keys("Escape")
        tmux.sees("new.js:7", words.log)
        tmux.keys("L")
        tmux.sees(languages.after(words).reproduced)
        tmux.keys("L")
        tmux.sees(words.reproduced)
        tmux.keys("a")
        tmux.sees("tmux")  # the program that took the text
        assert f"debugloop wait --session {session.id}" in tmux.run("show-buffer")
        tmux.keys("q")
        tmux.sees("exit=0")
        assert actions.presses(session) == []


@pytest.mark.parametrize("typed", ["q", "\x03"], ids=["q", "Ctrl+C"])
def test_a_press_that_waits_for_a_lock_is_stored_although_the_panel_is_closed(
    home: Path, workspace: Path, session: Session, typed: str
) -> None:
    publish(session)
    append(session, EVENT)
    with Pty([*PANEL, "--lang", "en"], home, workspace) as terminal:
        terminal.sees("1 event")
        with hold(session.layout.journal_lock):
            terminal.type("r")
            terminal.sees("Sending Reproduced")
            terminal.type(typed)
            terminal.sees(CLOSED)
            assert actions.presses(session) == []
        assert terminal.process.wait(GENEROUS) == 0
    assert [each.action for each in actions.presses(session)] == ["reproduced"]


def test_the_text_to_hand_over_goes_to_the_terminal_where_there_is_no_program_for_it(
    home: Path, workspace: Path, session: Session
) -> None:
    publish(session)
    with Pty([*PANEL, "--lang", "en"], home, workspace, size=(200, 24), DISPLAY="", WAYLAND_DISPLAY="") as terminal:
        terminal.sees("[r Reproduced]")
        terminal.type("a")
        terminal.sees("Copied (OSC 52), paste it to the agent: Run `debugloop wait --session")
        terminal.sees(b"\x1b]52;c;")
        terminal.type("q")
        assert terminal.process.wait(GENEROUS) == 0


@pytest.mark.parametrize("end", ["q", "\x03", "\x1b"], ids=["q", "Ctrl+C", "Esc"])
def test_a_press_and_the_end_that_come_in_one_go_store_the_press(
    home: Path, workspace: Path, session: Session, end: str
) -> None:
    publish(session)
    append(session, EVENT)
    with Pty([*PANEL, "--lang", "en"], home, workspace) as terminal:
        terminal.sees("1 event")
        terminal.type(f"r{end}")
        terminal.sees(CLOSED)
        assert terminal.process.wait(GENEROUS) == 0
    assert [each.action for each in actions.presses(session)] == ["reproduced"]


@pytest.mark.parametrize("end", ["q", "\x03"], ids=["q", "Ctrl+C"])
def test_a_key_behind_the_one_that_closes_the_panel_presses_nothing(
    home: Path, workspace: Path, session: Session, end: str
) -> None:
    publish(session)
    append(session, EVENT)
    with Pty([*PANEL, "--lang", "en"], home, workspace) as terminal:
        terminal.sees("1 event")
        terminal.type(f"{end}r")
        terminal.sees(CLOSED)
        assert terminal.process.wait(GENEROUS) == 0
    assert actions.presses(session) == []


@pytest.mark.parametrize("typed", ["/abc\x03", "nabc\x11"], ids=["Ctrl+C in a search", "Ctrl+Q in a note"])
def test_the_panel_is_closed_also_from_a_line_that_is_typed(
    home: Path, workspace: Path, session: Session, typed: str
) -> None:
    with Pty([*PANEL, "--lang", "en"], home, workspace) as terminal:
        terminal.sees("[r Reproduced]")
        terminal.type(typed)
        assert terminal.process.wait(GENEROUS) == 0


def test_a_press_that_cannot_be_stored_once_the_panel_is_closed_is_told_on_the_terminal(
    home: Path, workspace: Path, session: Session
) -> None:
    publish(session)
    append(session, EVENT)
    with (
        hold(session.layout.journal_lock),
        Pty([*PANEL, "--lang", "en"], home, workspace, DEBUGLOOP_LOCK_SECONDS="1") as terminal,
    ):
        terminal.sees("1 event")
        terminal.type("rq")
        terminal.sees(CLOSED)
        end = terminal.written.index(CLOSED)
        assert terminal.process.wait(GENEROUS) == 1
        terminal.sees("Reproduced was not sent: ", end)
        terminal.sees("Open the panel again and press it once more.", end)
    assert b"Traceback" not in terminal.written
    assert actions.presses(session) == []


def test_an_impatient_ctrl_c_does_not_take_back_a_press_that_waits_for_a_lock(
    home: Path, workspace: Path, session: Session
) -> None:
    publish(session)
    append(session, EVENT)
    with Pty([*PANEL, "--lang", "en"], home, workspace, DEBUGLOOP_LOCK_SECONDS=str(GENEROUS)) as terminal:
        terminal.sees("1 event")
        with hold(session.layout.journal_lock):
            terminal.type("rq")
            terminal.sees(CLOSED)
            end = terminal.written.index(CLOSED)
            terminal.sees("Sending Reproduced", end)
            terminal.type("\x03")
            terminal.sees("^C", end)
        assert terminal.process.wait(GENEROUS) == 0
    assert [each.action for each in actions.presses(session)] == ["reproduced"]
    assert b"Traceback" not in terminal.written


def test_presses_that_wait_behind_another_are_stored_in_their_order_although_the_panel_is_closed(
    home: Path, workspace: Path, session: Session
) -> None:
    publish(session)
    append(session, EVENT)
    with Pty([*PANEL, "--lang", "en"], home, workspace) as terminal:
        terminal.sees("1 event")
        with hold(session.layout.journal_lock):
            terminal.type("r")
            terminal.sees("Sending Reproduced")
            terminal.type("Ry")
            terminal.sees("Sending Resolved")
            terminal.type("q")
            terminal.sees(CLOSED)
        assert terminal.process.wait(GENEROUS) == 0
    assert [each.action for each in actions.presses(session)] == ["reproduced", "resolved"]


def test_what_is_begun_twice_and_never_ended_leaves_no_warning_on_the_terminal(
    home: Path, workspace: Path, session: Session
) -> None:
    publish(session)
    append(session, EVENT)
    with Pty([*PANEL, "--lang", "en"], home, workspace) as terminal:
        terminal.sees("1 event")
        terminal.type("[][]aaq")
        terminal.sees(CLOSED)
        assert terminal.process.wait(GENEROUS) == 0
        until(lambda: terminal.unread() == 0, what="the end of what it wrote")
        said = bytes(terminal.written).partition(CLOSED)[2]
    assert b"Warning" not in said


def test_escape_and_a_letter_that_come_in_one_go_are_both_obeyed(home: Path, workspace: Path, session: Session) -> None:
    publish(session)
    append(session, EVENT)
    with Pty([*PANEL, "--lang", "en"], home, workspace) as terminal:
        terminal.sees("1 event")

        def key(typed: str, sees: str) -> None:
            start = len(terminal.written)
            terminal.type(typed)
            terminal.sees(sees, start)

        key("?", "Help")
        key("\x1bs", "Open the cart")
        key("\x1bR", "Is the bug gone?")
        key("\x1bj", "Tab: back to the actions")
        key("non", "on")
        terminal.type("\x1br")  # a line that is typed lets Alt be
        key("ce\r", "The note goes with the next action: once")
        key("?", "Help")
        terminal.type("\x1br")
        until(lambda: [each.note for each in actions.presses(session)] == ["once"])
        terminal.type("\x1bq")
        assert terminal.process.wait(GENEROUS) == 0
    assert [each.action for each in actions.presses(session)] == ["reproduced"]
