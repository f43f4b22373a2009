"""Formatters over an instrumented file: what is left is what they make of it alone, and no probe is half removed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.probes.npm import install
from tests.support import cli, require, require_module

PYTHON = "def total( items ):\n  sum = 0\n  for item in items :\n    sum = sum+item\n  return sum\n"
TABS = PYTHON.replace("  ", "\t")
GO = 'package main\n\nimport "fmt"\n\nfunc main() {\n\tx:=1\n\n\tfmt.Println( x )\n}\n'
NO_IMPORTS = "package cart\n\nfunc total( a int ) int {\n\treturn a+1\n}\n"
C = "int total( int a ){\n     int b=a+1;\n return b;\n}\n"
JAVA = "class Cart {\n\tstatic int total( int a ){\n\t\tint b=a+1;\n\t\treturn b;\n\t}\n}\n"
SCRIPT = (
    "function total( items ) {\n\tvar sum=0\n\tfor ( const item of items ) {\n\t\tsum+=item\n\t}\n\treturn sum\n}\n"
)
TSX = "export const Total = ( p: { a: number } ) => {\n\tconst b=p.a\n\treturn <b>{ b }</b>\n}\n"


@pytest.fixture(scope="session")
def prettier(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(install(tmp_path_factory.mktemp("prettier"), "prettier@3") / ".bin/prettier")


def formatted(command: Sequence[str], path: Path) -> str:
    subprocess.run([*command, path.name], cwd=path.parent, check=True, capture_output=True)
    return path.read_text()


def command_of(tool: str, request: pytest.FixtureRequest) -> list[str]:
    if tool == "prettier":
        return [request.getfixturevalue("prettier"), "--write"]
    if tool == "gofmt":
        return [require("gofmt"), "-w"]
    if tool == "clang-format":
        return [sys.executable, "-c", "import clang_format; clang_format.clang_format()", "-i", "--style=LLVM"]
    require_module(tool, "lint" if tool == "ruff" else "test")
    return [sys.executable, "-m", *(("black", "-q") if tool == "black" else ("ruff", "format", "-q", "--no-cache"))]


@pytest.mark.parametrize(
    ("tool", "file", "source", "line", "plain"),
    [
        ("ruff", "a.py", PYTHON, 4, True),
        ("ruff", "a.py", TABS, 4, True),
        ("black", "a.py", PYTHON, 4, True),
        ("black", "a.py", TABS, 4, True),
        ("gofmt", "a.go", GO, 8, True),
        ("gofmt", "a.go", NO_IMPORTS, 4, True),
        ("clang-format", "a.c", C, 3, True),
        ("clang-format", "A.java", JAVA, 4, False),  # what formats Java knows no way to leave lines alone
        ("prettier", "a.js", SCRIPT, 4, True),
        ("prettier", "a.ts", SCRIPT.replace("total( items )", "total( items: number[] )"), 4, True),
        ("prettier", "a.tsx", TSX, 3, True),
    ],
    ids=str,
)
def test_what_a_formatter_met_is_removed_exactly_or_shown(
    tool: str,
    file: str,
    source: str,
    line: int,
    plain: bool,
    home: Path,
    workspace: Path,
    request: pytest.FixtureRequest,
) -> None:
    command = command_of(tool, request)
    path = workspace / file
    path.write_text(source)
    expected = formatted(command, path)
    path.write_text(source)
    cli("start", home=home, cwd=workspace)
    done = cli("instrument", f"{file}:{line}", "--data", '1, "two",3', home=home, cwd=workspace)
    assert done.returncode == 0, done.stderr
    met = formatted(command, path)

    done = cli("strip", home=home, cwd=workspace)
    if not plain:
        assert (done.returncode, path.read_text()) == (1, met)
        assert f"\n  {file}:{expected.split(chr(10)).index('    return b;') + 1}: " in done.stderr
        done = cli("strip", "--edited", home=home, cwd=workspace)

    assert done.returncode == 0, done.stderr
    assert path.read_text() == expected != source
