"""Strip by choice: one probe alone, and probes that somebody changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import cli

SOURCE = 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println(1)\n\tfmt.Println(2)\n}\n'


@pytest.fixture
def session(home: Path, workspace: Path) -> str:
    (workspace / "a.go").write_text(SOURCE)
    (workspace / "b.py").write_text("x = 1\n")
    name: str = json.loads(cli("start", "--json", home=home, cwd=workspace).stdout)["session"]
    for place in ("a.go:6", "b.py:1"):
        assert cli("instrument", place, home=home, cwd=workspace).returncode == 0
    return name


def line_of(path: Path, text: str) -> int:
    return path.read_text().splitlines().index(text) + 1


def test_one_probe_goes_alone_and_the_last_of_a_file_takes_its_imports_along(
    session: str, home: Path, workspace: Path
) -> None:
    place = f"a.go:{line_of(workspace / 'a.go', '	fmt.Println(2)')}"
    cli("instrument", place, home=home, cwd=workspace)

    gone = json.loads(cli("strip", "--probe", "1", "--json", home=home, cwd=workspace).stdout)
    assert [each["probes"] for each in gone["files"]] == [[f"{session}/1"]]
    assert f"{session}/imports" in (workspace / "a.go").read_text()

    told = cli("strip", "--probe", f"{session}/3", home=home, cwd=workspace).stdout
    assert told == f"a.go: {session}/imports, {session}/3\nRemoved 2 probes from 1 file.\n"
    assert (workspace / "a.go").read_text() == SOURCE
    assert f"{session}/2" in (workspace / "b.py").read_text()
    assert cli("strip", "--probe", "7", home=home, cwd=workspace).stdout == "Removed 0 probes from 0 files.\n"


def test_an_edited_probe_is_shown_and_goes_only_when_that_is_said(session: str, home: Path, workspace: Path) -> None:
    path = workspace / "b.py"
    path.write_text(path.read_text().replace("except Exception:", "    fix_it()\nexcept Exception:"))
    before = path.read_text()

    refused = cli("strip", home=home, cwd=workspace)

    assert refused.returncode == 1
    assert "-    fix_it()" in refused.stderr
    assert f"touched:\n  b.py:1: {session}/2\nAll between their markers would go" in refused.stderr
    assert path.read_text() == before
    assert f"{session}/1" in (workspace / "a.go").read_text()
    assert json.loads(cli("strip", "--json", home=home, cwd=workspace).stderr)["error"] == "edited_probes"
    assert cli("strip", "--edited", home=home, cwd=workspace).returncode == 0
    assert (path.read_text(), (workspace / "a.go").read_text()) == ("x = 1\n", SOURCE)


def test_other_line_ends_are_no_edit(session: str, home: Path, workspace: Path) -> None:
    path = workspace / "b.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert cli("strip", home=home, cwd=workspace).returncode == 0

    assert path.read_bytes() == b"x = 1\r\n"


def test_a_probe_that_was_inserted_by_hand_is_shown_and_goes_only_when_that_is_said(
    session: str, home: Path, workspace: Path
) -> None:
    text = json.loads(cli("snippet", "js", "--json", home=home, cwd=workspace).stdout)["text"]
    (workspace / "c.js").write_text(f"run();\n{text}".rstrip())
    before = (workspace / "c.js").read_text()

    refused = cli("strip", home=home, cwd=workspace)
    tried = cli("strip", "--dry-run", home=home, cwd=workspace)

    assert refused.returncode == 1
    assert f"  c.js:2: {session}/3\n" in refused.stderr
    assert (tried.returncode, (workspace / "c.js").read_text()) == (0, before)
    assert f"Only with --edited, for they are not as `instrument` inserted them: {session}/3." in tried.stdout
    assert cli("strip", "--probe", "1", home=home, cwd=workspace).returncode == 0
    assert cli("strip", "--edited", home=home, cwd=workspace).returncode == 0
    assert ((workspace / "c.js").read_text(), (workspace / "a.go").read_text()) == ("run();\n", SOURCE)


def test_imports_that_were_changed_are_no_longer_as_inserted(session: str, home: Path, workspace: Path) -> None:
    path = workspace / "a.go"
    text = path.read_text()
    end = f"// #endregion debugloop {session}/imports"
    path.write_text(text.replace(end, f"var mine = 1\n{end}"))

    refused = cli("strip", home=home, cwd=workspace)

    assert (refused.returncode, "-var mine = 1" in refused.stderr) == (1, True)
    assert f": {session}/imports\n" in refused.stderr
    path.write_text(text)
    assert cli("strip", home=home, cwd=workspace).returncode == 0
    assert path.read_text() == SOURCE


def test_a_dry_run_shows_what_would_go_without_the_token(session: str, home: Path, workspace: Path) -> None:
    (workspace / "c.js").write_text("run();\n")
    cli("instrument", "c.js:1", home=home, cwd=workspace)
    token = json.loads(cli("start", "--json", home=home, cwd=workspace).stdout)["endpoint"].rpartition("/")[2]

    told = cli("strip", "--dry-run", home=home, cwd=workspace)
    as_json = cli("strip", "--dry-run", "--json", home=home, cwd=workspace)

    assert "--- c.js\n+++ c.js\n" in told.stdout
    assert f"-// #region debugloop {session}/3" in told.stdout
    assert "-// #region" in json.loads(as_json.stdout)["files"][2]["diff"]
    assert token not in told.stdout + as_json.stdout
    assert token in (workspace / "c.js").read_text()
