"""Where traces hide: links, messages, notebooks, what a build made, and what nobody may read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from debugloop.probes import traces
from debugloop.probes.scan import Report, scan
from debugloop.session import endpoint
from debugloop.session.endpoint import Endpoint
from debugloop.session.session import Session
from tests.probes.repo import Repo, new_repo
from tests.support import clean_environment, require

ADDRESS = Endpoint(23456, "fedcba9876543210" * 4)


@pytest.fixture
def repo(workspace: Path) -> Repo:
    return new_repo(workspace)


@pytest.fixture
def started(repo: Repo, session: Session) -> Session:
    endpoint.save(session.layout, ADDRESS)
    session.update(head=repo.git("rev-parse", "HEAD"))
    return session


def places(report: Report) -> set[tuple[str, str, int, str]]:
    return {(left.where.split()[0], left.file, left.line, left.kind) for left in report.leftovers}


def test_a_link_to_the_log_is_found_however_it_leads_there(repo: Repo, started: Session, tmp_path: Path) -> None:
    log = started.layout.log
    log.touch()
    (tmp_path / "alias").symlink_to(log.parent)
    (repo.top / "plain.jsonl").symlink_to(log)
    (repo.top / "round.jsonl").symlink_to(tmp_path / "alias" / log.name)
    (repo.top / "folder").symlink_to(log.parent)
    (repo.top / "own").symlink_to("app.js")

    report = scan(started)

    assert places(report) == {("working", name, 1, "log_path") for name in ("plain.jsonl", "round.jsonl", "folder")}
    repo.git("add", "plain.jsonl")
    assert ("index", "plain.jsonl", 1, "log_path") in places(scan(started))


def test_messages_of_commits_and_tags_since_the_start_are_read(repo: Repo, started: Session) -> None:
    repo.write("app.js", "more();\n")
    commit = repo.commit(f"Post to it\n\nsee {ADDRESS.url}")
    repo.git("tag", "-a", "v1", "-m", f"token {ADDRESS.token}")
    repo.git("tag", "light")

    report = scan(started)

    assert places(report) == {
        ("message", f"commit {commit[:10]}", 3, "endpoint"),
        ("message", "tag v1", 1, "token"),
    }
    assert ADDRESS.token not in str(report)


def test_markers_in_the_cells_of_a_notebook_are_found(repo: Repo, started: Session) -> None:
    lines = [
        *("x = 1\n", f"# #region debugloop {started.id}/1\n", "# #region agent log\n", "y = '# #region agent log'\n"),
        "# #region debugloop other/1",
    ]
    cells = [{"cell_type": "code", "source": lines}]
    text = json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    repo.write("a.ipynb", text)
    at = [number for number, line in enumerate(text.split("\n"), 1) if "region" in line]

    assert places(scan(started, everything=True)) == {
        ("working", "a.ipynb", at[0], "marker"),
        ("working", "a.ipynb", at[1], "foreign_marker"),
        ("working", "a.ipynb", at[3], "other_session"),
    }
    repo.write("a.ipynb", json.dumps({"cells": [{"source": "".join(lines[2:])}]}))
    assert places(scan(started, everything=True)) == {("working", "a.ipynb", 1, "other_session")}


def test_what_a_build_made_is_told_as_such(repo: Repo, started: Session) -> None:
    repo.write(".gitignore", "dist/\n")
    url = f'fetch("{ADDRESS.url}");\n'
    for name in ("dist/app.js", "web/app.min.js", "web/app.js.map"):
        repo.write(name, url)
    repo.write("public/app.js", f"{url}//# sourceMappingURL=app.js.map\n")
    repo.write("public/style.css", f"/* {ADDRESS.url} */\n/*# sourceMappingURL=style.css.map */\n")
    repo.write("dist.js", url)

    wheres = {left.file: left.where for left in scan(started).leftovers}

    assert wheres.pop("dist.js") == "working tree"
    assert set(wheres) == {"dist/app.js", "web/app.min.js", "web/app.js.map", "public/app.js", "public/style.css"}
    assert set(wheres.values()) == {"generated file, to be rebuilt"}


def test_copied_events_and_the_bare_id_of_a_session_are_told_by_scan_alone(repo: Repo, started: Session) -> None:
    repo.write("copy.jsonl", '{"message":"x","_":{"observed":"2026-01-01T00:00:00.000Z","run":1}}\n{"message":"y"}\n')
    repo.write("notes.md", f"found in session {started.id}\n")
    assert scan(started).leftovers == []
    found = places(scan(started, everything=True))
    assert ("working", "copy.jsonl", 1, "debug_log") in found
    assert (("working", "notes.md", 1, "session_id") in found) == bool(traces.id_trace(started.id))


def test_what_may_not_be_read_is_told(repo: Repo, home: Path) -> None:
    for file in ("tracked.js", "new.js"):
        repo.write(file, "x")
    repo.git("add", "tracked.js")
    repo.write("closed/a.js", "x")
    for name in ("tracked.js", "new.js", "closed"):
        (repo.top / name).chmod(0)
    command = [sys.executable, "-m", "debugloop", "scan", "--json"]
    if os.geteuid() == 0:  # to whom nothing is closed
        command = [require("setpriv"), "--bounding-set=-dac_override,-dac_read_search", *command]
    ran = subprocess.run(
        command, cwd=repo.top, env=clean_environment(home), capture_output=True, text=True, check=False
    )
    (repo.top / "closed").chmod(0o700)

    told = {each["file"]: each["text"] for each in json.loads(ran.stdout)["review"]}
    assert told == dict.fromkeys(("tracked.js", "new.js", "closed"), "could not be read: Permission denied"), ran.stderr


@pytest.mark.slow
def test_huge_files_are_looked_through_in_bounded_memory(repo: Repo, home: Path) -> None:
    marker = "\n// #region debugloop theirs/1\n"
    for name, size, first, end in (("big.bin", 1 << 30, b"", marker.encode()), ("wide.txt", 1 << 27, b"\xff\xfe", b"")):
        with repo.write(name, first).open("r+b") as file:
            file.truncate(size)
            file.seek(size)
            file.write(end or marker.encode("utf-16-le"))
    # what starts it is small: a process begins with the size of the one that it was forked from
    start = (
        "import resource, subprocess, sys\n"
        "code = subprocess.call(sys.argv[1:])\n"
        "sys.stderr.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))\n"
        "sys.exit(code)"
    )
    command = [sys.executable, "-c", start, sys.executable, "-m", "debugloop", "scan", "--json"]
    ran = subprocess.run(command, cwd=repo.top, env=clean_environment(home), capture_output=True, check=False)

    assert ran.returncode == 4
    assert [(each["file"], each["line"]) for each in json.loads(ran.stdout)["leftovers"]] == [
        ("big.bin", 2),
        ("wide.txt", 2),
    ]
    assert int(ran.stderr) < 192 << 10  # kibibytes
