"""A disk that fills and recovers, for real: a small file system in memory."""

from __future__ import annotations

import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from debugloop.session import runs
from debugloop.session import session as sessions
from debugloop.settings import Settings
from tests.support import cli, until


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False, timeout=30).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("only root on Linux may mount a small file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True, timeout=30)


def post(url: str, number: int) -> int:
    body = json.dumps({"location": str(number), "pad": "x" * 9_000}).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body), timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def all_are_counted(home: Path, workspace: Path, refused: int) -> bool:
    status = json.loads(cli("status", "--json", home=home, cwd=workspace).stdout)
    return bool(status["rejected"] == {"write_failed": refused})


def test_a_full_disk_loses_nothing_and_clear_makes_room_again(small_disk: Path, workspace: Path) -> None:
    home = small_disk / "home"
    started = json.loads(cli("start", "--json", home=home, cwd=workspace).stdout)
    try:
        assert cli("steps", "fill the disk", home=home, cwd=workspace).returncode == 0
        statuses = [post(started["endpoint"], number) for number in range(60)]
        stored = statuses.count(204)
        assert statuses == [204] * stored + [500] * (60 - stored)
        session = sessions.find(Settings(home=home), workspace, environment={})
        rows = runs.read(session)[1]
        assert [row.malformed for row in rows if row.malformed] == []
        assert runs.count_events(rows) == stored
        refused = cli("steps", "again", home=home, cwd=workspace)
        assert refused.returncode == 1
        assert "Make room" in refused.stderr
        assert session.state().run == 1
        cleared = cli("clear", home=home, cwd=workspace)
        assert (cleared.returncode, cleared.stderr.count("Traceback")) == (0, 0)
        assert post(started["endpoint"], 61) == 204
        rows = runs.read(session)[1]
        assert [row.steps for row in rows] == [True, False]
        until(partial(all_are_counted, home, workspace, 60 - stored), what="the count of what was refused")
    finally:
        cli("stop", home=home, cwd=workspace)


def test_a_session_that_a_full_disk_cannot_hold_leaves_no_folder(small_disk: Path, workspace: Path) -> None:
    home = small_disk / "home"
    first = json.loads(cli("start", "--json", home=home, cwd=workspace).stdout)
    folders = Path(first["directory"]).parent
    try:
        before = sorted(path.name for path in folders.iterdir())
        with (small_disk / "ballast").open("wb", buffering=0) as ballast, suppress(OSError):
            while ballast.write(bytes(4_096)):
                pass
        refused = cli("start", "--new", home=home, cwd=workspace)
        assert refused.returncode == 1
        assert "Make room" in refused.stderr
        assert sorted(path.name for path in folders.iterdir()) == before
    finally:
        (small_disk / "ballast").unlink(missing_ok=True)
        cli("stop", home=home, cwd=workspace)


def test_a_probe_that_a_full_disk_cannot_write_down_does_not_go_in(small_disk: Path, workspace: Path) -> None:
    home, file = small_disk / "home", workspace / "a.py"
    file.write_bytes(b"x = 1\nprint(x)\n")
    assert cli("start", home=home, cwd=workspace).returncode == 0
    try:
        with (small_disk / "ballast").open("wb", buffering=0) as ballast, suppress(OSError):
            while ballast.write(bytes(4_096)):
                pass
        refused = cli("instrument", "a.py:2", "--data", "x", home=home, cwd=workspace)
        assert refused.returncode == 1
        assert "Make room" in refused.stderr
        assert file.read_bytes() == b"x = 1\nprint(x)\n"
    finally:
        (small_disk / "ballast").unlink(missing_ok=True)
        cli("stop", home=home, cwd=workspace)


@pytest.mark.parametrize("host", ["claude-code", "codex", "pi"])
def test_an_installation_that_a_full_disk_cannot_hold_leaves_no_folder(
    small_disk: Path, tmp_path: Path, host: str
) -> None:
    project = small_disk / "project"
    project.mkdir()
    filling = small_disk / "filling"
    with suppress(OSError), filling.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))

    refused = cli("install", host, home=tmp_path / "home", cwd=project)
    left = sorted(project.rglob("*"))
    filling.unlink()
    again = cli("install", host, home=tmp_path / "home", cwd=project)

    assert refused.returncode == 1
    assert f"{project}/." in refused.stderr
    assert "no space left on device. Mend or move that, then install again." in refused.stderr
    assert left == []
    assert again.returncode == 0
