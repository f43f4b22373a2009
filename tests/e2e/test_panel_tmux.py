"""The panel in a real tmux, beside the real collector and real programs that append."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import urllib.request
from typing import TYPE_CHECKING

import pytest

from debugloop.session import actions, collector_file, endpoint
from debugloop.session.locks import is_held
from debugloop.session.records import Steps
from debugloop_overlay import languages
from tests.overlay.house import STEPS, append, publish
from tests.overlay.terminal import PANEL, Tmux
from tests.support import GENEROUS, clean_environment, cli, until

if TYPE_CHECKING:
    from pathlib import Path

    from debugloop.session.session import Session

EVENT: dict[str, object] = {"hypothesisId": "H1", "location": "cart.js:42", "message": "total", "data": {"sum": 3}}


@pytest.mark.parametrize("language", languages.LANGUAGES)
@pytest.mark.parametrize("size", [(80, 24), (40, 10)], ids=["80x24", "40x10"])
def test_the_whole_panel_by_plain_keys(
    home: Path, workspace: Path, session: Session, size: tuple[int, int], language: str
) -> None:
    words = languages.load(language)
    publish(session, Steps("Wrong total", ("Open the cart",)))
    panel = shlex.join([*PANEL, "--lang", language])
    with Tmux(["sh", "-c", f"{panel}; echo exit=$?; exec sleep 100"], home, workspace, size=size) as tmux:
        tmux.sees("DEBUG LOGS", words.run.format(run=1), "Wrong total", "1. Open the cart", words.reproduced)
        append(session, EVENT)
        tmux.sees("H1 cart.js:42", "total")
        tmux.keys("r")
        until(lambda: [each.action for each in actions.presses(session)] == ["reproduced"])
        tmux.keys("Tab")
        tmux.sees(f"[R {words.resolved}]")
        tmux.keys("BTab")
        tmux.sees(f"[r {words.reproduced}]")
        tmux.keys("Left", "Enter")
        tmux.sees(f"[C {words.clear}]", words.yes_no[:1])
        tmux.keys("y")
        until(lambda: [each.action for each in actions.presses(session)] == ["reproduced", "clear"])
        tmux.sees("1. Open the cart", words.cleared.format(run=1))
        append(session, {"message": "after the clear"})
        screen = tmux.sees("after the clear")
        assert "cart.js:42" not in screen
        assert screen.count("after the clear") == 1
        tmux.keys("n")
        tmux.keys("-l", "a note")
        tmux.keys("Enter")
        tmux.keys("R")
        tmux.keys("y")
        until(lambda: [each.note for each in actions.presses(session)] == [None, None, "a note"])
        tmux.keys("q")
        tmux.sees("exit=0")
        assert tmux.tells("#{alternate_on} #{mouse_any_flag} #{cursor_flag} #{wrap_flag}") == "0 0 1 1"
        assert not is_held(session.layout.panel_lock)


def test_every_key_of_the_log_works_in_tmux(home: Path, workspace: Path, session: Session) -> None:
    levels = ("debug", "warn", "error")
    append(
        session,
        *(
            {
                "message": f"row {number:03}",
                "level": levels[number % 3],
                "timestamp": 1_764_532_800_000 + number * 1_000,
            }
            for number in range(100)
        ),
    )
    with Tmux([*PANEL, "--lang", "en"], home, workspace) as tmux:
        tmux.sees("row 099", "following")
        for keys, seen in (
            (("k", "k"), "99/100"),
            (("g",), "1/100"),
            (("C-d",), "9/100"),
            (("C-u",), "row 000"),
            (("b",), "1/100"),
            (("Space",), "18/100"),
            (("b",), "row 000"),
            (("G",), "following"),
            (("E",), "E>row 098"),
            (("E",), "E>row 095"),
            (("e",), "E>row 098"),
            (("/", "r", "o", "w", " ", "0", "5", "Enter"), "/row 05 1/10"),
            (("n",), "/row 05 2/10"),
            (("N",), "/row 05 1/10"),
            (("o",), '"message": "row 050"'),
            (("Escape",), "paused · /row 05 1/10"),
            (("Escape",), "paused · 51/100 · End"),
            ((":", "1", "2", "Enter"), "12/100"),
            (("&", "-", "0", "Enter"), "&-0"),
            (("&", "C-u", "1", "1", "Enter"), " 1 of 100"),
            (("Escape",), "paused · 12/100"),
            (("4",), "33 of 100"),
            (("4",), "paused · 12/100"),
            (("G",), "row 099"),
            (("t",), "since the run began"),
            (("z",), "repeats folded"),
            (("w",), "row 099"),
            (("l",), "row 099"),
            (("h",), "row 099"),
            (("Y",), "the JSON of row"),
            (("y",), "the message of row"),
            (("f",), "paused"),
            (("f",), "following"),
        ):
            tmux.keys(*keys)
            tmux.sees(seen)


def test_scrolled_up_nothing_moves_and_end_resumes(home: Path, workspace: Path, session: Session) -> None:
    publish(session)
    append(session, *[{"message": f"row {number:03}"} for number in range(100)])
    with Tmux(PANEL, home, workspace) as tmux:
        tmux.sees("row 099", "following")
        tmux.keys("PPage")
        before = tmux.sees("paused", "End resumes")
        append(session, *[{"message": f"new {number}"} for number in range(7)])
        after = tmux.sees("7 new")
        assert re.findall(r"row \d+", after) == re.findall(r"row \d+", before)
        tmux.keys("Home")
        tmux.sees("row 000")
        tmux.keys("Down")
        tmux.sees("row 001")
        tmux.keys("End")
        tmux.sees("new 6", "following")
        tmux.keys("Up", "Up")
        tmux.sees("paused")
        tmux.keys("f")
        tmux.sees("following")


APPENDER = """
import json, sys
name, log = sys.argv[1:]
with open(log, "ab", buffering=0) as file:
    for number in range(40):
        file.write(json.dumps({"message": f"<{name}-{number}>", "pad": "x" * (number * 7)}).encode() + b"\\n")
