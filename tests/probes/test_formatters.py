"""Formatters over an instrumented file: strip gives what the formatter makes of the file without the probe."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import cli, require

PYTHON = "def total( items ):\n  sum = 0\n  for item in items :\n    sum = sum+item\n  return sum\n"
GO = 'package main\n\nimport "fmt"\n\nfunc main() {\n\tx:=1\n\n\tfmt.Println( x )\n}\n'
NO_IMPORTS = "package cart\n\nfunc total( a int ) int {\n\treturn a+1\n}\n"


def ruff() -> list[str]:
    if importlib.util.find_spec("ruff") is None:
        pytest.skip("ruff is not installed: it comes with the group of the linters")
    return [sys.executable, "-m", "ruff", "format", "--quiet", "--no-cache"]


def gofmt() -> list[str]:
    return [require("gofmt"), "-w"]


@pytest.mark.parametrize(
    ("file", "source", "line"), [("a.py", PYTHON, 4), ("a.go", GO, 8), ("a.go", NO_IMPORTS, 4)], ids=str
)
def test_a_formatter_changes_no_probe_and_leaves_nothing_of_it(
    file: str, source: str, line: int, home: Path, workspace: Path
) -> None:
    formatter = ruff() if file.endswith(".py") else gofmt()
    path = workspace / file
    path.write_text(source)
    subprocess.run([*formatter, file], cwd=workspace, check=True)
    expected = path.read_text()
    path.write_text(source)
    cli("start", home=home, cwd=workspace)
    done = cli("instrument", f"{file}:{line}", "--data", "1", home=home, cwd=workspace)
    assert done.returncode == 0, done.stderr

    subprocess.run([*formatter, file], cwd=workspace, check=True)
    done = cli("strip", "--edited", home=home, cwd=workspace)

    assert done.returncode == 0, done.stderr
    assert path.read_text() == expected != source
