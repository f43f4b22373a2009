"""The panel's states and actions, driven by keys over a real session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual import events

from debugloop.session import actions, collector_file
from debugloop.session.collector_file import CollectorFile, Rejection
from debugloop.session.locks import hold, is_held
from debugloop.session.records import Steps
from debugloop_overlay import languages
from tests.overlay.house import append, driven, publish, wheel

if TYPE_CHECKING:
    from debugloop.session.session import Session

EVENT: dict[str, object] = {"hypothesisId": "H1", "location": "cart.js:42", "message": "total", "data": {"sum": 3}}


def pressed(session: Session) -> list[tuple[int, str, int, str | None]]:
    return [(each.number, each.action, each.run, each.note) for each in actions.presses(session)]


async def test_it_shows_title_run_agent_steps_events_and_counts(session: Session) -> None:
    publish(session)
    append(session, EVENT, b'{"a":')
    async with driven(session) as panel:
        await panel.sees("DEBUG LOGS   run 1  ● agent working", "The total is wrong", "1. Open the cart")
        await panel.sees("H1 cart.js:42  total sum=3", "malformed, torn off", "2 events · 1 malformed")
        await panel.sees("[r Reproduced]", "R Resolved", "C Clear")


async def test_reproduced_is_sent_at_once_and_the_panel_stays_open(session: Session) -> None:
    publish(session)
    append(session, EVENT)
    async with driven(session) as panel:
        await panel.sees("1 event ")
        await panel.press("r")
        await panel.sees("Reproduced sent as press 1.", "press 1 Reproduced: not read yet")
        assert pressed(session) == [(1, "reproduced", 1, None)]
        actions.deliver(session, 1)
        await panel.sees("press 1 Reproduced: with the agent")
        actions.settle(session, 1)
        await panel.sees("press 1 Reproduced: taken up")


async def test_the_same_press_before_the_agent_has_it_is_one_press(session: Session) -> None:
    publish(session)
    append(session, EVENT)
    async with driven(session) as panel:
        await panel.sees("1 event ")
        await panel.press("r")
        await panel.press("r")
        await panel.sees("Reproduced is sent already, as press 1")
        assert len(pressed(session)) == 1
        actions.deliver(session, 1)  # the agent has it: the person reproduced once more
        await panel.press("r")
        await panel.sees("sent as press 2")


async def test_without_an_event_reproduced_says_why_and_offers_that_no_probe_fired(session: Session) -> None:
    publish(session)
    async with driven(session) as panel:
        await panel.sees("Nothing has arrived in run 1 yet.", "Restart it, or reload the page.")
        await panel.press("r")
        await panel.sees("No event in run 1 yet. Tell the agent that no probe fired? y yes · n no")
        await panel.press("n")
        await panel.sees("Not sent.")
        assert pressed(session) == []
        await panel.press("enter", "y")
        await panel.sees("The agent learns, as press 1, that no probe fired.")
        assert pressed(session) == [(1, "no_events", 1, None)]


@pytest.mark.parametrize("no", ["n", "escape", "enter"])
async def test_resolved_asks_first(session: Session, no: str) -> None:
    publish(session)
    async with driven(session) as panel:
        await panel.sees("run 1")
        await panel.press("R")
        await panel.sees("Is the bug gone?")
        await panel.press(no)
        await panel.sees("Not sent.")
        assert pressed(session) == []
        await panel.press("R", "y")
        await panel.sees("Resolved sent as press 1.")
        assert pressed(session) == [(1, "resolved", 1, None)]


async def test_clear_asks_and_keeps_the_steps_and_the_mode(session: Session) -> None:
    publish(session)
    append(session, EVENT, EVENT)
    async with driven(session) as panel:
        await panel.sees("2 events")
        await panel.press("C")
        await panel.sees("Empty the log of run 1? The steps stay.")
        await panel.press("y")
        await panel.sees("Run 1 is empty; its steps stay.", "── 0 events", "1. Open the cart", "Nothing has arrived")
        assert pressed(session) == [(1, "clear", 1, None)]
        append(session, {"message": "after"})
        await panel.sees("after", "1 event ")
    assert session.state().mode == "debug"


async def test_tab_and_arrows_choose_and_enter_runs(session: Session) -> None:
    publish(session)
    append(session, EVENT)
    async with driven(session) as panel:
        await panel.sees("[r Reproduced]", "Enter: tell the agent to read this run.")
        await panel.press("tab")
        await panel.sees("[R Resolved]", "the bug is gone")
        await panel.press("right")
        await panel.sees("[C Clear]", "empty the log")
        await panel.press("right")
        await panel.sees("[r Reproduced]")
        await panel.press("left", "shift+tab")
        await panel.sees("[R Resolved]")
        await panel.press("enter")
        await panel.sees("Is the bug gone?")
        await panel.press("right")  # another action is chosen: the question is dropped
        await panel.sees("[C Clear]", "empty the log")


async def test_a_click_runs_an_action(session: Session) -> None:
    publish(session)
    append(session, EVENT)
    async with driven(session) as panel:
        await panel.sees("1 event ")
        await panel.pilot.click("#actions", offset=(3, 0))
        await panel.sees("Reproduced sent as press 1.")
        await panel.pilot.click("#actions", offset=(18, 0))
        await panel.sees("Is the bug gone?", "[R Resolved]")
        await panel.pilot.click("#actions", offset=(79, 0))
        await panel.sees("Is the bug gone?")


async def test_a_note_goes_with_the_next_action_and_only_with_that(session: Session) -> None:
    publish(session)
    append(session, EVENT)
    async with driven(session) as panel:
        await panel.sees("1 event ")
        await panel.press("n", *"only twice", "enter")
        await panel.sees("The note goes with the next action: only twice")
        await panel.press("r")
        await panel.sees("sent as press 1")
        actions.deliver(session, 1)
        await panel.press("r")
        await panel.sees("sent as press 2")
    assert [each[3] for each in pressed(session)] == ["only twice", None]


async def test_escape_leaves_the_note_then_the_question_then_the_help_then_closes(session: Session) -> None:
    publish(session)
    async with driven(session) as panel:
        await panel.sees("run 1")
        await panel.press("question_mark")
        await panel.sees("Help · Esc", "choose an action")
        await panel.press("R", "question_mark")
        await panel.press("escape")
        await panel.sees("Not sent.")
        await panel.press("n", "x")
        await panel.press("escape")
        assert "goes with the next action" not in panel.screen
        await panel.press("question_mark")
        await panel.sees("Help · Esc")
        await panel.press("escape")
        assert panel.panel.is_running
        await panel.press("escape")
        await panel.until(lambda: not panel.panel.is_running)


async def test_a_note_is_edited_by_the_usual_keys(session: Session) -> None:
    async with driven(session, (40, 10)) as panel:
        await panel.press("n", *"ace", "left", "left", "b", "home", "delete", "A", "end", "backspace", "d", "up")
        await panel.sees("Note for the agent: Abcd")
        await panel.press("space", *"word", "ctrl+w", *"中文", "right", "f1")
        await panel.sees("Note for the agent: Abcd中文")
        await panel.press("home", "right", "ctrl+u", *("x" * 60))
        await panel.sees("Note for the agent: xxx")
        assert "中文" not in panel.screen
        panel.panel.post_message(events.Paste("y" * 3_000))
        await panel.press("end", "enter", "R", "y")
        await panel.sees("as press 1")
    note = pressed(session)[0][3]
    assert note is not None
    assert len(note) == 2_000
    assert note.startswith("x" * 60 + "y")
    assert note.endswith("bcd中文")


async def test_what_is_pasted_outside_of_a_note_runs_as_no_key(session: Session) -> None:
    publish(session)
    append(session, EVENT)
    async with driven(session) as panel:
        await panel.sees("1 event ")
        panel.panel.post_message(events.Paste("r R y q"))
        await panel.press("f", "f")
        assert panel.panel.is_running
        assert pressed(session) == []


async def test_an_empty_note_is_no_note(session: Session) -> None:
    async with driven(session) as panel:
        await panel.press("n", "space", "enter")
        await panel.sees("No note.")


async def test_a_new_run_replaces_steps_rows_and_questions(session: Session) -> None:
    publish(session)
    append(session, EVENT)
    async with driven(session) as panel:
        await panel.sees("1 event ")
        await panel.press("R")
        publish(session, Steps(None, ("Only this",), "http"))
        await panel.sees("run 2", "1. Only this", "came over HTTP", "── 0 events")
        assert "Is the bug gone?" not in panel.screen


async def test_all_steps_are_read_in_full_where_they_are_taller_than_the_screen(session: Session) -> None:
    publish(session, Steps("Many", tuple(f"Step number {number} of many" for number in range(1, 51))))
    async with driven(session, (40, 10)) as panel:
        await panel.sees("Many", "[r Reproduced]", "↑ s: ")
        await panel.press("s")
        seen = ""
        for _ in range(40):
            seen += panel.screen
            await panel.press("down", "down")
        assert all(f"Step number {number} of" in seen for number in range(1, 51))
        assert "…" not in seen
        await panel.press("home")
        await panel.sees(" 1. Step number 1 of")
        await panel.press("end", "pageup", "pagedown")
        await panel.sees("50. Step number 50 of")
        await panel.press("s")
        await panel.sees("Nothing has arrived")


async def test_the_wheel_scrolls_what_it_is_over(session: Session) -> None:
    publish(session, Steps("Many", tuple(f"Step number {number} of many" for number in range(1, 51))))
    async with driven(session) as panel:
        await panel.sees("Step number 1 of", "↑ s: ")
        area = panel.panel.query_one("#steps")
        area.post_message(wheel(events.MouseScrollDown, area))
        await panel.until(lambda: "Step number 1 of" not in panel.screen)
        area.post_message(wheel(events.MouseScrollUp, area))
        await panel.sees("Step number 1 of")


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
        await panel.sees("The agent is away: tell it to go on.")


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
        session.update(mode="debug")
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
        await panel.sees("3 rejected (origin_refused 3)", "2 sampled out")
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


@pytest.mark.parametrize("size", [(39, 24), (80, 9), (20, 5)])
async def test_a_terminal_that_is_too_small_is_told_so_and_comes_back(session: Session, size: tuple[int, int]) -> None:
    publish(session)
    async with driven(session, size) as panel:
        await panel.sees("The panel")
        assert "Reproduced" not in panel.screen
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
