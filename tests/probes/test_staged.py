"""``scan --staged``: a commit that would hold a probe is refused, whether or not there is a session."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.probes.repo import Repo, new_repo
from tests.support import ROOT, cli

PROBE = "// #region debugloop theirs/1\nlog();\n// #endregion debugloop theirs/1\n"
URL = f"fetch('http://127.0.0.1:10241/debug/{'ab' * 32}')\n"


@pytest.fixture
def repo(workspace: Path) -> Repo:
    return new_repo(workspace)


def staged(home: Path, repo: Repo) -> list[tuple[str, int, str, str]]:
    ran = cli("scan", "--staged", "--json", home=home, cwd=repo.top)
    found = json.loads(ran.stdout)["leftovers"]
    assert ran.returncode == (4 if found else 0), ran.stderr
    return [(each["file"], each["line"], each["kind"], each["where"]) for each in found]


def test_only_what_is_staged_is_looked_at(home: Path, repo: Repo) -> None:
    repo.write("app.js", PROBE)
    assert staged(home, repo) == []
    repo.git("add", "app.js")
    repo.write("app.js", "clean();\n")
    repo.write("b.js", URL + "// #region agent log\n")
    repo.git("add", "b.js")
    assert staged(home, repo) == [
        ("app.js", 1, "other_session", "index"),
        ("app.js", 3, "other_session", "index"),
        ("b.js", 1, "endpoint", "index"),
        ("b.js", 2, "foreign_marker", "index"),
    ]
    told = cli("scan", "--staged", home=home, cwd=repo.top)
    assert "ab" * 32 not in told.stdout
    assert told.stderr == "4 lines left, in what is staged.\n"


def test_what_was_committed_before_is_not_told_again(home: Path, repo: Repo) -> None:
    repo.write("old.js", PROBE)
    repo.commit("long ago")
    repo.write("app.js", "more();\n")
    repo.git("add", "app.js")
    assert staged(home, repo) == []


def test_the_first_commit_of_a_repository_is_looked_at_too(home: Path, workspace: Path) -> None:
    repo = Repo(workspace)
    repo.git("init", "-q")
    repo.write("app.js", PROBE)
    repo.git("add", "app.js")
    assert len(staged(home, repo)) == 2


def test_without_a_repository_it_says_so(home: Path, workspace: Path) -> None:
    ran = cli("scan", "--staged", "--json", home=home, cwd=workspace)
    assert (ran.returncode, json.loads(ran.stderr)["error"]) == (1, "git_failed")


def test_as_a_hook_it_stops_a_commit_with_a_probe_and_no_other(home: Path, repo: Repo) -> None:
    [entry] = [
        line.partition(": ")[2]
        for line in (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8").splitlines()
        if line.startswith("  entry: debugloop ")
    ]
    hook = repo.write(".git/hooks/pre-commit", f'#!/bin/sh\nexec "{sys.executable}" -m {entry}\n')
    hook.chmod(0o755)
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "DEBUGLOOP_HOME": str(home)}

    def commit(*arguments: str) -> int:
        command = ["git", "commit", "-q", "-m", "more", *arguments]
        return subprocess.run(command, cwd=repo.top, env=environment, capture_output=True, check=False).returncode

    repo.write("app.js", PROBE)
    # neither is in the index that the next command of git would see: only the hook's own shows it
    assert commit("-a") == 1
    assert commit("app.js") == 1
    repo.write("app.js", "clean();\n")
    assert commit("-a") == 0
