"""A newcomer: a clean clone, an empty HOME, and the commands of the README."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.documents import environment
from tests.support import ROOT, require

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

SOME_TESTS = "tests/session -m 'not slow' -p no:cacheprovider"
"""All of them would include this one; .ci/run runs `make test` in full."""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    require("git")
    require("make")
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    folder = tmp_path / "debugloop"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True, capture_output=True)
    return folder


def newcomer(home: Path, *, uv: bool) -> dict[str, str]:
    """A fresh HOME and the PATH of the system, with or without uv; nothing of this interpreter's environment."""
    env = environment(home)
    ours, *folders = env["PATH"].split(os.pathsep)
    found = shutil.which("uv", path=env["PATH"])
    folders = [folder for folder in folders if folder != ours and not (Path(folder) / "uv").exists()]
    if uv:
        if found is None:
            pytest.skip("uv is not installed")
        tools = home.parent / "tools"
        tools.mkdir()
        (tools / "uv").symlink_to(found)
        folders.insert(0, str(tools))
    path = os.pathsep.join(folders)
    for tool in ("python3", "make", "git"):
        if shutil.which(tool, path=path) is None:
            pytest.skip(f"{tool} is to be found in the folder of uv only")
    # coverage of this run must not reach into the clone's own environment
    env = {name: value for name, value in env.items() if not name.startswith(("COV", "PYTEST"))}
    return {**env, "PATH": path}


def run(command: list[str], folder: Path, env: dict[str, str]) -> str:
    done = subprocess.run(command, cwd=folder, env=env, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def untracked(folder: Path) -> str:
    command = ["git", "status", "--porcelain", "--untracked-files=all"]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("uv", [False, True], ids=["with venv and pip", "with uv"])
def test_make_demo_and_make_test_work_in_a_clean_clone(clone: Path, home: Path, uv: bool) -> None:
    env = newcomer(home, uv=uv)

    run(["make", "demo"], clone, env)
    run(["make", "test"], clone, {**env, "PYTEST_ADDOPTS": SOME_TESTS})

    assert untracked(clone) == ""


def test_the_install_of_the_readme_gives_both_commands(clone: Path, home: Path) -> None:
    env = newcomer(home, uv=False)
    block = "python3 -m venv ~/.debugloop-venv && ~/.debugloop-venv/bin/pip install --quiet ."

    run(["bash", "-euc", block], clone, env)

    for name in ("debugloop", "debuglog"):
        assert run([str(home / ".debugloop-venv/bin" / name), "--help"], home, env).startswith("Usage:")
