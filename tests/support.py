"""What tests of every layer use: bounded waiting on an event, the real CLI, and tools that may be absent."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")

ROOT = Path(__file__).resolve().parent.parent
GENEROUS = 60.0
"""Seconds that an event may take on a noisy machine before a test calls it missing."""

# what an agent host or a user may have set must not reach the processes under test
FOREIGN = ("DEBUGLOOP_", "CLAUDE", "CODEX", "TMUX", "GIT_", "PYTHON")
"""How names of such variables begin. An unbuffered Python, for one, hides what a program forgets to flush."""


def until(found: Callable[[], T], timeout: float = GENEROUS, *, what: str = "the event") -> T:
    """Look every 10 ms until ``found()`` is true and give what it gave; fail after ``timeout`` seconds."""
    deadline = time.monotonic() + timeout
    while True:
        value = found()
        if value:
            return value
        if time.monotonic() > deadline:
            pytest.fail(f"{what} did not come within {timeout} s; last look gave {value!r}")
        time.sleep(0.01)


def clean_environment(home: Path, **more: str) -> dict[str, str]:
    """This environment without what could change the outcome, with a state directory of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    return {**kept, "DEBUGLOOP_HOME": str(home), "HOME": str(home), "LC_ALL": "C.UTF-8", **more}


def cli(
    *arguments: str, home: Path, cwd: Path, environment: Mapping[str, str] | None = None, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``debugloop`` as a process of its own, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "debugloop", *arguments],
        cwd=cwd,
        env={**clean_environment(home), **(environment or {})},
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        text=True,
        timeout=GENEROUS,
        check=False,
    )


def require_module(name: str, group: str) -> None:
    """Skip where a package of another group of dependencies is not installed, fail in CI."""
    if importlib.util.find_spec(name) is None:
        reason = f"{name} is not installed: it comes with the group {group}"
        if os.environ.get("CI") == "true":
            pytest.fail(f"{reason}, and CI must have it")
        pytest.skip(reason)


def require(tool: str) -> str:
    """The path of a program that this test needs: skip with the reason where it is absent, fail in CI."""
    path = shutil.which(tool)
    if path is None:
        reason = f"{tool} is not installed"
        if os.environ.get("CI") == "true":
            pytest.fail(f"{reason}, and CI must have it")
        pytest.skip(reason)
    return path
