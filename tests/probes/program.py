"""What a program of a test is: a language, a source, the place of a probe, what it logs, and how it is run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support import GENEROUS, require

NOT_READ = "[unreadable]"


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
        for tool in self.tools:
            require(tool)
        if self.build:
            words = [word.replace("{}", str(folder.parent / "built")) for word in self.build]
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
