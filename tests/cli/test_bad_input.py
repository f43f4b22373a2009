"""Bad input to any verb: a sentence that says what to do, exit code 1 or 2, and nothing lost."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.processes import main
from tests.support import clean_environment, cli

if TYPE_CHECKING:
    from tests.cli.conftest import Debugloop

NOTHING = "without a session"
READY = "with a session"

CASES: list[tuple[str, list[str], int, str, str]] = [
    (NOTHING, ["status"], 1, "no_session", "Run `debugloop start` first"),
    (NOTHING, ["steps", "Open"], 1, "no_session", "Run `debugloop start` first"),
    (NOTHING, ["wait", "--timeout", "0"], 1, "no_session", "Run `debugloop start` first"),
    (NOTHING, ["logs"], 1, "no_session", "Run `debugloop start` first"),
    (NOTHING, ["logs", "--follow"], 1, "no_session", "Run `debugloop start` first"),
    (NOTHING, ["clear"], 1, "no_session", "Run `debugloop start` first"),
    (NOTHING, ["stop"], 1, "no_session", "Run `debugloop start` first"),
    (NOTHING, ["finish"], 1, "no_session", "Run `debugloop start` first"),
    (NOTHING, ["press", "reproduced"], 1, "no_session", "Run `debugloop start` first"),
    (NOTHING, ["hypothesis", "add", "x"], 1, "no_session", "Run `debugloop start` first"),
    (NOTHING, ["hypothesis", "list"], 1, "no_session", "Run `debugloop start` first"),
    (NOTHING, ["status", "--session", "gone"], 1, "session_not_found", "`debugloop sessions` lists"),
    (NOTHING, ["start", "--session", "../escape"], 2, "invalid_session_id", "letters, digits"),
    (NOTHING, ["status", "--session", "a/b"], 2, "invalid_session_id", "letters, digits"),
    (NOTHING, ["start", "--allow-origin", "http://x.test/path"], 2, "invalid_origin", "scheme, host and port only"),
    (NOTHING, ["sessions", "delete"], 2, "usage", "Name the session"),
    (NOTHING, ["sessions", "delete", "gone"], 1, "session_not_found", "`debugloop sessions` lists"),
    (NOTHING, ["sessions", "delete", ".."], 2, "invalid_session_id", "letters, digits"),
    (NOTHING, ["sessions", "destroy", "x"], 2, "usage", "'destroy' is not 'delete'"),
    (NOTHING, ["frobnicate"], 2, "usage", "No such command 'frobnicate'"),
    (NOTHING, ["status", "--frobnicate"], 2, "usage", "See `debugloop status --help`"),
    (NOTHING, ["gc", "--older-than", "-1"], 2, "usage", "--older-than"),
    (NOTHING, ["completion", "tcsh"], 2, "usage", "'bash', 'zsh', 'fish'"),
    (READY, ["start", "--new", "--session", "s1"], 1, "session_exists", "Leave --new away"),
    (READY, ["steps"], 2, "usage", "STEP"),
    (READY, ["steps", ""], 2, "invalid_steps", "step 1 is empty"),
    (READY, ["steps", "a", " \t"], 2, "invalid_steps", "step 2 is empty"),
    (READY, ["steps", *["a"] * 51], 2, "invalid_steps", "there are 51"),
    (READY, ["steps", "a" * 3_000], 2, "invalid_steps", "3000 characters"),
    (READY, ["steps", "--title", "t" * 2_001, "a"], 2, "invalid_steps", "title"),
    (READY, ["steps", *["字" * 2_000] * 12], 2, "invalid_steps", "72000 bytes"),
    (READY, ["wait", "--timeout", "soon"], 2, "usage", "'soon' is not a valid"),
    (READY, ["wait", "--timeout", "-1"], 2, "usage", "--timeout"),
    (READY, ["wait", "--timeout", "nan"], 2, "usage", "--timeout"),
    (READY, ["wait", "--timeout", "1e9"], 2, "usage", "--timeout"),
    (READY, ["wait", "--after", "x"], 2, "usage", "'x' is not a valid"),
    (READY, ["wait", "--after", "7", "--timeout", "0"], 1, "press_not_delivered", "Leave --after away"),
    (READY, ["logs", "--run", "99"], 1, "run_not_found", "Run 99 is not kept"),
    (READY, ["logs", "--run", "-1"], 2, "usage", "--run"),
    (READY, ["logs", "--limit", "0"], 2, "usage", "--limit"),
    (READY, ["logs", "--follow", "--run", "0"], 2, "usage", "--follow goes with the current run only"),
    (READY, ["hypothesis", "add", " "], 2, "invalid_hypothesis", "the text is empty"),
    (READY, ["hypothesis", "add", "x", "--id", "a/b"], 2, "invalid_hypothesis", "is no id"),
    (READY, ["hypothesis", "set", "H1", "maybe"], 2, "usage", "'maybe' is not one of"),
    (READY, ["hypothesis", "set", "H9", "open"], 2, "invalid_hypothesis", "there is no H9; there are: H1"),
    (READY, ["hypothesis", "set", "H1", "open", "--cite", "17"], 2, "invalid_hypothesis", "run:line"),
    (READY, ["hypothesis", "set", "H1", "open", "--cite", "0:99"], 2, "invalid_citation", "no line 99"),
    (READY, ["hypothesis", "set", "H1", "open", "--cite", "9:1"], 2, "invalid_citation", "run 9 is not kept"),
    (READY, ["hypothesis", "frob"], 2, "usage", "No such command 'frob'"),
    (READY, ["press", "reproduced"], 1, "nothing_published", "no steps and no events"),
    (READY, ["press", "resolved"], 1, "no_terminal", "Only a person may press Resolved"),
    (READY, ["press", "clear"], 1, "no_terminal", "Only a person may press Clear"),
    (READY, ["press", "maybe"], 2, "usage", "'maybe' is not one of"),
    (READY, ["finish"], 1, "not_resolved", "only the person can say Resolved"),
    (READY, ["finish", "--force"], 1, "no_terminal", "Only a person may force"),
    (READY, ["strip", "/etc/passwd"], 1, "outside_workspace", "outside of"),
    (READY, ["strip", "absent.js"], 1, "file_unreadable", "cannot be read"),
]


def name(case: tuple[str, list[str], int, str, str]) -> str:
    return f"{' '.join(argument[:20] for argument in case[1][:4])} ({case[0]})"


@pytest.fixture
def prepared(debugloop: Debugloop, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def nobody(_: str) -> None:
        """No terminal, though the process that runs the tests may have one."""

    monkeypatch.setattr("debugloop.cli.press.ask", nobody)
    monkeypatch.setattr("debugloop.cli.finish.ask", nobody)

    def prepare(what: str) -> None:
        if what == READY:
            assert debugloop("start", "--session", "s1").code == 0
            assert debugloop("hypothesis", "add", "x").code == 0

    return prepare


def everything(home: Path) -> dict[str, bytes]:
    """The content of all files of all sessions, but for when they were last used."""
    found: dict[str, bytes] = {}
    for path in sorted(home.rglob("*")):
        if path.is_file() and path.suffix != ".lock":
            content = re.sub(rb'"(agent_seen|updated)": \d+', b"", path.read_bytes())
            found[str(path)] = content
    return found


@pytest.mark.parametrize("case", CASES, ids=name)
def test_bad_input_is_a_sentence_and_loses_nothing(
    case: tuple[str, list[str], int, str, str],
    prepared: Callable[[str], None],
    debugloop: Debugloop,
    home: Path,
) -> None:
    what, arguments, exit_code, code, says = case
    prepared(what)
    before = everything(home)

    plain = debugloop(*arguments)
    as_json = debugloop(arguments[0], *arguments[1:], "--json")

    assert (plain.code, plain.out) == (exit_code, "")
    assert says in plain.err
    assert plain.err.rstrip().endswith((".", "`"))
    assert "Traceback" not in plain.err
    assert (as_json.code, as_json.out) == (exit_code, "")
    assert as_json.error["error"] == code
    assert as_json.error["message"] == plain.err.rstrip("\n")
    assert everything(home) == before


def test_an_invalid_setting_is_named(home: Path, workspace: Path) -> None:
    ran = cli("status", home=home, cwd=workspace, environment={"DEBUGLOOP_LOG_BYTES": "many"})

    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "DEBUGLOOP_LOG_BYTES is 'many', but must be a whole number above 0. Correct it or unset it.\n"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "corrupt_file"),
        (b"{", "corrupt_file"),
        (b"[]", "corrupt_file"),
        (b'{"version": 1}', "corrupt_file"),
        (b'{"version": 1, "workspace": "/x", "run": -1}', "corrupt_file"),
        (b'{"version": 99}', "newer_format"),
    ],
)
@pytest.mark.parametrize("verb", [["status"], ["steps", "a"], ["wait", "--timeout", "0"], ["logs"], ["clear"]])
def test_a_damaged_or_newer_session_is_named_and_left_as_it_is(
    debugloop: Debugloop, verb: list[str], content: bytes, code: str
) -> None:
    directory = Path(debugloop("start", "--session", "s1", "--json").answer["directory"])
    debugloop("stop")
    (directory / "session.json").write_bytes(content)

    for more in ([], ["--session", "s1"]):
        ran = debugloop(*verb, *more, "--json")
        assert (ran.code, ran.out) == (1, "")
        assert ran.error["error"] == code
        assert str(directory / "session.json") in ran.error["message"]
    assert (directory / "session.json").read_bytes() == content


@pytest.mark.parametrize("file", ["hypotheses.json", "collector.json", "debug-endpoint.json"])
def test_every_damaged_file_is_named(debugloop: Debugloop, file: str) -> None:
    directory = Path(debugloop("start", "--json").answer["directory"])
    debugloop("steps", "a")
    debugloop("stop")
    (directory / file).write_bytes(b"{")

    verb = ["hypothesis", "list"] if file == "hypotheses.json" else ["status"]
    ran = debugloop(*verb, "--json")

    assert ran.code == 1
    assert (ran.error["error"], str(directory / file) in ran.error["message"]) == ("corrupt_file", True)


def test_two_sessions_and_none_named_lists_both(debugloop: Debugloop) -> None:
    debugloop("start", "--session", "one")
    debugloop("start", "--new", "--session", "two")

    for verb in (["status"], ["start"], ["wait", "--timeout", "0"], ["finish"]):
        ran = debugloop(*verb)
        assert ran.code == 1
        assert "one, two" in ran.err
        assert "--session" in ran.err
    assert debugloop("status", "--session", "two").code == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_state_directory_that_cannot_be_written_offers_the_workspace(debugloop: Debugloop, home: Path) -> None:
    home.chmod(0o500)
    try:
        refused = debugloop("start")
        assert refused.code == 1
        assert "--in-workspace" in refused.err
        assert debugloop("start", "--in-workspace").code == 0
        assert debugloop("stop").code == 0
    finally:
        home.chmod(0o700)


def test_a_state_directory_that_may_not_be_entered_leaves_the_workspace_as_the_way_out(
    home: Path, workspace: Path
) -> None:
    (home / "sessions").mkdir(mode=0o000)
    bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]
    if os.geteuid() != 0:
        bound = []
    elif not shutil.which("setpriv") or subprocess.run([*bound, "true"], check=False, capture_output=True).returncode:
        pytest.skip("root can enter any folder, and nothing here can forbid it")

    def ran(*verb: str) -> subprocess.CompletedProcess[str]:
        command = [*bound, sys.executable, "-m", "debugloop", *verb]
        env = clean_environment(home)
        return subprocess.run(command, cwd=workspace, env=env, capture_output=True, text=True, timeout=60, check=False)

    try:
        for verb in (["start"], ["status"], ["steps", "x"], ["sessions"], ["scan"], ["gc"]):
            refused = ran(*verb)
            assert (refused.returncode, refused.stdout) == (1, "")
            assert f"{home}/sessions" in refused.stderr
            assert "debugloop start --in-workspace" in refused.stderr
        workspace.chmod(0o500)
        assert "or leave --in-workspace away" in ran("start", "--in-workspace").stderr
        workspace.chmod(0o700)
        for verb in (["start", "--in-workspace"], ["status"], ["steps", "x"], ["sessions"], ["scan"], ["stop"]):
            assert ran(*verb).returncode == 0
    finally:
        workspace.chmod(0o700)
        (home / "sessions").chmod(0o700)


def test_a_state_directory_that_is_a_file_offers_the_workspace(
    debugloop: Debugloop, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "file").write_text("")
    monkeypatch.setenv("DEBUGLOOP_HOME", str(home / "file"))

    refused = debugloop("start")

    assert (refused.code, refused.out) == (1, "")
    assert "--in-workspace" in refused.err


def test_a_log_that_is_a_link_is_not_followed(debugloop: Debugloop, home: Path) -> None:
    started = debugloop("start", "--json").answer
    Path(started["log"]).unlink()
    Path(started["log"]).symlink_to("/etc/passwd")

    for verb in (["logs"], ["status"], ["clear"]):
        ran = debugloop(*verb, "--json")
        assert (ran.code, ran.out, ran.error["error"]) == (1, "", "unsafe_file")


def test_arguments_that_are_no_text_are_taken_as_what_can_be_read_of_them(home: Path, workspace: Path) -> None:
    cli("start", home=home, cwd=workspace)

    broken = os.fsdecode(b"caf\xe9")
    added = cli("hypothesis", "add", broken, "--json", home=home, cwd=workspace)
    steps = cli("steps", "--title", broken, broken, "--json", home=home, cwd=workspace)
    found = cli("logs", "--text", broken, home=home, cwd=workspace)

    assert (added.returncode, steps.returncode, found.returncode) == (0, 0, 0)
    assert json.loads(added.stdout)["text"] == json.loads(steps.stdout)["steps"][0] == "caf\ufffd"


def test_a_folder_that_is_gone_is_said(home: Path, workspace: Path) -> None:
    gone = workspace / "gone"
    gone.mkdir()

    ran = main(["status"], home=home, cwd=gone, before=f"import os; os.rmdir({str(gone)!r})")

    assert (ran.returncode, ran.stdout) == (2, "")
    assert "The current folder is gone" in ran.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems hold UTF-8 only")
def test_a_folder_whose_name_is_no_utf_8_is_refused_in_a_sentence(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()

    elsewhere = {"DEBUGLOOP_HOME": str(folder / "state")}
    for cwd, more in ((folder, {}), (tmp_path, elsewhere)):
        ran = cli("start", "--json", home=home, cwd=cwd, environment=more)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert json.loads(ran.stderr)["error"] == "invalid_folder"
        assert "Rename the folder" in ran.stderr
    assert list(folder.iterdir()) == []
