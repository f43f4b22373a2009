"""press and finish, by a person at a real terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from debugloop.session import actions
from debugloop.session.layout import Layout
from debugloop.session.session import Session
from tests.cli.processes import main
from tests.person import at_terminal

if TYPE_CHECKING:
    from debugloop.settings import Settings
    from tests.cli.conftest import Debugloop

RECORD = b'{"hypothesisId":"H1","location":"cart.js:12","message":"add","data":{"price":1.10,"n":1e999,"n":2}}'


@pytest.fixture
def started(debugloop: Debugloop, settings: Settings) -> Session:
    return Session(Layout(Path(debugloop("start", "--session", "s1", "--json").answer["directory"])), settings)


def log(session: Session, *lines: bytes) -> None:
    with session.layout.log.open("ab") as file:
        file.writelines(line + b"\n" for line in lines)


def person(*arguments: str, home: Path, workspace: Path, answer: str = "y\n") -> tuple[int, str]:
    ran = at_terminal(arguments, answer, home=home, cwd=workspace)
    return ran.code, ran.screen.replace("\r\n", "\n")


def pressed(session: Session) -> list[tuple[str, int, str | None]]:
    return [(press.action, press.run, press.note) for press in actions.presses(session)]


def test_a_person_presses_at_the_terminal(debugloop: Debugloop, started: Session, home: Path, workspace: Path) -> None:
    debugloop("steps", "Open")
    log(started, RECORD)

    code, screen = person("press", "reproduced", "--note", "105 not 15", home=home, workspace=workspace)
    assert (code, screen.splitlines()[-1]) == (0, "Sent, as press 1 on run 1.")
    assert "Send Reproduced for run 1? [y/N] " in screen
    code, screen = person("press", "resolved", home=home, workspace=workspace)
    assert "Send Resolved for run 1? [y/N] " in screen

    assert pressed(started) == [("reproduced", 1, "105 not 15"), ("resolved", 1, None)]


@pytest.mark.parametrize("answer", ["\n", "n\n", "no\n", "yep\n", "\x04"])
def test_anything_but_yes_sends_nothing(
    answer: str, debugloop: Debugloop, started: Session, home: Path, workspace: Path
) -> None:
    debugloop("steps", "Open")

    code, screen = person("press", "resolved", home=home, workspace=workspace, answer=answer)

    assert code == 1
    assert "Nothing was sent or changed." in screen
    assert pressed(started) == []


def test_reproduced_without_an_event_offers_to_say_that_no_probe_fired(
    debugloop: Debugloop, started: Session, home: Path, workspace: Path
) -> None:
    debugloop("steps", "Open")

    code, screen = person("press", "reproduced", home=home, workspace=workspace)

    assert code == 0
    assert "No event has come in run 1. Tell the agent that no probe fired? [y/N]" in screen
    assert pressed(started) == [("no_events", 1, None)]
    assert debugloop("wait", "--timeout", "0", "--json").answer["status"] == "no_events"


def test_a_person_clears_at_the_terminal(debugloop: Debugloop, started: Session, home: Path, workspace: Path) -> None:
    debugloop("steps", "Open")
    log(started, RECORD)

    code, screen = person("press", "clear", "--json", home=home, workspace=workspace)

    assert code == 0
    assert "Clear run 1 (1 events)? [y/N]" in screen
    assert json.loads(screen.splitlines()[-1])["action"] == "clear"
    assert pressed(started) == [("clear", 1, None)]
    assert debugloop("status", "--json").answer["events"] == 0


def test_an_answer_about_a_run_that_is_over_sends_nothing(
    debugloop: Debugloop, started: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    debugloop("steps", "Open")

    def opened_meanwhile(_: str) -> bool:
        debugloop("steps", "Open")
        return True

    monkeypatch.setattr("debugloop.cli.press.ask", opened_meanwhile)
    ran = debugloop("press", "resolved", "--json")

    assert (ran.code, ran.error["error"]) == (1, "run_changed")
    assert pressed(started) == []


def test_a_process_without_a_terminal_is_refused(started: Session, home: Path, workspace: Path) -> None:
    ran = main(["press", "resolved"], home=home, cwd=workspace, before="import os; os.setsid()")

    assert (ran.returncode, ran.stdout) == (1, "")
    assert "this process has no terminal" in ran.stderr
    assert pressed(started) == []


def test_a_terminal_that_hangs_up_has_not_answered(started: Session, home: Path, workspace: Path) -> None:
    hang_up = "import os\nasked = os.read\ndef read(*_): raise OSError(5, 'hung up')\nos.read = read"

    ran = at_terminal(["press", "resolved"], "y\n", home=home, cwd=workspace, before=hang_up)

    assert ran.code == 1
    assert "this process has no terminal" in ran.screen
    assert pressed(started) == []


def test_a_process_in_the_background_of_a_terminal_is_refused_and_not_stopped(
    started: Session, home: Path, workspace: Path
) -> None:
    background = """
