from __future__ import annotations

from debugloop.session import actions
from debugloop.session.session import Session
from tests.overlay.house import append, driven, publish


async def test_a_panel_that_shrinks_to_nothing_while_scrolled_goes_on(session: Session) -> None:
    publish(session)
    append(session, *({"message": f"row {number}"} for number in range(45)))
    async with driven(session, (100, 30)) as at:
        await at.sees("row 44")
        await at.press("up", "up", "pageup")
        for size in ((20, 5), (10, 3), (1, 1), (100, 4), (40, 1)):
            await at.pilot.resize_terminal(*size)
            await at.press("up", "pagedown", "home", "end", "up")
        await at.pilot.resize_terminal(100, 30)
        await at.sees("DEBUG LOGS", "row 4")
        assert at.panel.failure is None


async def test_nothing_is_pressed_where_its_question_cannot_be_seen(session: Session) -> None:
    publish(session)
    append(session, {"message": "a row"})
    async with driven(session, (20, 5)) as at:
        await at.sees("20")
        await at.press("r", "C", "y", "R", "y", "enter", "tab", "enter", "n")
        assert actions.presses(session) == []
        await at.pilot.resize_terminal(80, 24)
        await at.sees("a row", "Reproduced")
        await at.press("r")
        await at.until(lambda: actions.presses(session), "the press")
        assert [each.action for each in actions.presses(session)] == ["reproduced"]


async def test_an_empty_log_takes_every_moving_key(session: Session) -> None:
    async with driven(session, (40, 10)) as at:
        await at.press("up", "down", "pageup", "pagedown", "home", "end", "f")
        assert at.panel.failure is None
