from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from debugloop.agent import closing, loop
from debugloop.agent.report import report
from debugloop.session import actions, endpoint, ledger
from debugloop.session.records import Steps
from tests.probes.repo import Repo, new_repo
from tests.support import cli, require

if TYPE_CHECKING:
    from debugloop.session.session import Session
    from debugloop.settings import Settings


@pytest.fixture
def repo(workspace: Path) -> Repo:
    require("git")
    repo = new_repo(workspace)
    repo.write("cart.py", "total = prices + ''\n")
    repo.commit("the bug")
    return repo


@pytest.fixture
def solved(settings: Settings, repo: Repo) -> Session:
    """A bug that was reproduced in run 1, and is gone in run 2."""
    session = loop.start(settings, repo.top, environment={}).session
    ledger.add(session, "the price is <b>text</b>")
    loop.publish_steps(session, Steps("Wrong `total`", ("Open the cart", "Look")))
    log(session, '{"hypothesisId":"H1","location":"cart.py:1","data":{"total":"105"}}')
    actions.press(session, "reproduced", "105 where *15* was due")
    loop.wait(session, 0)
    ledger.set_verdict(session, "H1", "confirmed", [(1, 2)])
    repo.write("cart.py", "total = prices + 0\n")
    loop.publish_steps(session, Steps("Wrong `total`", ("Open the cart", "Look")))
    log(session, '{"hypothesisId":"H1","location":"cart.py:1","data":{"total":15}}')
    actions.press(session, "resolved")
    return session


def log(session: Session, line: str) -> None:
    with session.layout.log.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def test_a_report_tells_bug_verdicts_steps_comparison_fix_and_proof(solved: Session) -> None:
    closing.finish(solved)

    text = report(solved)

    assert text.startswith("# Debug report: Wrong \\`total\\`\n")
    assert "The fix was verified in run 2, with 1 event." in text
    assert "- **H1, confirmed**: the price is &lt;b\\>text&lt;/b\\>" in text
    assert '1:2  {"hypothesisId":"H1","location":"cart.py:1","data":{"total":"105"}}' in text
    assert "1. Open the cart\n2. Look\n" in text
    assert "- Run 1, reproduced: 105 where \\*15\\* was due" in text
    assert 'data.total: "105" → 15  [1:2 and 2:2]' in text
    assert "-total = prices + ''\n+total = prices + 0\n" in text
    assert "Nothing of the session is left, in 2 files, the index, stashes and commits." in text


def test_before_the_end_a_report_says_so_and_lists_what_is_left_without_the_token(solved: Session, repo: Repo) -> None:
    address = endpoint.load(solved.layout)
    assert address
    repo.write("cart.py", f"url = '{address.url}'\n")

    text = report(solved)

    assert "is not finished." in text
    assert "1 line of the session is left" in text
    assert "- cart.py:1: endpoint" in text
    assert address.token not in text


def test_an_unverified_fix_is_called_so(settings: Settings, workspace: Path) -> None:
    session = loop.start(settings, workspace, environment={}).session

    text = report(session)

    assert "The fix is **unverified**" in text
    assert "## Changes" not in text


def test_a_fix_that_no_event_came_for_is_called_so(solved: Session) -> None:
    log(solved, '{"message": "a"}')
    actions.press(solved, "reproduced")
    loop.wait(solved, 0)
    loop.publish_steps(solved, Steps(None, ("Open",)))

    assert "no event came in it: only the person's word says that it works" in report(solved)


def test_nothing_that_was_logged_or_written_leaves_its_fence(solved: Session, repo: Repo) -> None:
    repo.write("cart.py", "total = '''\n``````\n# <script>\x1b[2J\n'''\n")
    log(solved, json.dumps({"location": "```\n# injected", "message": "\x1b]52;c;aa\x07"}))
    ledger.set_verdict(solved, "H1", "confirmed", [(2, 3)])

    text = report(solved)
    outside: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = line.strip()
        if fence:
            fence = "" if mark == fence else fence
        elif mark.startswith("```"):
            fence = mark.rstrip("abcdefghijklmnopqrstuvwxyz")
        else:
            outside.append(line)

    assert fence == ""
    assert "\x1b" not in text
    assert not [line for line in outside if "injected" in line or "script" in line]


def test_the_diff_of_the_fix_runs_no_program_of_the_configuration(solved: Session, repo: Repo, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    script.chmod(0o755)
    for key in ("filter.evil.clean", "filter.evil.process", "diff.external", "diff.evil.textconv", "core.pager"):
        repo.git("config", key, str(script))
    repo.git("config", "filter.evil.required", "true")
    repo.write(".gitattributes", "*.py filter=evil diff=evil\n")
    repo.write("cart.py", "total = prices + 7\n")

    text = report(solved)

    assert "+total = prices + 7" in text
    assert not ran.exists()


def test_the_verb_prints_the_report_of_a_finished_session_that_is_named(
    solved: Session, home: Path, repo: Repo
) -> None:
    closing.finish(solved)

    ran = cli("report", "--session", solved.id, home=home, cwd=repo.top)
    as_json = cli("report", "--session", solved.id, "--json", home=home, cwd=repo.top)

    assert ran.stdout == report(solved)
    assert json.loads(as_json.stdout)["report"] == ran.stdout


def test_a_report_changes_nothing_in_the_repository(solved: Session, repo: Repo) -> None:
    def everything() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in repo.top.rglob("*") if path.is_file()}

    before = everything()
    report(solved)

    assert everything() == before
    assert subprocess.run(["git", "status"], cwd=repo.top, check=True, capture_output=True).returncode == 0
