"""The panel's actions and modes, driven by keys over a real session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual import events

from debugloop.session import actions
from debugloop.session.records import Steps
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
        await panel.sees("DEBUG LOGS   run 1  0:", "  ● agent working", "The total is wrong", "1. Open the cart")
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
        await panel.sees("Nothing has arrived in run 1 yet.", "Restart the program", "Reload the page")
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
