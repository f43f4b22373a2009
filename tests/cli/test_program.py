"""How a command line is read and how it ends, whatever the verb."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from debugloop import __version__
from debugloop.cli.program import SECTIONS, program
from debugloop.cli.verb import Verb
from tests.cli.processes import main, script
from tests.documents import in_terminal
from tests.support import clean_environment, cli, require, until

if TYPE_CHECKING:
    from tests.cli.conftest import Debugloop

VERBS = [name for names in SECTIONS.values() for name in names]


def verbs() -> dict[str, Verb]:
    """Every verb by its words: ``hypothesis add`` has two."""
    found: dict[str, Verb] = {}
    context = click.Context(program)
    for name in VERBS:
        command = program.get_command(context, name)
        if isinstance(command, click.Group):
            found |= {f"{name} {word}": each for word, each in command.commands.items() if isinstance(each, Verb)}
        elif isinstance(command, Verb):
            found[name] = command
    return found


def test_every_verb_is_a_file_and_every_file_is_a_verb() -> None:
    folder = Path(sys.modules["debugloop.cli.program"].__file__ or "").parent
    shared = {"__init__", "program", "streams", "terminal", "verb"}

    assert {path.stem for path in folder.glob("*.py")} - shared == set(VERBS)
    assert {words.split()[0] for words in verbs()} == set(VERBS)


def test_help_lists_every_verb_in_sections(debugloop: Debugloop) -> None:
    ran = debugloop("--help")

    assert (ran.code, ran.err) == (0, "")
    for title, names in SECTIONS.items():
        assert f"{title}:" in ran.out
        assert all(re.search(rf"^  {name} ", ran.out, re.MULTILINE) for name in names)
    assert "..." not in ran.out.partition("The loop:")[2]


def test_nothing_asked_is_answered_with_help(debugloop: Debugloop) -> None:
    ran = debugloop()

    assert ran.code == 2
    assert "debugloop --help" in ran.err or "Usage: debugloop" in ran.err


@pytest.mark.parametrize("words", sorted(verbs()))
def test_the_help_of_every_verb_ends_with_an_example(words: str, debugloop: Debugloop) -> None:
    ran = debugloop(*words.split(), "--help")

    assert ran.code == 0
    assert "--session ID" in ran.out
    assert "--json" in ran.out
    head, example = ran.out.rsplit("\nExample:\n", 1)
    assert f"Usage: debugloop {words}" in head
    assert all(line.startswith("  ") for line in example.rstrip().splitlines())
    assert f"debugloop {words}" in example


@pytest.mark.parametrize("words", sorted(set(verbs()) - {"demo"}))
def test_the_example_of_every_verb_works(words: str, home: Path, workspace: Path) -> None:
    example = verbs()[words].example
    before = (
        "debugloop start\ndebugloop steps Open\n" + "echo '{}' >> \"$(debugloop start --json | cut -d'\"' -f16)\"\n"
    )
    if words == "instrument":
        before += "seq 50 > cart.js\n"
    if words == "overlay":
        example = f"timeout -s INT 5 {example} < /dev/null | cat || test $? -eq 124"  # without a terminal it follows

    ran = in_terminal(f"{before}{example}\ndebugloop stop", home=home, cwd=workspace)

    assert ran.code == 0, ran.screen


def test_the_version_is_told(debugloop: Debugloop) -> None:
    assert debugloop("--version").out == f"debugloop {__version__}\n"


@pytest.mark.parametrize("arguments", [["status"], ["wait", "--timeout", "0"]])
def test_status_and_wait_load_only_what_they_need(arguments: list[str], home: Path, workspace: Path) -> None:
    cli("start", home=home, cwd=workspace)
    heavy = ("textual", "rich", "mcp", "aiohttp", "pydantic", "asyncio", "subprocess", "filelock", "logging", "http")

    ran = main(arguments, home=home, cwd=workspace, after=f"print([name for name in {heavy!r} if name in sys.modules])")

    assert ran.stdout.splitlines()[-1] == "[]"


def test_only_the_verb_that_runs_is_imported(home: Path, workspace: Path) -> None:
    cli("start", home=home, cwd=workspace)
    after = "print([name for name in sys.modules if name.startswith('debugloop.cli.')])"

    ran = main(["status"], home=home, cwd=workspace, after=after)

    loaded = re.findall(r"debugloop\.cli\.(\w+)", ran.stdout.splitlines()[-1])
    assert set(loaded) & set(VERBS) == {"status"}


# -- how it ends ---------------------------------------------------------------------------------------


def test_a_bug_of_ours_is_one_sentence_without_the_token(home: Path, workspace: Path) -> None:
    token = "a1" * 32
    broken = f"import debugloop.session.runs as r\ndef read(*_, **__): raise KeyError('{token}')\nr.read = read"
    cli("start", home=home, cwd=workspace)

    plain = main(["status"], home=home, cwd=workspace, before=broken)
    as_json = main(["status", "--json"], home=home, cwd=workspace, before=broken)
    traced = main(["status"], home=home, cwd=workspace, before=broken, DEBUGLOOP_TRACEBACK="1")

    for ran in (plain, as_json, traced):
        assert (ran.returncode, ran.stdout) == (1, "")
        assert token not in ran.stderr
    assert plain.stderr.count("\n") == 1
    assert "report it as a bug" in plain.stderr
    assert as_json.stderr.startswith('{"error":"bug","message":"debugloop met an error of its own (KeyError')
    assert "Traceback (most recent call last)" in traced.stderr


def test_what_the_system_refuses_is_a_sentence_with_the_file(home: Path, workspace: Path) -> None:
    refusal = "raise PermissionError(13, 'Permission denied', '/x')"
    broken = f"import debugloop.session.runs as r\ndef read(*_, **__): {refusal}\nr.read = read"
    cli("start", home=home, cwd=workspace)

    ran = main(["status"], home=home, cwd=workspace, before=broken)

    assert (ran.returncode, ran.stderr) == (1, "/x: Permission denied. Mend that and try again.\n")


def test_escape_sequences_in_an_argument_come_back_as_visible_text(debugloop: Debugloop) -> None:
    ran = debugloop("status", "--session", "\x1b]52;c;aGk=\x07")

    assert ran.code == 2
    assert "\x1b" not in ran.err
    assert "\\x1b]52" in ran.err


def test_a_reader_that_goes_away_is_no_error(home: Path, workspace: Path) -> None:
    with Path(started_log(home, workspace)).open("a", encoding="utf-8") as log:
        log.writelines('{"message": "' + "x" * 200 + '"}\n' for _ in range(20_000))

    with subprocess.Popen(
        [sys.executable, "-m", "debugloop", "logs"],
        cwd=workspace,
        env=clean_environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()

    assert said == b""
    assert process.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_stdout_is_said(home: Path, workspace: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "debugloop", "--version"],
            cwd=workspace,
            env=clean_environment(home),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert ran.returncode == 1
    assert ran.stderr == "No space left on device. Mend that and try again.\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams_are_harmless(closed: str, home: Path, workspace: Path) -> None:
    require("sh")
    line = f'"{sys.executable}" -m debugloop start {closed}'

    ran = subprocess.run(["sh", "-c", line], cwd=workspace, env=clean_environment(home), check=False, timeout=60)

    assert ran.returncode == 0
    assert cli("status", home=home, cwd=workspace).returncode == 0


def test_a_terminal_of_another_encoding_gets_escapes(home: Path, workspace: Path) -> None:
    cli("start", home=home, cwd=workspace)
    cli("hypothesis", "add", "価格", home=home, cwd=workspace)

    ran = main(["hypothesis", "list"], home=home, cwd=workspace, PYTHONIOENCODING="latin-1")
    assert "\\u4fa1\\u683c" in ran.stdout


def test_ctrl_c_ends_a_wait_quietly(home: Path, workspace: Path) -> None:
    started_log(home, workspace)
    with subprocess.Popen(
        [sys.executable, "-m", "debugloop", "wait", "--timeout", "60"],
        cwd=workspace,
        env=clean_environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        until(lambda: cli("status", home=home, cwd=workspace).stdout.count("waiting"), what="the agent's waiting")
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)

    assert (out, said) == (b"", b"")
    assert process.returncode == 130


def test_ctrl_c_before_anything_else_is_quiet_too(home: Path, workspace: Path) -> None:
    interrupt = "import debugloop.cli.program as p\ndef run(_): raise KeyboardInterrupt\np.run = run"

    ran = main(["status"], home=home, cwd=workspace, before=interrupt)

    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "")


def test_ctrl_c_has_one_exit_code_wherever_it_strikes(home: Path, workspace: Path, tmp_path: Path) -> None:
    hook = """import sys

