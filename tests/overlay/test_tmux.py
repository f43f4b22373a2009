"""The keeper of the popup, where there is nothing to keep; that it works is seen in tests/e2e."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from debugloop.errors import TmuxRefused
from debugloop.session.locks import hold, is_held
from debugloop_overlay import tmux
from tests.support import require

if TYPE_CHECKING:
    from debugloop.session.session import Session


@pytest.fixture(autouse=True)
def _inside_a_tmux_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    require("tmux")
    monkeypatch.setenv("TMUX", "/nowhere/tmux,999999999,0")
    monkeypatch.setenv("TMUX_PANE", "%0")


def test_the_keeper_ends_with_its_tmux(session: Session) -> None:
    tmux.keep_popup(session, "en")
    assert not is_held(session.layout.popup_lock)


def test_the_keeper_ends_with_its_session(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX", f"/nowhere/tmux,{os.getpid()},0")
    session.update(mode="build")
    tmux.keep_popup(session, "en")
    assert not is_held(session.layout.popup_lock)


def test_a_second_keeper_shows_the_popup_once(session: Session) -> None:
    with hold(session.layout.popup_lock), pytest.raises(TmuxRefused, match="tmux cannot show the panel"):
        tmux.keep_popup(session, "en")


def test_the_run_that_a_popup_showed_outlives_it(session: Session) -> None:
    tmux.tell_shown(session, 12)
    tmux.tell_shown(session, 3)
    assert session.layout.popup_lock.read_bytes() == b"3"
