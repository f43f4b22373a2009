"""Bringing the collector back from the panel, where that fails; that it works is seen in tests/e2e."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from debugloop.session import endpoint
from debugloop_overlay.revive import start_collector

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from debugloop.session.session import Session


async def test_a_taken_port_is_named(session: Session) -> None:
    address, listener = endpoint.new()
    with listener:
        endpoint.save(session.layout, address)
        said = await start_collector(session)
    assert said is not None
    assert said.startswith(f"Port {address.port} of this session is taken")


async def test_a_session_that_is_gone_is_told(session: Session) -> None:
    shutil.rmtree(session.layout.directory)
    assert "is gone" in (await start_collector(session) or "")


async def test_no_module_of_the_workspace_is_run(session: Session, workspace: Path) -> None:
    (workspace / "click.py").write_text("raise SystemExit('run by mistake')")
    address, listener = endpoint.new()
    with listener:
        endpoint.save(session.layout, address)
        assert "taken" in (await start_collector(session) or "")


async def test_a_program_that_fails_without_a_word_is_told(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    assert await start_collector(session) == "`debugloop start` failed."


async def test_a_program_that_does_not_end_is_ended(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 600\n")
    slow.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(slow))
    assert await start_collector(session, 0.2) == "`debugloop start` gave no answer in 0 s."
