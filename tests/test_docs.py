"""The documents say what the program does: commands run, tables are complete, links lead somewhere."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from debugloop.probes.inserted import Inserted
from debugloop.session.collector_file import CollectorFile
from debugloop.session.layout import Layout
from debugloop.session.ledger import Citation, Hypothesis
from debugloop.session.records import Malformed
from debugloop.session.state import State
from debugloop.settings import Settings
from tests.documents import Ran, blocks, documents, in_terminal
from tests.support import ROOT, clean_environment, cli, require

RUN_ELSEWHERE = {
    "make demo\nmake test\n": "minutes long, and `make test` would start itself: .ci/run and test_clean_clone run them",
    "make test\n.venv/bin/python -m pytest -q tests/test_house.py -m 'not slow'\n": "the same",
    "python3 -m venv ~/.debugloop-venv\n~/.debugloop-venv/bin/pip install --quiet .\n"
    "~/.debugloop-venv/bin/debugloop --version\n": "asks a registry: test_clean_clone runs it",
}
"""Blocks of commands that the tests of this file do not run, each with the reason."""

README, SECURITY, PROTOCOL = ROOT / "README.md", ROOT / "SECURITY.md", ROOT / "docs/protocol.md"


def read(document: Path) -> str:
    return document.read_text(encoding="utf-8")


def table_rows(text: str) -> list[list[str]]:
    """The cells of every row of every table, heads and rules left out."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if not set("".join(row)) <= set("-: ")]


@pytest.fixture
def repository(workspace: Path) -> Path:
    """A workspace as a reader has it: a git repository with one commit."""
    require("git")
    (workspace / "cart.py").write_text("total = sum(prices)\n", encoding="utf-8")
    for arguments in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=reader", "-c", "user.email=reader@example.org", "commit", "-qm", "the cart"],
    ):
        subprocess.run(["git", *arguments], cwd=workspace, check=True)
    return workspace


def follow(document: Path, home: Path, workspace: Path, before: str = "") -> Ran:
    shell = [block for block in blocks(document) if block not in RUN_ELSEWHERE]
    ran = in_terminal(before + "".join(shell), home=home, cwd=workspace)
    in_terminal(
        'debugloop sessions --json | grep -o \'"session":"[^"]*"\' | cut -d\'"\' -f4 | '
        'while read -r id; do debugloop stop --session "$id"; done',
        home=home,
        cwd=workspace,
    )
    return ran


def test_the_readme_followed_literally_works(home: Path, repository: Path) -> None:
    require("curl")

    ran = follow(README, home, repository)

    assert ran.code == 0, ran.screen


def test_the_probes_of_the_readme_reach_the_log_and_strip_removes_them(home: Path, repository: Path) -> None:
    node = require("node")
    started = json.loads(cli("start", "--json", home=home, cwd=repository).stdout)
    placeholders = {
        "http://127.0.0.1:PORT/debug/TOKEN": started["endpoint"],
        "/path/of/debug.jsonl": started["log"],
        "my-session": started["session"],
    }
    originals = {"cart.js": 'const price = "5";\n', "cart.py": "total = 105\n"}
    for name, language, program in (("cart.js", "js", node), ("cart.py", "python", sys.executable)):
        [probe] = blocks(README, language)
        for placeholder, value in placeholders.items():
            probe = probe.replace(placeholder, value)
        (repository / name).write_text(originals[name] + probe, encoding="utf-8")
        subprocess.run([program, name], cwd=repository, env=clean_environment(home), check=True, timeout=60)

    rows = [json.loads(line) for line in cli("logs", "--json", home=home, cwd=repository).stdout.splitlines()]
    cli("strip", "--edited", home=home, cwd=repository)

    assert [row["record"]["data"] for row in rows] == [{"price": "5"}, {"total": 105}]
    assert {name: read(repository / name) for name in originals} == originals


def test_the_commands_of_the_security_page_work(home: Path, repository: Path) -> None:
    ran = follow(SECURITY, home, repository, before="debugloop start\n")

    assert ran.code == 0, ran.screen


def test_blocks_that_are_not_run_here_are_still_in_a_document() -> None:
    there = {block for document in documents() for block in blocks(document)}

    assert set(RUN_ELSEWHERE) <= there


def test_every_block_of_commands_is_run_by_some_test() -> None:
    followed = {README, SECURITY}
    examples = [document for document in documents() if document.is_relative_to(ROOT / "examples")]
    others = [document for document in documents() if document not in followed and document not in examples]

    assert [block for document in others for block in blocks(document) if block not in RUN_ELSEWHERE] == []


def test_every_setting_is_documented_with_its_default() -> None:
    rows = {row[0]: row[1] for row in table_rows(read(ROOT / "docs/settings.md")) if len(row) == 3}

    for field in dataclasses.fields(Settings):
        assert f"`DEBUGLOOP_{field.name.upper()}`" in rows
        if field.name != "home":
            assert float(rows[f"`DEBUGLOOP_{field.name.upper()}`"]) == field.default
    assert len(rows) - 1 == len(dataclasses.fields(Settings))


def test_every_variable_that_the_source_reads_is_documented() -> None:
    sources = [path for folder in ("collector", "overlay") for path in (ROOT / folder).rglob("*.py")]
    read_by_us = {name for path in sources for name in re.findall(r"\bDEBUGLOOP_[A-Z_]*[A-Z]\b", read(path))}
    documented = set(re.findall(r"`(DEBUGLOOP_[A-Z_]+)`", read(ROOT / "docs/settings.md")))

    assert read_by_us <= documented


def test_every_file_of_a_session_is_documented() -> None:
    names = {path.name for path in Layout(Path("sessions/key/id")).owned()}
    documented = {row[0].strip("`") for row in table_rows(read(PROTOCOL))}

    assert names <= documented


@pytest.mark.parametrize(
    "content", [State, CollectorFile, Hypothesis, Citation, Inserted], ids=lambda content: content.__name__
)
def test_every_field_of_a_state_file_is_documented(
    content: type[State | CollectorFile | Hypothesis | Citation | Inserted],
) -> None:
    words = set(re.findall(r"\w+", read(PROTOCOL)))

    assert {field.name for field in dataclasses.fields(content)} <= words


def test_every_reason_of_a_malformed_row_is_documented() -> None:
    documented = {row[0].strip("`") for row in table_rows(read(PROTOCOL))}

    assert set(get_args(Malformed)) <= documented


def test_every_answer_of_the_collector_is_documented() -> None:
    source = "".join(map(read, (ROOT / "collector/debugloop/ingest").glob("*.py")))
    answers = set(re.findall(r"""Refusal\(\s*(\d{3}),\s*"(\w+)\"""", source))
    documented = {(row[1], row[2].strip("`")) for row in table_rows(read(ROOT / "docs/http.md")) if row[2:3] > [""]}

    assert documented - {("answer", "code")} == answers


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_within_the_repository_leads_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\((?!https?://|#)([^)#]+)", read(document))

    assert [target for target in targets if not (document.parent / target).exists()] == []


def test_every_promise_of_the_security_page_names_a_test_that_is_there() -> None:
    promises = [row for row in table_rows(read(SECURITY)) if len(row) == 3 and row[2] != "test"]

    assert len(promises) >= 10
    for _, promise, proof in promises:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", proof)
        assert named, f"no test is named for: {promise}"
        for path, test in named:
            assert re.search(rf"^(?:async )?def {test}\(", read(ROOT / path), re.MULTILINE), f"{path} has no {test}"
