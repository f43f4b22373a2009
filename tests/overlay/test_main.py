"""The command ``debuglog`` where there is no terminal: sentences, exit codes and plain lines."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from debugloop.session import session as sessions
from tests.overlay.house import append, publish
from tests.support import GENEROUS, clean_environment, until

if TYPE_CHECKING:
    from pathlib import Path

    from debugloop.session.session import Session
    from debugloop.settings import Settings

COMMAND = [sys.executable, "-m", "debugloop_overlay"]


def debuglog(home: Path, cwd: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        env=clean_environment(home, **environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=GENEROUS,
        check=False,
    )


def test_without_a_session_it_says_what_to_do(home: Path, workspace: Path) -> None:
    done = debuglog(home, workspace)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"There is no debug session for {workspace}. Run `debugloop start` first.\n"


def test_several_sessions_and_no_terminal_to_ask_on_is_an_error_that_lists_them(
    home: Path, workspace: Path, settings: Settings
) -> None:
    for name in ("one", "two"):
        sessions.start(settings, workspace, session_id=name, new=True)
    done = debuglog(home, workspace)
    assert done.returncode == 1
    assert "one, two" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "environment", "code", "said"),
    [
        (["--lang", "fr"], {}, 2, "fr"),
        (["--session", "../x"], {}, 2, "is no session id"),
        (["--session", "none"], {}, 1, "has no session none"),
        ([], {"DEBUGLOOP_POLL_SECONDS": "-1"}, 2, "DEBUGLOOP_POLL_SECONDS"),
        (["--split"], {}, 1, "not inside tmux"),
        (["--popup"], {}, 1, "not inside tmux"),
        (["--split"], {"TMUX": "/nowhere,1,0", "PATH": "/nowhere"}, 1, "the command tmux is not found"),
        (["--split"], {"TMUX": "/nowhere,1,0", "TMUX_PANE": "%0"}, 1, "tmux cannot show the panel"),
    ],
)
def test_bad_calls_end_with_a_sentence(
    home: Path,
    workspace: Path,
    session: Session,
    arguments: list[str],
    environment: dict[str, str],
    code: int,
    said: str,
) -> None:
    done = debuglog(home, workspace, *arguments, **environment)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_help_has_an_example(home: Path, workspace: Path) -> None:
    done = debuglog(home, workspace, "--help")
    assert done.returncode == 0
    assert "Example: `debuglog --split`" in " ".join(done.stdout.split())
    assert "keep-popup" not in done.stdout


def test_session_ids_are_completed_by_the_shell(home: Path, workspace: Path, session: Session) -> None:
    done = debuglog(
        home, workspace, _DEBUGLOG_COMPLETE="bash_complete", COMP_WORDS="debuglog --session 2", COMP_CWORD="2"
    )
    assert session.id in done.stdout


def test_completion_in_a_folder_that_is_gone_says_nothing(home: Path, workspace: Path, session: Session) -> None:
    script = f"cd {workspace}; rmdir {workspace}; exec {sys.executable} -m debugloop_overlay"
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=home,
        env=clean_environment(
            home, _DEBUGLOG_COMPLETE="bash_complete", COMP_WORDS="debuglog --session 2", COMP_CWORD="2"
        ),
        capture_output=True,
        text=True,
        timeout=GENEROUS,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_without_a_terminal_every_row_is_one_plain_line_until_the_session_is_finished(
    home: Path, workspace: Path, session: Session
) -> None:
    publish(session)
    append(session, {"message": "\x1b[2J one"}, b'{"torn')
    with subprocess.Popen(
        COMMAND, cwd=workspace, env=clean_environment(home), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        lines = iter(process.stdout.readline, "")
        assert next(lines).startswith("1:1")
        assert next(lines).rstrip().endswith("\\x1b[2J one")
        assert next(lines).rstrip().endswith('malformed (torn off): {"torn')
        append(session, {"message": "two"})
        assert next(lines).rstrip().endswith("two")
        publish(session)
        assert next(lines).startswith("2:1")
        append(session, {"message": "three"})
        assert next(lines).startswith("2:2")
        session.update(mode="build")
        assert list(lines) == []
        assert process.wait(GENEROUS) == 0


def test_a_reader_that_goes_away_ends_it_in_silence(home: Path, workspace: Path, session: Session) -> None:
    append(session, {"message": "one"})
    with subprocess.Popen(
        COMMAND,
        cwd=workspace,
        env=clean_environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()

        def write_on() -> bool:
            append(session, {"message": "x" * 1000})
            return process.poll() is not None

        until(write_on, what="the end of the process")
        assert process.stderr.read() == ""
        assert process.returncode == 0


def test_ctrl_c_ends_it_without_a_traceback(home: Path, workspace: Path, session: Session) -> None:
    append(session, {"message": "one"})
    with subprocess.Popen(
        COMMAND,
        cwd=workspace,
        env=clean_environment(home, TERM="dumb"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(GENEROUS) == 130
        assert process.stderr.read() == ""