import os
if child := os.fork():
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, os.WUNTRACED)[1]))
os.setpgid(0, 0)
"""

    ran = at_terminal(["press", "resolved"], "y\n", home=home, cwd=workspace, before=background)

    assert ran.code == 1
    assert "this process has no terminal" in ran.screen
    assert pressed(started) == []


def test_what_was_typed_before_the_question_is_no_answer(started: Session, home: Path, workspace: Path) -> None:
    typed = "import fcntl, termios\nfor key in b'y\\n': fcntl.ioctl(0, termios.TIOCSTI, bytes([key]))"

    ran = at_terminal(["press", "resolved"], "n\n", home=home, cwd=workspace, before=typed)
    if "TIOCSTI" in ran.screen or "Error" in ran.screen:
        pytest.skip("this kernel lets no process type into a terminal")

    assert ran.code == 1
    assert pressed(started) == []


def leave(workspace: Path, started: Session, files: int = 1) -> None:
    for number in range(files):
        marker = f"// #region debugloop {started.id}/{number}\nlog();\n// #endregion debugloop {started.id}/{number}\n"
        (workspace / f"app{number}.js").write_text(f"a();\n{marker}")


def test_finish_names_what_is_left_with_exit_code_4(debugloop: Debugloop, started: Session, workspace: Path) -> None:
    debugloop("steps", "Open")
    actions.press(started, "resolved")
    leave(workspace, started)

    ran = debugloop("finish")
    assert ran.code == 4
    assert "app0.js:2: marker (working tree): // #region debugloop s1/0" in ran.out
    assert "Remove the probes with `debugloop strip`" in ran.err
    answer: dict[str, Any] = debugloop("finish", "--json").answer
    assert {"leftovers", "review"} <= answer.keys()
    assert {(left["file"], left["line"], left["kind"]) for left in answer["leftovers"]} >= {("app0.js", 2, "marker")}

    assert debugloop("strip", "--edited").code == 0
    done = debugloop("finish", "--json")
    assert (done.code, done.answer["leftovers"], done.answer["finished"]) == (0, [], True)
    assert debugloop("finish", "--session", "s1").err == "The session was finished before; nothing was changed.\n"
    assert debugloop("status", "--session", "s1", "--json").answer["mode"] == "build"
    assert "none; `debugloop start` starts one" in debugloop("status", "--session", "s1").out


def test_a_person_at_a_terminal_may_force_the_end(
    debugloop: Debugloop, started: Session, home: Path, workspace: Path
) -> None:
    debugloop("steps", "Open")
    leave(workspace, started, files=8)

    code, screen = person("finish", "--force", home=home, workspace=workspace, answer="n\n")
    assert code == 1
    assert "Nobody has said Resolved in run 1. Something of it is left in app0.js:2" in screen
    assert "more. Finish anyway? [y/N]" in screen
    assert debugloop("status", "--json").answer["mode"] == "debug"

    code, screen = person("finish", "--force", home=home, workspace=workspace)
    assert code == 0
    assert "a person forced it" in screen
    assert debugloop("status", "--session", "s1", "--json").answer["mode"] == "build"
