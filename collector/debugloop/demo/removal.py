"""Removing a folder in which processes that were just killed may still be writing their last."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Final

_SECONDS: Final = 3.0


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it, trying again for a while."""
    deadline = time.monotonic() + _SECONDS
    while folder.exists() and time.monotonic() < deadline:
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            time.sleep(0.02)
