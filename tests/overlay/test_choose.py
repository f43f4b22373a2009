from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from debugloop.session import session as sessions
from debugloop.session.records import Steps
from debugloop.session.state import now_ms
from debugloop_overlay import languages
from debugloop_overlay.choose import Chooser
from tests.overlay.house import publish, screen_of
from tests.support import until

if TYPE_CHECKING:
    from pathlib import Path

    from debugloop.session.session import Session
    from debugloop.settings import Settings


@pytest.fixture
def several(settings: Settings, workspace: Path) -> list[Session]:
    made = [sessions.start(settings, workspace, session_id=f"s{number:02}", new=True) for number in range(30)]
    for number, session in enumerate(made):  # the last is the one used last
        use_after(made[number - 1], session)
    return made


def use_after(other: Session, session: Session) -> None:
    """Change a session later than another by more than the grain of the clock."""
    last = other.state().updated
    until(lambda: now_ms() > last)
    session.update(head="changed")


async def test_the_one_used_last_is_first_and_enter_opens_it(several: list[Session]) -> None:
    publish(several[3], Steps("\x1b[2J[b]Title", ("step",)))
    several[4].layout.session.write_text("{}")
    chooser = Chooser(several, languages.load("en"))
    async with chooser.run_test(size=(60, 12)) as pilot:
        screen = screen_of(chooser)
        assert "Several sessions are open here. Which one?" in screen
        assert "▸ s03  run 1" in screen
        assert "\\x1b[2J[b]Title" in screen
        await pilot.press("enter")
    assert chooser.return_value == several[3]


async def test_arrows_move_through_a_list_longer_than_the_screen(several: list[Session]) -> None:
    several[0].layout.session.write_text("{}")
    chooser = Chooser(several, languages.load("zh"))
    async with chooser.run_test(size=(60, 12)) as pilot:
        await pilot.press("down", "down", "up")
        assert "▸ s28" in screen_of(chooser)
        await pilot.press("up", "up")
        assert "▸ s00" in screen_of(chooser)
        assert "is damaged" in screen_of(chooser)
        await pilot.press("up")
        await pilot.press("enter")
    assert chooser.return_value == several[1]


@pytest.mark.parametrize("key", ["q", "escape", "ctrl+c"])
async def test_it_can_be_left_without_a_choice(several: list[Session], key: str) -> None:
    chooser = Chooser(several[:2], languages.load("en"))
    async with chooser.run_test() as pilot:
        await pilot.press(key)
    assert chooser.return_value is None
