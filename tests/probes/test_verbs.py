from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.probes.repo import new_repo
from tests.support import cli

PROBE = "// #region debugloop {0}/1\nlog();\n// #endregion debugloop {0}/1\n"


def started(home: Path, workspace: Path) -> dict[str, str]:
    answer: dict[str, str] = json.loads(cli("start", "--json", home=home, cwd=workspace).stdout)
    return answer


def test_scan_finds_what_strip_removes(home: Path, workspace: Path) -> None:
    repo = new_repo(workspace)
    session = started(home, workspace)
    repo.write("app.js", "a();\r\n" + PROBE.format(session["session"]))
    repo.write("config.js", f"URL = '{session['endpoint']}'\n")

    scanned = cli("scan", home=home, cwd=workspace)
    assert scanned.returncode == 4
    assert "app.js:2: marker (working tree): // #region debugloop" in scanned.stdout
    assert "config.js:1: endpoint (working tree): URL = 'http://127.0.0.1:" in scanned.stdout
    assert session["endpoint"].rpartition("/")[2] not in scanned.stdout + scanned.stderr

    tried = cli("strip", "--dry-run", home=home, cwd=workspace)
    assert tried.stdout.endswith("Would remove 1 probe from 1 file.\n")
    assert "#region" in (workspace / "app.js").read_text()

    stripped = json.loads(cli("strip", "--edited", "--json", home=home, cwd=workspace).stdout)
    probe = f"{session['session']}/1"
    assert stripped["files"] == [{"file": "app.js", "probes": [probe], "lines": [2]}]
    assert (workspace / "app.js").read_bytes() == b"a();\r\n"

    scanned = cli("scan", "--json", home=home, cwd=workspace)
    assert scanned.returncode == 4
    answer = json.loads(scanned.stdout)
    assert [(left["file"], left["line"], left["kind"]) for left in answer["leftovers"]] == [
        ("config.js", 1, "endpoint")
    ]
    (workspace / "config.js").unlink()
    scanned = cli("scan", home=home, cwd=workspace)
    assert (scanned.returncode, scanned.stdout) == (0, "")
    assert scanned.stderr == "Nothing left, in 1 file looked at.\n"


def test_strip_takes_files_relative_to_the_folder_it_runs_in(home: Path, workspace: Path) -> None:
    repo = new_repo(workspace)
    session = started(home, workspace)["session"]
    repo.write("web/a.js", PROBE.format(session))
    repo.write("web/b.js", PROBE.format(session).replace("/1", "/2"))
    done = cli("strip", "--edited", "a.js", home=home, cwd=workspace / "web")
    assert done.stdout == f"web/a.js: {session}/1\nRemoved 1 probe from 1 file.\n"
    assert (workspace / "web/b.js").read_text() != ""


def test_strip_tells_markers_that_do_not_pair_and_touches_nothing(home: Path, workspace: Path) -> None:
    repo = new_repo(workspace)
    session = started(home, workspace)["session"]
    text = PROBE.format(session) + f"// #region debugloop {session}/2\n"
    repo.write("app.js", text)
    done = cli("strip", home=home, cwd=workspace)
    assert done.returncode == 1
    assert f"app.js:4: {session}/2 begins but does not end" in done.stderr
    assert (workspace / "app.js").read_text() == text
    refused = cli("strip", "--json", home=home, cwd=workspace)
    assert json.loads(refused.stderr)["error"] == "broken_markers"


def test_the_probes_of_a_session_that_is_gone_can_be_removed_by_its_name(home: Path, workspace: Path) -> None:
    repo = new_repo(workspace)
    repo.write("app.js", "x\n" + PROBE.format("old"))
    refused = cli("strip", home=home, cwd=workspace)
    assert refused.returncode == 1
    assert "There is no debug session" in refused.stderr
    done = cli("strip", "--edited", "--session", "old", home=home, cwd=workspace)
    assert done.stdout == "app.js: old/1\nRemoved 1 probe from 1 file.\n"
    assert (workspace / "app.js").read_text() == "x\n"


def test_a_file_outside_of_the_workspace_is_refused(home: Path, workspace: Path) -> None:
    new_repo(workspace)
    started(home, workspace)
    (workspace.parent / "other.js").write_text("x")
    refused = cli("strip", "../other.js", home=home, cwd=workspace)
    assert refused.returncode == 1
    assert "other.js is outside of" in refused.stderr
    assert cli("strip", "nowhere.js", home=home, cwd=workspace).returncode == 1


def test_a_file_whose_name_is_no_text_hinders_no_verb(home: Path, workspace: Path) -> None:
    repo = new_repo(workspace)
    name = os.fsdecode(b"f\xff.js")
    repo.write(name, "x\n")
    session = started(home, workspace)["session"]
    repo.write(name, "x\n" + PROBE.format(session))
    scanned = json.loads(cli("scan", "--json", home=home, cwd=workspace).stdout)
    assert {left["file"] for left in scanned["leftovers"]} == {"f\ufffd.js"}
    assert scanned["review"] == []
    assert cli("strip", "--edited", home=home, cwd=workspace).returncode == 0
    assert (workspace / name).read_text() == "x\n"


