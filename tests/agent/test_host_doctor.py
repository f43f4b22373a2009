"""`debugloop doctor HOST`: what was installed is whole and answers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from debugloop.agent.hosts import NAMES, named
from tests.support import cli


def test_the_doctor_knows_a_whole_installation_from_a_broken_one(home: Path, workspace: Path) -> None:
    none = cli("doctor", "claude-code", home=home, cwd=workspace)
    cli("install", "claude-code", home=home, cwd=workspace)
    whole = cli("doctor", "claude-code", home=home, cwd=workspace)
    (workspace / ".claude/commands/debuglog.md").unlink()
    (workspace / ".mcp.json").write_text("{}")
    broken = cli("doctor", "claude-code", home=home, cwd=workspace)

    assert (none.returncode, whole.returncode, broken.returncode) == (1, 0, 1)
    assert ".mcp.json is not there." in none.stderr
    assert "`debugloop install claude-code` mends that." in none.stderr
    assert whole.stdout == "All is well.\n"
    assert "debuglog.md is not there." in broken.stderr
    assert ".mcp.json does not hold what it must." in broken.stderr
    assert "SKILL.md" not in broken.stderr


def test_the_doctor_looks_at_the_installation_that_is_there(home: Path, workspace: Path, tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path)}
    installed = cli("install", "claude-code", "--user", home=home, cwd=workspace, environment=environment)
    whole = cli("doctor", "claude-code", home=home, cwd=workspace, environment=environment)
    (tmp_path / ".claude/commands/debuglog.md").unlink()
    broken = cli("doctor", "claude-code", home=home, cwd=workspace, environment=environment)
    project = cli("doctor", "claude-code", "--project", home=home, cwd=workspace, environment=environment)

    assert "check with `debugloop doctor claude-code`" in installed.stderr
    assert whole.stdout == "All is well.\n"
    assert f"{tmp_path}/.claude/commands/debuglog.md is not there." in broken.stderr
    assert "`debugloop install claude-code --user` mends that." in broken.stderr
    assert f"{workspace}/.mcp.json is not there." in project.stderr


@pytest.mark.parametrize("name", [name for name in NAMES if named(name).hooks])
def test_the_doctor_asks_the_hooks_that_were_installed(home: Path, workspace: Path, name: str) -> None:
    cli("install", name, home=home, cwd=workspace)
    whole = json.loads(cli("doctor", name, "--json", home=home, cwd=workspace).stdout)
    places = [path for path in workspace.rglob("*.json") if "hooks/__main__.py" in path.read_text()]
    for path in places:
        path.write_text(path.read_text().replace(f" {sys.executable} ", " "))
        path.write_text(path.read_text().replace(" stop ", " halt "))
    broken = cli("doctor", name, home=home, cwd=workspace)

    assert whole["hooks"] == list(named(name).hooks)
    assert len(places) == 1
    assert f"{places[0].name} does not hold what it must." in broken.stderr