"""


def test_three_backends_append_while_a_page_posts_and_each_event_shows_once(
    home: Path, workspace: Path, session: Session
) -> None:
    started = json.loads(cli("start", "--json", home=home, cwd=workspace).stdout)
    publish(session)
    with Tmux(PANEL, home, workspace, size=(400, 200)) as tmux:
        tmux.sees("Nothing has arrived")
        backends = [subprocess.Popen([sys.executable, "-c", APPENDER, name, str(session.layout.log)]) for name in "abc"]
        for number in range(40):
            body = json.dumps({"message": f"<page-{number}>"}).encode()
            with urllib.request.urlopen(started["endpoint"], body, timeout=GENEROUS) as answer:
                assert answer.status == 204
        assert [backend.wait(GENEROUS) for backend in backends] == [0, 0, 0]
        tmux.sees("160 events")
        names = sorted(f"<{name}-{number}>" for name in ("a", "b", "c", "page") for number in range(40))
        until(lambda: sorted(re.findall(r"<\w+-\d+>", tmux.screen())) == names, what="each event once")
        tmux.keys("C", "y")
        tmux.sees("── 0 events", "1. Open the cart")
        with urllib.request.urlopen(started["endpoint"], b'{"message": "<again>"}', timeout=GENEROUS):
            pass
        tmux.sees("<again>", "1 event ")


def test_wait_returns_when_reproduced_is_pressed_in_the_panel(home: Path, workspace: Path, session: Session) -> None:
    publish(session)
    append(session, EVENT)
    with Tmux(PANEL, home, workspace) as tmux:
        tmux.sees("1 event ")
        with subprocess.Popen(
            [sys.executable, "-m", "debugloop", "wait", "--timeout", "60", "--json"],
            cwd=workspace,
            env=clean_environment(home),
            stdout=subprocess.PIPE,
            text=True,
        ) as wait:
            tmux.sees("waiting for you")
            tmux.keys("r")
            answer = json.loads(wait.communicate(timeout=GENEROUS)[0])
        assert (answer["status"], answer["press"], answer["run"], answer["events"]) == ("reproduced", 1, 1, 1)
        tmux.sees("press 1 Reproduced: with the agent")


def test_a_dead_collector_is_brought_back_on_the_same_url(home: Path, workspace: Path, session: Session) -> None:
    url = json.loads(cli("start", "--json", home=home, cwd=workspace).stdout)["endpoint"]
    os.kill(collector_file.load(session.layout).pid or 0, signal.SIGKILL)
    until(lambda: not collector_file.running(session.layout))
    with Tmux(PANEL, home, workspace) as tmux:
        tmux.sees("DEBUG LOGS")
        until(lambda: collector_file.running(session.layout))
        until(lambda: "collector was down" not in tmux.screen())
        with urllib.request.urlopen(url, b'{"message": "<back>"}', timeout=GENEROUS):
            pass
        tmux.sees("<back>")
        # once: from then on the person decides
        os.kill(collector_file.load(session.layout).pid or 0, signal.SIGKILL)
        tmux.sees("The collector is down")
        append(session, {"message": "<appended>"})
        tmux.sees("<appended>")
        tmux.keys("u")
        until(lambda: collector_file.running(session.layout))
        until(lambda: "The collector is down" not in tmux.screen())


def test_a_collector_that_cannot_come_back_is_told_in_its_own_words(
    home: Path, workspace: Path, session: Session
) -> None:
    address, listener = endpoint.new()
    with listener:
        endpoint.save(session.layout, address)
        with Tmux(PANEL, home, workspace, size=(160, 24)) as tmux:
            tmux.sees("The collector does not start", f"Port {address.port} of this session is taken", "u tries again")
            append(session, EVENT)
            tmux.sees("H1 cart.js:42")
            assert address.token not in tmux.screen("-S", "-")
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", address.port)) != 0


def test_rows_written_while_another_screen_is_up_are_wrapped_for_the_new_width(
    home: Path, workspace: Path, session: Session
) -> None:
    publish(session)
    words = [f"w{number:02}" for number in range(40)]
    with Tmux(PANEL, home, workspace, size=(120, 30)) as tmux:
        tmux.sees("[r Reproduced]")
        tmux.run("new-window", "sleep 100")
        append(session, {"message": " ".join(words)})
        tmux.run("resize-window", "-t", ":0", "-x", "40", "-y", "30")
        tmux.run("select-window", "-t", ":0")
        tmux.sees("1 event ")
        until(lambda: re.findall(r"w\d\d", tmux.screen()) == words, what="every word once, in order")
        append(session, {"message": "中" * 150})
        tmux.sees("2 events")
        until(lambda: tmux.screen().count("中") == 150)
        tmux.run("resize-window", "-t", ":0", "-x", "120", "-y", "30")
        tmux.sees("quit")
        until(lambda: re.findall(r"w\d\d", tmux.screen()) == words, what="every word once, in order")
        until(lambda: tmux.screen().count("中") == 150)


def test_several_sessions_are_offered_to_choose_from(home: Path, workspace: Path, session: Session) -> None:
    other = json.loads(cli("start", "--new", "--session", "other", "--json", home=home, cwd=workspace).stdout)
    with Tmux(PANEL, home, workspace) as tmux:
        tmux.sees("Several sessions", "▸ other", session.id)
        tmux.keys("Down", "Enter")
        tmux.sees("[r Reproduced]")
        until(lambda: is_held(session.layout.panel_lock))
        assert other["session"] == "other"


def test_no_color_keeps_every_state_in_words(home: Path, workspace: Path, session: Session) -> None:
    publish(session)
    append(session, {**EVENT, "level": "error"}, b"{")
    with Tmux(PANEL, home, workspace, NO_COLOR="1") as tmux:
        tmux.sees("agent working", "E H1 cart.js:42", "malformed, torn off", "[r Reproduced]")
        assert not re.search(r"\x1b\[[0-9;]*(3[0-8]|4[0-8]|9[0-7])[;m]", tmux.screen("-e"))


def test_split_opens_the_panel_in_a_pane_of_its_own(home: Path, workspace: Path, session: Session) -> None:
    publish(session, STEPS)
    with Tmux(["sh"], home, workspace, size=(120, 40)) as tmux:
        tmux.keys(f"{sys.executable} -m debugloop_overlay --split", "Enter")
        pane = until(lambda: (panes := tmux.run("list-panes", "-F", "#{pane_id}").split()) and panes[1:])[0]
        tmux.sees("[r Reproduced]", "1. Open the cart", pane=pane)
        tmux.run("send-keys", "-t", pane, "q")


def test_a_popup_without_a_terminal_to_show_it_is_refused_in_words(
    home: Path, workspace: Path, session: Session
) -> None:
    with Tmux(["sh"], home, workspace) as tmux:
        tmux.keys(f"{sys.executable} -m debugloop_overlay --popup; echo code=$?", "Enter")
        assert "no terminal is attached" in " ".join(tmux.sees("code=1").split())


def test_a_popup_closes_after_a_press_and_opens_again_at_the_next_steps(
    home: Path, workspace: Path, session: Session
) -> None:
    publish(session)
    append(session, EVENT)
    with (
        Tmux(["sh"], home, workspace, size=(100, 30)) as inner,
        Tmux(["tmux", "-L", inner.socket, "attach"], home, workspace, size=(100, 30), TERM="screen-256color") as outer,
    ):
        inner.keys(f"{sys.executable} -m debugloop_overlay --popup", "Enter")
        outer.sees("[r Reproduced]", "1 event ")
        outer.keys("r")
        until(lambda: "[r Reproduced]" not in outer.screen())
        assert [each.action for each in actions.presses(session)] == ["reproduced"]
        until(lambda: not is_held(session.layout.panel_lock))
        publish(session, Steps(None, ("Another way",)))
        outer.sees("run 2", "1. Another way")
        inner.keys("Enter")
        outer.keys("q")
        until(lambda: "Another way" not in outer.screen())
        assert is_held(session.layout.popup_lock)
        session.update(mode="build")
        until(lambda: not is_held(session.layout.popup_lock))
