"""What a program of a test is: a language, a source, the place of a probe, what it logs, and how it is run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support import GENEROUS, require

NOT_READ = "[unreadable]"


def working(tool: str) -> str:
    """The path of a tool; of rustc one that compiles, as rustup puts one on the PATH that has no toolchain yet."""
    if tool != "rustc":
        return require(tool)
    for folder in os.get_exec_path():
        path = shutil.which(tool, path=folder)
        if path and subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0:
            return path
    return require("rustc with a toolchain")


@dataclass(frozen=True)
class Program:
    """``command`` runs ``file``, ``{}`` standing for the path of what ``build`` made, else for the file's.

    A probe before ``line`` with ``data`` logs ``logged``, and, for each of ``begins``, a text that begins so. The
    program prints something and ends with exit code 3.
    """

    language: str
    file: str
    source: str
    line: int
    data: str
    logged: dict[str, Any]
    command: tuple[str, ...]
    build: tuple[str, ...] = ()
    begins: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(words[0] for words in (self.build, self.command) if words and words[0] not in {"{}", "python"})

    def run(self, folder: Path) -> tuple[int, str, str]:
        """Build and run it; gives the exit code, stdout and stderr."""
        self.make(folder)
        return self.again(folder)

    def make(self, folder: Path) -> None:
        found = [working(tool) for tool in self.tools]
        if self.build:
            words = [found[0], *(word.replace("{}", str(folder.parent / "built")) for word in self.build[1:])]
            built = subprocess.run(
                [*words, self.file], cwd=folder, capture_output=True, text=True, timeout=GENEROUS, check=False
            )
            assert built.returncode == 0, built.stdout + built.stderr

    def again(self, folder: Path) -> tuple[int, str, str]:
        """Run what was made before."""
        made = folder.parent / "built" if self.build else folder / self.file
        words = [word.replace("{}", str(made)) for word in self.command]
        if words[0] == "python":
            words[0] = sys.executable
        ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=GENEROUS, check=False)
        return ran.returncode, ran.stdout, ran.stderr
