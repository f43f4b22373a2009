"""Fixtures for every layer: a state directory, a workspace and a session of their own for each test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

from debugloop.session import collector_file
from debugloop.session import session as sessions
from debugloop.session.layout import Layout
from debugloop.settings import Settings
from tests.support import FOREIGN, until

if TYPE_CHECKING:
    from debugloop.session.session import Session


# a busy machine is no failure; CI tries the same examples each time, a person's machine new ones
hypothesis.settings.register_profile("here", deadline=None, derandomize=os.environ.get("CI") == "true")
hypothesis.settings.load_profile("here")


@pytest.fixture(autouse=True)
def _no_foreign_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(FOREIGN):
            monkeypatch.delenv(name)


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of this test keep no coverage data: they may write too little for that."""
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def settings(home: Path) -> Settings:
    return Settings(home=home)


@pytest.fixture
def session(settings: Settings, workspace: Path) -> Session:
    return sessions.start(settings, workspace)


@pytest.fixture(autouse=True)
def _no_collector_outlives_its_test(home: Path) -> Iterator[None]:
    yield
    for folder in (home / "sessions").glob("*/*"):
        until(partial(_ended, Layout(folder)), what="the end of the collector")


def _ended(layout: Layout) -> bool:
    if not collector_file.running(layout):
        return True
    if pid := collector_file.load(layout).pid:
        with suppress(ProcessLookupError):  # that of one before: this one starts, and has not written its own yet
            os.kill(pid, 9)
    return False
