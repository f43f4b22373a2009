"""Bringing a dead collector back, as a program of its own: panel and collector know only the session's files."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from debugloop.errors import DebugloopError
from debugloop.session import files

if TYPE_CHECKING:
    from debugloop.session.session import Session


async def start_collector(session: Session, seconds: float = 30.0) -> str | None:
    """Run ``debugloop start`` for this session, which keeps its URL. Gives the sentence of its failure, or None."""
    try:
        workspace = Path(session.state().workspace)
    except DebugloopError as error:
        return str(error)
    # -P: the workspace is the user's code, and no module of it may stand in for ours
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "debugloop", "start", "--session", session.id, "--json"),
        cwd=workspace if files.signature(workspace) else None,
        env={**os.environ, "DEBUGLOOP_HOME": str(session.settings.home)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(seconds):
            _, said = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return f"`debugloop start` gave no answer in {seconds:.0f} s."
    return None if process.returncode == 0 else _sentence(said.decode("utf-8", "replace"))


def _sentence(said: str) -> str:
    last = said.strip().rpartition("\n")[2]
    try:
        return str(json.loads(last)["message"])
    except (ValueError, TypeError, KeyError):
        return last or "`debugloop start` failed."
