"""The command as a process whose Python does something else first, or says afterwards what it loaded."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.support import GENEROUS, clean_environment


def script(arguments: Sequence[str], before: str = "", after: str = "") -> list[str]:
    """A command line that runs ``debugloop`` with lines of Python before and after it."""
    lines = ["import sys", f"sys.argv = ['debugloop', *{list(arguments)!r}]", before, "from debugloop.cli import main"]
    return [sys.executable, "-c", "\n".join([*lines, "code = main()", after, "sys.exit(code)"])]


def main(
    arguments: Sequence[str], *, home: Path, cwd: Path, before: str = "", after: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    """Run `script` without a terminal; ``more`` are variables of its environment."""
    return subprocess.run(
        script(arguments, before, after),
        cwd=cwd,
        env=clean_environment(home, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=GENEROUS,
        check=False,
    )
