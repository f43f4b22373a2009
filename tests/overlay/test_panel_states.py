"""What the panel says of the state of things, and that it is readable in every size and language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual import events

from debugloop.session import actions, collector_file
from debugloop.session.collector_file import CollectorFile, Rejection
from debugloop.session.locks import hold, is_held
from debugloop.session.records import Steps
from debugloop_overlay import languages
from debugloop_overlay.widgets.board import Board
from tests.overlay.house import append, driven, publish

if TYPE_CHECKING:
    from debugloop.session.session import Session

EVENT: dict[str, object] = {"hypothesisId": "H1", "location": "cart.js:42", "message": "total", "data": {"sum": 3}}


def pressed(session: Session) -> list[tuple[int, str, int, str | None]]:
    return [(each.number, each.action, each.run, each.note) for each in actions.presses(session)]


async def test_the_agent_is_working_waiting_or_away_in_words(session: Session) -> None:
    async with driven(session) as panel:
        await panel.sees("agent working")
        with hold(session.layout.agent_lock):
            await panel.sees("waiting for you")
            append(session, EVENT)
            await panel.sees("1 event ")
            await panel.press("r")
            await panel.sees("The agent has been waiting for it.")
        session.update(agent_seen=0)
        await panel.sees("agent away")
        await panel.press("R", "y")
        await panel.sees("The agent is away: a copies a text to paste to it.")


async def test_a_finished_session_takes_no_action(session: Session) -> None:
    publish(session)
    append(session, EVENT)
    async with driven(session) as panel:
        await panel.sees("1 event ")
        session.update(mode="build")
        await panel.sees("finished", f"`debugloop start --session {session.id}` opens")
        await panel.press("r")
        await panel.press("R", "y")
        await panel.press("C", "y", "u")
        assert pressed(session) == []
        await panel.sees("the message of row 1:2")  # where nothing is asked, y copies
        session.update(mode="debug")
        await panel.press("escape")
        await panel.sees("Enter: tell the agent")
        await panel.press("r")
        await panel.sees("sent as press 1")


async def test_rejections_are_shown_with_reason_and_mending(session: Session) -> None:
    publish(session)
    rejection = Rejection(
        "2026-01-01T00:00:00Z",
        "origin_refused",
        "http://myapp.test:8080",
        12,
        "Run `debugloop start --allow-origin http://myapp.test:8080`.",
    )
    async with driven(session, (160, 24)) as panel:
        await panel.sees("run 1")
        collector_file.update(
            session.layout,
            session.settings,
            lambda _: CollectorFile(rejected={"origin_refused": 3}, sampled=2, latest=(rejection,)),
        )
        await panel.sees("3 rejected, latest origin_refused", "2 sampled out")
        await panel.sees("Rejected: origin_refused http://myapp.test:8080.", "--allow-origin http://myapp.test:8080")
        publish(session)
        await panel.until(lambda: "! Rejected" not in panel.screen, "the end of the notice")
        await panel.press("question_mark", "end")
        await panel.sees("Latest rejections", "! Rejected: origin_refused http://myapp.test:8080.")


async def test_a_full_log_a_log_that_is_gone_and_a_broken_session_are_told(session: Session) -> None:
    publish(session)
    async with driven(session) as panel:
        await panel.sees("run 1")
        append(session, *[b'{"message":"' + b"x" * 60_000 + b'"}'] * 88)
        await panel.sees("log full", "The log is full: further events are refused. C makes room.")
        await panel.press("C", "y")
        await panel.sees("── 0 events")
        session.layout.log.rename(session.layout.log.with_name("away"))
        await panel.sees("The log file is gone.")
        session.layout.log.with_name("away").rename(session.layout.log)
        await panel.until(lambda: "is gone" not in panel.screen)
        session.layout.session.write_text("{}")
        await panel.sees("The session cannot be read:")
        await panel.press("C", "y")
        await panel.sees("Not sent:")


async def test_the_panel_holds_its_lock_and_a_second_one_says_so_and_takes_over(session: Session) -> None:
    async with driven(session) as second:
        async with driven(session) as first:
            await first.until(lambda: is_held(session.layout.panel_lock))
            await second.until(
                lambda: "Another panel" in second.screen or "Another panel" in first.screen, "the word of the second"
            )
        await second.until(lambda: "Another panel" not in second.screen)
        assert is_held(session.layout.panel_lock)
    assert not is_held(session.layout.panel_lock)


async def test_a_popup_closes_after_a_press_but_not_after_clear(session: Session) -> None:
    publish(session)
    append(session, EVENT)
    async with driven(session, popup=True) as panel:
        await panel.sees("1 event ")
        await panel.press("C", "y")
        await panel.sees("Run 1 is empty")
        append(session, EVENT)
        await panel.sees("1 event ")
        await panel.press("r")
        await panel.until(lambda: not panel.panel.is_running)
    assert [each[1] for each in pressed(session)] == ["clear", "reproduced"]


async def test_l_changes_the_language_of_everything(session: Session) -> None:
    publish(session)
    append(session, EVENT, b"[1]")
    async with driven(session) as panel:
        await panel.sees("run 1", "malformed")
        await panel.press("L")
        await panel.sees("第 1 轮", "[r 已复现]", "R 已解决", "C 清除日志", "格式错误", "2 个事件")
        await panel.press("r")
        await panel.sees("已复现：已作为第 1 次操作发送。")
        await panel.press("L")
        await panel.sees("run 1", "Reproduced sent as press 1.")


@pytest.mark.parametrize("language", languages.LANGUAGES)
@pytest.mark.parametrize("size", [(80, 24), (40, 10), (200, 60), (41, 11)])
async def test_the_three_actions_are_always_on_the_screen(
    session: Session, size: tuple[int, int], language: str
) -> None:
    words = languages.load(language)
    publish(session, Steps("T" * 300, ("a long step " * 100,) * 20))
    append(session, *[EVENT] * 100)
    async with driven(session, size, language) as panel:
        actions_shown = (words.reproduced, words.resolved, words.clear)
        await panel.sees(*actions_shown)
        for keys in (("question_mark",), ("s",), ("escape", "R"), ("escape", "n")):
            await panel.press(*keys)
            await panel.sees(*actions_shown)


@pytest.mark.parametrize("size", [(39, 24), (80, 9), (20, 5), (1, 1)])
async def test_a_terminal_that_is_too_small_is_told_so_and_comes_back(session: Session, size: tuple[int, int]) -> None:
    publish(session)
    async with driven(session, size) as panel:
        await panel.sees("T")
        assert "[r" not in panel.screen
        await panel.pilot.resize_terminal(80, 24)
        await panel.sees("[r Reproduced]", "1. Open the cart")


HOSTILE = "\x1b]52;c;aGk=\x07\x1b[2J\x9b31m[b]x[/b][@click=app.quit]y[/] \u202e\u200b"


async def test_hostile_text_is_literal_everywhere(session: Session) -> None:
    publish(session, Steps(HOSTILE, (HOSTILE,)))
    append(session, {"message": HOSTILE, "location": HOSTILE, "hypothesisId": HOSTILE, "data": {HOSTILE: HOSTILE}})
    async with driven(session, (200, 24)) as panel:
        shown = "\\x1b]52;c;aGk=\\x07\\x1b[2J\\x9b31m[b]x[/b][@click=app.quit]y[/] \\u202e\\u200b"
        await panel.sees(f" 1. {shown}")
        await panel.until(lambda: "".join(panel.screen.split()).count("".join(shown.split())) >= 5)
        await panel.press("n")
        panel.panel.post_message(events.Paste("\x1b]0;t\x07[red]\n"))
        await panel.sees("\\x1b]0;t\\x07[red]")
        await panel.press("enter", "r")
        await panel.sees("sent as press 1")
        assert not any(character in panel.screen for character in "\x1b\x07\x9b\u202e\u200b")
    assert pressed(session)[0][3] == "\\x1b]0;t\\x07[red]"


async def test_a_panel_that_is_just_closing_is_no_error_whatever_still_comes(session: Session) -> None:
    publish(session)
    async with driven(session) as panel:
        await panel.sees("DEBUG LOGS")
        board = panel.panel.query_one(Board)
        await board.remove()  # as Textual does first, while timers and the watcher may still call
        append(session, EVENT, {"message": "second"})
        await panel.until(lambda: board.live_log.rows.total == 2, "the rows")
        await panel.press("r", "y", "?", "escape", "slash", "a", "enter", "j", "p", "e")
    assert panel.panel.failure is None