def test_strip_names_the_markers_that_it_leaves_to_a_person(home: Path, workspace: Path) -> None:
    session = started(home, workspace)["session"]
    (workspace / "a.ipynb").write_text(f'{{"source": [\n "# #region debugloop {session}/1\\n"]}}\n')
    told = cli("strip", home=home, cwd=workspace)
    assert told.stdout.splitlines() == [
        "a.ipynb:2: holds a marker of this session, but is no comment line of its own. Remove it by hand.",
        "Removed 0 probes from 0 files.",
    ]
    answer = json.loads(cli("strip", "--json", home=home, cwd=workspace).stdout)
    assert (answer["files"], answer["text"]) == ([], [{"file": "a.ipynb", "line": 2}])


def test_strip_names_the_built_files_that_still_hold_a_probe(home: Path, workspace: Path) -> None:
    repo = new_repo(workspace)
    repo.write(".gitignore", "dist/\n*.log\n")
    repo.write("dist/old.js", "old();\n")
    session = started(home, workspace)["session"]
    source = repo.write("app.js", "run();\n")
    cli("instrument", "app.js:1", home=home, cwd=workspace)
    repo.write("dist/app.js", source.read_bytes())
    minified = next(line for line in source.read_text().splitlines() if line.startswith("try"))
    repo.write("public/app.min.js", f"{minified}run();")
    repo.write("events.log", f'{{"probe": "{session}/1"}}\n')

    told = cli("strip", home=home, cwd=workspace)

    assert told.stdout.splitlines() == [
        f"app.js: {session}/1",
        f"public/app.min.js: built, and still has {session}/1. Build it again.",
        f"dist/app.js: built, and still has {session}/1. Build it again.",
        "Removed 1 probe from 1 file.",
    ]
    assert source.read_text() == "run();\n"
    answer = json.loads(cli("strip", "--json", home=home, cwd=workspace).stdout)
    assert {each["file"] for each in answer["built"]} == {"public/app.min.js", "dist/app.js"}


def test_strip_finds_its_probes_in_ignored_files_too(home: Path, workspace: Path) -> None:
    repo = new_repo(workspace)
    repo.write(".gitignore", "local.js\n")
    repo.write("local.js", "run();\n")
    started(home, workspace)
    assert cli("instrument", "local.js:1", home=home, cwd=workspace).returncode == 0
    assert cli("strip", home=home, cwd=workspace).stdout.endswith("Removed 1 probe from 1 file.\n")
    assert (workspace / "local.js").read_text() == "run();\n"


def test_scan_without_a_session_looks_for_markers_alone(home: Path, workspace: Path) -> None:
    repo = new_repo(workspace)
    scanned = cli("scan", home=home, cwd=workspace)
    assert (scanned.returncode, scanned.stdout) == (0, "")
    assert "There is no session in" in scanned.stderr
    repo.write("app.js", PROBE.format("theirs") + "// #region agent log\n")
    scanned = cli("scan", "--json", home=home, cwd=workspace)
    assert scanned.returncode == 4
    assert [left["kind"] for left in json.loads(scanned.stdout)["leftovers"]] == [
        "other_session",
        "other_session",
        "foreign_marker",
    ]
    assert scanned.stderr == ""


def test_scan_tells_ours_and_theirs_apart(home: Path, workspace: Path) -> None:
    repo = new_repo(workspace)
    session = started(home, workspace)["session"]
    repo.write("app.js", PROBE.format("theirs") + PROBE.format(session))
    answer = json.loads(cli("scan", "--json", home=home, cwd=workspace).stdout)
    assert [left["kind"] for left in answer["leftovers"]] == ["other_session"] * 2 + ["marker"] * 2


def test_the_events_of_one_probe_and_the_probes_that_never_fired_are_told_by_logs(home: Path, workspace: Path) -> None:
    (workspace / "cart.py").write_text("total = 1\nif total > 1:\n    total = 2\nprint(total)\n")
    session = started(home, workspace)["session"]
    for line, hypothesis in ((3, "H1"), (1, "H2")):
        done = cli("instrument", f"cart.py:{line}", "--hypothesis", hypothesis, home=home, cwd=workspace)
        assert done.returncode == 0, done.stderr
    subprocess.run([sys.executable, "cart.py"], cwd=workspace, check=True, capture_output=True)

    rows = cli("logs", "--probe", "2", "--json", home=home, cwd=workspace).stdout.splitlines()
    none = cli("logs", "--probe", f"{session}/1", home=home, cwd=workspace)
    digest = json.loads(cli("logs", "--digest", "--json", home=home, cwd=workspace).stdout)
    of_one = json.loads(cli("logs", "--digest", "--hypothesis", "H2", "--json", home=home, cwd=workspace).stdout)

    assert [json.loads(each)["record"]["probe"] for each in rows] == [f"{session}/2"]
    assert (none.returncode, none.stdout) == (0, "")
    assert digest["never_fired"] == [{"probe": f"{session}/1", "location": "cart.py:3"}]
    assert of_one["never_fired"] == []
