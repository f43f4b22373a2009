"""What stands beside the live log: hypotheses, other runs, a comparison, the palette, and handing over by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from debugloop.session import actions, ledger
from debugloop.session.locks import hold
from debugloop.session.records import Steps
from debugloop.session.session import Session
from debugloop_overlay import languages
from tests.overlay.house import append, driven, publish

EVENT: dict[str, object] = {"hypothesisId": "H1", "location": "cart.js:42", "message": "total", "data": {"sum": 3}}


def two_runs(session: Session) -> None:
    publish(session, Steps("As it was", ("Open the cart",)))
    append(session, EVENT, {"location": "only.js:1", "message": "before"}, b"{")
    publish(session, Steps("With the fix", ("Open the cart",)))
    append(session, {**EVENT, "data": {"sum": 5}}, {"location": "new.js:7", "hypothesisId": "H2", "message": "after"})


async def test_hypotheses_are_shown_with_verdict_in_words_and_the_events_of_this_run(session: Session) -> None:
    for text in ("The price is text", "The cart is shared", "The sum is cached", "The page is old"):
        ledger.add(session, text)
    for name, verdict in (("H1", "confirmed"), ("H2", "rejected"), ("H3", "inconclusive")):
        ledger.set_verdict(session, name, verdict, [])  # type: ignore[arg-type] # the verdicts, as literals
    publish(session)
    async with driven(session, (100, 30)) as panel:
        await panel.sees("H1 ✓ confirmed    0× The price is text", "H2 ✗ rejected     0× The cart is shared")
        await panel.sees("H3 ~ inconclusive 0× The sum is cached", "H4 ? open         0× The page is old")
        append(session, EVENT, {"hypothesisId": ["H1", "H4"]}, {"hypothesisId": "H9"}, {"message": "untagged"}, b"[]")
        await panel.sees("H1 ✓ confirmed    2×", "H4 ? open         1×", "H9 · not recorded 1×")
        publish(session)
        await panel.sees("H1 ✓ confirmed    0×")


async def test_enter_or_a_click_on_a_hypothesis_shows_its_events_alone(session: Session) -> None:
    ledger.add(session, "One")
    ledger.add(session, "Two")
    publish(session)
    append(session, {"hypothesisId": "H1", "message": "first"}, {"hypothesisId": "H2", "message": "second"})
    async with driven(session, (100, 30)) as panel:
        await panel.sees("H2 ? open 1\N{MULTIPLICATION SIGN} Two", "first", "second")
        await panel.press("p")
        await panel.sees("Hypotheses · ↑ ↓ Enter · Esc", "▸ H1", "show only the events of this hypothesis")
        await panel.press("down", "down")
        await panel.sees("▸ H2")
        await panel.press("enter")
        await panel.sees("second", "1 of 2")
        assert "first" not in panel.screen
        await panel.pilot.click("#hypotheses", offset=(3, 0))
        await panel.sees("first", "1 of 2")
        assert "second" not in panel.screen
        await panel.press("p")
        await panel.pilot.click("#picker", offset=(3, 1))
        await panel.sees("second", "1 of 2")
        await panel.press("p", "p", "escape")
        await panel.sees("first", "second", "log · following")
        assert actions.presses(session) == []


async def test_the_mark_stays_in_sight_in_a_list_that_is_taller_than_the_screen(session: Session) -> None:
    for number in range(30):
        ledger.add(session, f"hypothesis number {number} of many, which takes more than one line of this screen")
    async with driven(session, (40, 10)) as panel:
        await panel.sees("↑ p: ")
        await panel.press("p")
        for number in range(30):
            await panel.sees(f"▸ H{number + 1} ", f"number {number} of")
            await panel.press("down")
        await panel.press("pageup", "home")
        await panel.sees("▸ H1 ")
        await panel.press("end", "up")
        await panel.sees("▸ H29 ")


async def test_no_hypothesis_yet_is_told(session: Session) -> None:
    async with driven(session) as panel:
        await panel.press("p")
        await panel.sees("The agent has recorded no hypothesis yet.")
        await panel.press("enter", "escape")
        assert panel.panel.is_running


async def test_an_earlier_run_is_shown_and_said_not_to_be_live(session: Session) -> None:
    two_runs(session)
    async with driven(session) as panel:
        await panel.sees("run 2", "With the fix", "2 events")
        await panel.press("left_square_bracket")
        await panel.sees("run 1  not live: run 2 is", "As it was", "only.js:1", "3 events · 1 malformed")
        await panel.sees("Actions go to run 2, the live one. ] goes on.", "H1 · not recorded 1×")
        assert "new.js:7" not in panel.screen
        append(session, {"message": "meanwhile"})
        await panel.press("left_square_bracket")
        await panel.sees("No run before this one is kept.", "run 1")
        await panel.press("right_square_bracket")
        await panel.sees("run 2  ", "meanwhile", "3 events")
        await panel.press("right_square_bracket")
        await panel.sees("This is the live run.")


async def test_an_action_that_is_taken_while_an_earlier_run_is_shown_is_of_the_live_run(session: Session) -> None:
    two_runs(session)
    async with driven(session) as panel:
        await panel.sees("2 events")
        await panel.press("left_square_bracket")
        await panel.sees("not live")
        await panel.press("C")
        await panel.sees("Empty the log of run 2?")
        await panel.press("n", "r")
        await panel.sees("Reproduced sent as press 1.")
    assert [(each.action, each.run) for each in actions.presses(session)] == [("reproduced", 2)]


async def test_a_new_run_brings_the_live_log_back(session: Session) -> None:
    two_runs(session)
    async with driven(session) as panel:
        await panel.sees("2 events")
        await panel.press("left_square_bracket")
        await panel.sees("not live")
        publish(session, Steps("Third", ("Look",)))
        await panel.sees("run 3  ", "Third", "Run 3 has begun.")
        assert "not live" not in panel.screen


async def test_a_run_that_cannot_be_read_is_told(session: Session) -> None:
    two_runs(session)
    session.layout.run_archive(1).write_bytes(b"no gzip")
    async with driven(session, (250, 24)) as panel:
        await panel.sees("2 events")
        await panel.press("left_square_bracket")
        await panel.sees("That did not work:", "1.jsonl.gz")
        await panel.press("equals_sign")
        await panel.sees("That did not work:")


async def test_two_runs_are_compared_by_place_and_value(session: Session) -> None:
    two_runs(session)
    async with driven(session, (100, 34)) as panel:
        await panel.sees("2 events")
        await panel.press("equals_sign")
        await panel.sees("run 1 → run 2 · Esc", "3 events in run 1, 2 in run 2")
        await panel.sees("Changed values", "~ H1 cart.js:42", "data.sum 3 → 5", "1:2 → 2:2")
        await panel.sees("New in run 2", "+ H2 new.js:7  1 event, first 2:3")
        await panel.sees("Gone since run 1", "- only.js:1  1 event, first 1:3")
        await panel.press("L")
        await panel.sees("变化的值", "第 1 轮 → 第 2 轮")
        await panel.press("equals_sign")
        await panel.sees("日志 · 跟随中")
        await panel.press("left_square_bracket", "equals_sign")
        await panel.sees("没有保存更早的轮次。")


async def test_two_runs_that_say_the_same_are_said_to(session: Session) -> None:
    for _ in range(2):
        publish(session)
        append(session, EVENT)
    async with driven(session) as panel:
        await panel.sees("1 event ")
        await panel.press("equals_sign")
        await panel.sees("The two runs say the same.", "1 place is the same")
        await panel.press("escape")
        await panel.sees("log · following")


async def test_the_palette_lists_every_action_and_runs_the_one_that_was_searched(session: Session) -> None:
    two_runs(session)
    async with driven(session) as panel:
        await panel.sees("2 events")
        await panel.press("ctrl+p")
        await panel.sees("Actions · ▏", "▸ Tab →", "choose an action")
        await panel.press(*"runx")
        await panel.sees("No action has these words.")
        await panel.press("enter", "backspace", "space", *"before")
        await panel.sees("run before▏", "  [", "  =")
        await panel.press("down", "down", "enter")
        await panel.sees("run 1 → run 2")
        await panel.press("escape", "ctrl+p")
        await panel.sees("Actions · ▏")
        await panel.press("escape")
        await panel.sees("log · following")
        assert actions.presses(session) == []


@pytest.mark.parametrize("language", languages.LANGUAGES)
async def test_the_press_is_handed_over_by_hand_where_the_agent_is_away(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    tool = tmp_path / "xclip"
    tool.write_text(f"#!/bin/sh\ncat > {tmp_path}/taken\n")
    tool.chmod(0o700)
    for name in ("WAYLAND_DISPLAY", "SSH_CONNECTION", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":0")
    publish(session)
    append(session, EVENT)
    session.update(agent_seen=0)
    words = languages.load(language)
    async with driven(session, (160, 24), language) as panel:
        await panel.sees(words.agent_away)
        await panel.press("a")
        await panel.sees("xclip")
        assert f"debugloop wait --session {session.id}" in (tmp_path / "taken").read_text()
        await panel.press("r")
        await panel.sees(words.away_by_hand.format(number=1))
        await panel.press("a")
        await panel.until(lambda: words.reproduced in (tmp_path / "taken").read_text())
        actions.deliver(session, 1)
        await panel.until(lambda: words.away_by_hand.format(number=1) not in panel.screen)


async def test_no_key_waits_for_a_press_that_waits_for_a_lock(session: Session) -> None:
    publish(session)
    append(session, EVENT)
    async with driven(session) as panel:
        await panel.sees("1 event ")
        with hold(session.layout.journal_lock):
            await panel.press("r")
            await panel.sees("Sending Reproduced …")
            await panel.press("question_mark")
            await panel.sees("Help · Esc")
            await panel.press("escape", "n", *"late", "enter", "R", "y")
            await panel.sees("Sending Resolved …")
            assert actions.presses(session) == []
        await panel.sees("Resolved sent as press 2.")
    assert [(each.action, each.note) for each in actions.presses(session)] == [
        ("reproduced", None),
        ("resolved", "late"),
    ]
