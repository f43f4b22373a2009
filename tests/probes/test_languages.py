"""Each language's probe in a real program: it is heard, the program is the same, and so is the file afterwards."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from debugloop.probes.languages import LANGUAGES
from tests.probes.programs import PROGRAMS, Program
from tests.support import GENEROUS, cli


def _file(program: Program) -> str:
    return program.file


SLOW = {"kotlin"}
# a shell can look at the last byte of a file by starting a process only
NO_FRESH_LINE = {"bash", "sh"}
by_file = pytest.mark.parametrize(
    "program",
    [pytest.param(each, marks=pytest.mark.slow if each.language in SLOW else ()) for each in PROGRAMS],
    ids=_file,
)


def started(home: Path, workspace: Path) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(cli("start", "--json", home=home, cwd=workspace).stdout)
    return answer


def instrumented(program: Program, home: Path, workspace: Path, *more: str) -> Path:
    path = workspace / program.file
    path.write_text(program.source, encoding="utf-8")
    path.chmod(0o750)
    place = f"{program.file}:{program.line}"
    ran = cli("instrument", place, "--data", program.data, "--json", *more, home=home, cwd=workspace)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["language"] == program.language
    return path


def fingerprint(path: Path) -> tuple[str, int]:
    return hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mode


@by_file
def test_a_probe_is_heard_and_changes_nothing_with_a_full_disk_either(
    program: Program, home: Path, workspace: Path
) -> None:
    log = Path(started(home, workspace)["log"])
    (workspace / program.file).write_text(program.source, encoding="utf-8")
    expected = program.run(workspace)
    path = instrumented(program, home, workspace, "--message", 'a "quoted" \\ größe', "--hypothesis", "H1")
    assert expected[0] == 3

    assert program.run(workspace) == expected

    [event] = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert event["hypothesisId"] == "H1"
    assert event["message"] == 'a "quoted" \\ größe'
    assert event["location"] == f"{program.file}:{program.line}"
    assert event["calls"] == 1
    if program.language != "sh":  # which has no clock
        assert event["timestamp"] > 1_600_000_000_000
    data = event["data"]
    for name, start in program.begins.items():
        assert data.pop(name).startswith(start)
    if program.language == "javascript":
        error = data["values"].pop("error")
        assert (error["name"], error["message"]) == ("TypeError", "no")
    assert data == program.logged

    cli("stop", home=home, cwd=workspace)
    kept = log.rename(workspace.parent / "kept")
    for nowhere in ("/dev/full", "/nowhere/debug.jsonl", "/"):
        log.symlink_to(nowhere)
        assert program.again(workspace) == expected
        log.unlink()
    kept.rename(log)
    assert cli("strip", home=home, cwd=workspace).returncode == 0
    assert fingerprint(path) == (hashlib.sha256(program.source.encode()).hexdigest(), 0o100750)


RUST_LOOP = "fn main() {\n    for i in 0..10000 {\n        let _ = i;\n    }\n}\n"
CPP_LOOP = "int main() {\n  for (int i = 0; i < 10000; i++) {\n  }\n}\n"
C_SHARP_LOOP = "class A { static void Main() {\n  for (int i = 0; i < 10000; i++) {\n  }\n} }\n"
JAVA_LOOP = C_SHARP_LOOP.replace("Main()", "main(String[] arguments)").replace("static", "public static")
LOOPS = (
    Program("javascript", "loop.js", "for (let i = 0; i < 10000; i++) {\n  i;\n}\n", 2, "", {}, ("node", "{}")),
    Program("python", "loop.py", "for i in range(10000):\n    i\n", 2, "", {}, ("python", "{}")),
    Program("bash", "loop.bash", "for ((i = 0; i < 10000; i++)); do\n  :\ndone\n", 2, "", {}, ("bash", "{}")),
    Program("sh", "loop.sh", "i=0; while [ $i -lt 10000 ]; do\n  i=$((i + 1))\ndone\n", 2, "", {}, ("sh", "{}")),
    Program("ruby", "loop.rb", "10000.times do |i|\n  i\nend\n", 2, "", {}, ("ruby", "{}")),
    Program("php", "loop.php", "<?php for ($i = 0; $i < 10000; $i++) {\n  $i;\n}\n", 2, "", {}, ("php", "{}")),
    Program("perl", "loop.pl", "for (1..10000) {\n  my $x = 1;\n}\n", 2, "", {}, ("perl", "{}")),
    Program("lua", "loop.lua", "for i = 1, 10000 do\n  print()\nend\n", 2, "", {}, ("lua", "{}")),
    Program("rust", "loop.rs", RUST_LOOP, 3, "", {}, ("{}",), ("rustc", "-o", "{}")),
    Program("cpp", "loop.cpp", CPP_LOOP, 3, "", {}, ("{}",), ("g++", "-o", "{}")),
    Program("csharp", "loop.cs", C_SHARP_LOOP, 3, "", {}, ("mono", "{}"), ("mcs", "-out:{}")),
    Program("java", "A.java", JAVA_LOOP, 3, "", {}, ("java", "{}")),
)


@pytest.mark.parametrize("program", LOOPS, ids=_file)
def test_a_hot_loop_sends_little_and_says_how_often_it_was_called(
    program: Program, home: Path, workspace: Path
) -> None:
    log = Path(started(home, workspace)["log"])
    instrumented(program, home, workspace)

    began = time.monotonic()
    program.run(workspace)
    seconds = time.monotonic() - began

    calls = [json.loads(line)["calls"] for line in log.read_text(encoding="utf-8").splitlines()]
    assert calls[:100] == list(range(1, 101))
    # each second that the loop takes begins anew
    assert len(calls) <= 100 * (seconds + 2)
    assert calls[-1] >= 2000


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_a_probe_is_heard_in_every_python_that_is_here(version: str, home: Path, workspace: Path) -> None:
    command = interpreter(version)
    log = Path(started(home, workspace)["log"])
    [program] = [replace(each, command=(command, "{}")) for each in PROGRAMS if each.file == "cart.py"]
    (workspace / program.file).write_text(program.source, encoding="utf-8")
    expected = program.run(workspace)
    instrumented(program, home, workspace)

    assert program.run(workspace) == expected

    [event] = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert event["data"] == program.logged


def interpreter(version: str) -> str:
    """The Python of this version; only the one that runs the tests has to be there, in CI too."""
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        return sys.executable
    for command in (f"python{version}", *map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))):
        with suppress(OSError):
            if subprocess.run([command, "-c", ""], capture_output=True, timeout=GENEROUS, check=False).returncode == 0:
                return command
    pytest.skip(f"there is no Python {version} here")


def test_two_files_of_one_go_package_go_together(home: Path, workspace: Path) -> None:
    log = Path(started(home, workspace)["log"])
    (workspace / "go.mod").write_text("module cart\n")
    (workspace / "main.go").write_text("package main\n\nfunc main() {\n\tother()\n}\n")
    (workspace / "other.go").write_text("package main\n\nfunc other() {\n}\n")
    before = {path.name: path.read_bytes() for path in workspace.glob("*.go")}
    for place in ("main.go:4", "other.go:4"):
        ran = cli("instrument", place, home=home, cwd=workspace)
        assert ran.returncode == 0, ran.stderr
    line = next(
        number for number, text in enumerate((workspace / "main.go").read_text().splitlines(), 1) if text == "\tother()"
    )
    assert cli("instrument", f"main.go:{line}", home=home, cwd=workspace).returncode == 0
    assert (workspace / "main.go").read_text().count("region debugloop") == 6  # two probes and one region of imports

    go = Program("go", ".", "", 1, "", {}, ("{}",), ("go", "build", "-o", "{}"))
    assert go.run(workspace) == (0, "", "")

    assert len(log.read_text().splitlines()) == 3
    cli("strip", home=home, cwd=workspace)
    assert {path.name: path.read_bytes() for path in workspace.glob("*.go")} == before


def test_every_language_has_a_program_that_is_run() -> None:
    assert {language.name for language in LANGUAGES} == {p.language for p in PROGRAMS}


@pytest.mark.parametrize("program", [each for each in PROGRAMS if each.language not in NO_FRESH_LINE | SLOW], ids=_file)
def test_an_event_behind_a_torn_line_stands_on_a_line_of_its_own(program: Program, home: Path, workspace: Path) -> None:
    log = Path(started(home, workspace)["log"])
    instrumented(program, home, workspace)
    log.write_text('{"torn": ')

    program.run(workspace)

    [torn, event] = log.read_text(encoding="utf-8").splitlines()
    assert torn == '{"torn": '
    assert json.loads(event)["probe"]


def test_a_node_without_a_way_to_builtin_modules_appends_all_the_same(home: Path, workspace: Path) -> None:
    log = Path(started(home, workspace)["log"])
    cli("stop", home=home, cwd=workspace)
    source = "delete process.getBuiltinModule;\nprocess.exitCode = 3;\n"
    program = Program("javascript", "old.js", source, 2, "1", {}, ("node", "{}"))
    instrumented(program, home, workspace)

    assert program.run(workspace) == (3, "", "")

    [event] = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert event["data"] == {"1": 1}


ALARMING = """\
import signal


class Late(Exception):
    pass


class Slow:
    def __repr__(self):
        signal.raise_signal(signal.SIGTERM)
        return "slow"


def late(number, frame):
    raise Late


signal.signal(signal.SIGTERM, late)
try:
    print("in time")
except Late:
    print("late")
"""


@pytest.mark.parametrize(
    ("before", "data"),
    [("print", "Slow()"), ("print", "repr(Slow())"), ("print", "[Slow()]"), ("raise Late", "missing")],
)
def test_what_a_signal_s_handler_raises_within_a_probe_reaches_the_program_and_nothing_else_does(
    before: str, data: str, home: Path, workspace: Path
) -> None:
    started(home, workspace)
    source = ALARMING.replace('"in time"', "repr(Slow())") if data == "missing" else ALARMING
    (workspace / "a.py").write_text(source)
    line = source[: source.index(f"    {before}")].count("\n") + 1
    assert cli("instrument", f"a.py:{line}", "--data", data, home=home, cwd=workspace).returncode == 0
    ran = subprocess.run([sys.executable, "a.py"], cwd=workspace, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("late\n", "")
