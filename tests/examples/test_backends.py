"""The Python, Node and shell examples: what they print, what they tell debugloop, and that telling changes nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from debugloop.ingest import daemon
from debugloop.session import runs
from debugloop.session.session import Session
from tests.support import GENEROUS, ROOT, require, until

EXAMPLES = ROOT / "examples"
PROXIES = dict.fromkeys(("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"), "http://127.0.0.1:9")


@pytest.fixture(params=["python", "node", "shell"])
def program(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """The command of one example, with arguments that bring its bug out."""
    if request.param == "python":
        return [sys.executable, str(EXAMPLES / "python/split.py"), "100.00", "3"]
    if request.param == "node":
        return [require("node"), str(EXAMPLES / "node/shelf.js"), "9", "10", "80"]
    source, target = tmp_path / "from", tmp_path / "to"
    source.mkdir()
    target.mkdir()
    (source / "plain.txt").write_text("1")
    (source / "two words.txt").write_text("2")
    return [require("sh"), str(EXAMPLES / "shell/keep.sh"), str(source), str(target)]


def run(program: list[str], environment: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("DEBUGLOOP_")}
    done = subprocess.run(
        program, env={**env, **(environment or {})}, capture_output=True, text=True, timeout=GENEROUS, check=False
    )
    return done.returncode, done.stdout, done.stderr


def events(session: Session) -> list[dict[str, Any]]:
    rows = runs.read(session)[1]
    assert [row for row in rows if row.malformed] == []
    return [row.record() for row in rows]


def test_it_runs_without_a_session_and_shows_its_bug(program: list[str]) -> None:
    code, out, err = run(program)
    assert (code, err) == (0, "")
    assert out in {"33.33 33.33 33.33 = 99.99\n", "The emptiest shelf holds 10.\n", "1 copied\n"}


def test_its_events_arrive_whatever_proxy_is_set(program: list[str], session: Session) -> None:
    expected = run(program)
    address = daemon.ensure(session)
    told = run(program, {**PROXIES, "DEBUGLOOP_LOG": str(session.layout.log), "DEBUGLOOP_ENDPOINT": address.url})
    assert told == expected
    heard = until(lambda: [event["hypothesisId"] for event in events(session)])
    assert {*heard} == {"H1", "H2"}


def test_the_endpoint_alone_is_enough_for_node_and_the_shell(program: list[str], session: Session) -> None:
    if "split.py" in program[1]:
        pytest.skip("it only appends")
    if "keep.sh" in program[1]:
        require("curl")
    expected = run(program)
    address = daemon.ensure(session)
    assert run(program, {**PROXIES, "DEBUGLOOP_ENDPOINT": address.url}) == expected
    until(lambda: {event["hypothesisId"] for event in events(session)} == {"H1", "H2"})


@pytest.mark.parametrize("log", ["", "/nowhere/debug.jsonl", "/dev/full", "/"])
def test_a_session_that_is_gone_changes_nothing(program: list[str], log: str) -> None:
    dead = "http://127.0.0.1:9/debug/0"
    assert run(program, {"DEBUGLOOP_LOG": log, "DEBUGLOOP_ENDPOINT": dead}) == run(program)
    assert run(program, {"DEBUGLOOP_LOG": log, "DEBUGLOOP_ENDPOINT": "no address"}) == run(program)


def test_the_shell_probe_writes_json_whatever_the_text(session: Session, tmp_path: Path) -> None:
    source = tmp_path / "from"
    source.mkdir()
    for name in ('quo"te', "back\\slash", "tab\there", "größe"):
        (source / name).write_text("")
    (tmp_path / "to").mkdir()
    command = [require("sh"), str(EXAMPLES / "shell/keep.sh"), str(source), str(tmp_path / "to")]
    run(command, {"DEBUGLOOP_LOG": str(session.layout.log)})
    values = {event["data"]["value"] for event in events(session)}
    assert {'quo"te', "back\\slash", "größe"} <= values


def test_a_shell_that_stops_at_errors_is_not_stopped_by_a_probe(tmp_path: Path) -> None:
    script = tmp_path / "keep.sh"
    text = (EXAMPLES / "shell/keep.sh").read_text(encoding="utf-8")
    script.write_text(text.replace("copied=0\n", "set -eu\ncopied=0\n"), encoding="utf-8")
    for folder in ("from", "to"):
        (tmp_path / folder).mkdir()
    (tmp_path / "from/a").write_text("")
    command = [require("sh"), str(script), str(tmp_path / "from"), str(tmp_path / "to")]
    assert run(command, {"DEBUGLOOP_LOG": "/dev/full"}) == (0, "1 copied\n", "")
    assert run(command) == (0, "1 copied\n", "")


def test_each_example_has_a_readme_whose_commands_name_what_is_there() -> None:
    for folder in sorted(path for path in EXAMPLES.iterdir() if path.is_dir()):
        text = (folder / "README.md").read_text(encoding="utf-8")
        commands = [line.split() for line in text.splitlines() if line.startswith("    ")]
        started = [words[1] for words in commands if words[0] in {"python", "node", "sh"}]
        assert started, folder
        assert all((folder / name).is_file() for name in started)


@pytest.mark.parametrize("name", ["python", "node", "shell"])
def test_its_readme_followed_literally_shows_the_events(name: str, home: Path, tmp_path: Path) -> None:
    if name == "node":
        require("node")
    folder = shutil.copytree(EXAMPLES / name, tmp_path / name)
    for needed in ("FROM", "TO"):
        (folder / needed).mkdir()
    (folder / "FROM/a").write_text("")
    text = (folder / "README.md").read_text(encoding="utf-8")
    commands = "\n".join(line.strip() for line in text.splitlines() if line.startswith("    "))
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "debugloop").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m debugloop "$@"\n')
    (tools / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    for tool in tools.iterdir():
        tool.chmod(0o755)
    env = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(home), "DEBUGLOOP_HOME": str(home)}
    done = subprocess.run(
        ["sh", "-eu", "-c", commands],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=GENEROUS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert " H1  " in done.stdout
    assert " H2  " in done.stdout
