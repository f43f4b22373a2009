"""The command in this process, for what needs no process of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from debugloop.cli.program import run


@dataclass(frozen=True)
class Ran:
    """How a command line ended."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        return json.loads(self.err)


Debugloop = Callable[..., Ran]


@pytest.fixture
def debugloop(
    home: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Debugloop:
    """``debugloop("status", "--json")`` in the workspace."""
    monkeypatch.setenv("DEBUGLOOP_HOME", str(home))
    monkeypatch.chdir(workspace)

    def call(*arguments: str) -> Ran:
        capfd.readouterr()
        code = run(arguments)
        captured = capfd.readouterr()
        return Ran(code, captured.out, captured.err)

    return call