def strike(event, arguments):
    if event == "import" and arguments[0].startswith("debugloop.session."):
        exec("raise KeyboardInterrupt")

sys.addaudithook(strike)
"""
    (tmp_path / "sitecustomize.py").write_text(hook)

    ran = cli("sessions", home=home, cwd=workspace, environment={"PYTHONPATH": str(tmp_path)})

    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "")


def test_ctrl_c_after_the_work_is_done_does_not_make_it_undone(home: Path, workspace: Path) -> None:
    late = "import atexit, os, signal; atexit.register(os.kill, os.getpid(), signal.SIGINT)"

    ran = main(["sessions"], home=home, cwd=workspace, before=late)

    assert (ran.returncode, "Interrupt" in ran.stderr) == (0, False)


def test_json_is_asked_for_also_where_the_call_is_wrong(debugloop: Debugloop) -> None:
    assert debugloop("wait", "--timeout", "soon", "--json").error["error"] == "usage"
    assert debugloop("frobnicate", "--json").error["error"] == "usage"


def test_stderr_that_nobody_reads_changes_no_exit_code(home: Path, workspace: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.Popen(script(["status"]), cwd=workspace, env=clean_environment(home), stderr=writer)
    os.close(writer)

    assert process.wait(timeout=60) == 1


# -- completion ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_what_the_shell_can_source(shell: str, debugloop: Debugloop) -> None:
    ran = debugloop("completion", shell)

    assert ran.code == 0
    assert "_DEBUGLOOP_COMPLETE" in ran.out
    assert debugloop("completion", shell, "--json").answer == {"shell": shell, "source": ran.out[:-1]}


def complete(words: str, home: Path, workspace: Path) -> list[str]:
    ran = main(
        [],
        home=home,
        cwd=workspace,
        _DEBUGLOOP_COMPLETE="bash_complete",
        COMP_WORDS=words,
        COMP_CWORD=str(len(words.split(" ")) - 1),
    )
    assert ran.returncode == 0, ran.stderr
    return [line.partition(",")[2] for line in ran.stdout.splitlines()]


def test_verbs_choices_and_sessions_are_completed(home: Path, workspace: Path) -> None:
    cli("start", "--session", "cart", home=home, cwd=workspace)

    assert set(complete("debugloop s", home, workspace)) == {name for name in VERBS if name.startswith("s")}
    assert complete("debugloop press re", home, workspace) == ["reproduced", "resolved"]
    assert complete("debugloop status --session c", home, workspace) == ["cart"]
    assert complete("debugloop hypothesis set H1 con", home, workspace) == ["confirmed"]


def started_log(home: Path, workspace: Path) -> str:
    cli("start", home=home, cwd=workspace)
    cli("steps", "Open", home=home, cwd=workspace)
    return str(next(home.glob("sessions/*/*/debug.jsonl")))
