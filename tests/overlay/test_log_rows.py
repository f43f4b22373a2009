"""Choosing, reading and showing rows by the keys of the log."""

from __future__ import annotations

from functools import partial

import pytest

from debugloop.session.session import Session
from tests.overlay.house import Driven, append, driven, publish
from tests.overlay.log_house import MANY, chosen, log_of, open_log


async def test_j_and_k_choose_a_row_and_enter_opens_it(full: Session) -> None:
    async with driven(full) as panel:
        await open_log(panel)
        await panel.press("j")
        assert "row 39" in chosen(panel)
        await panel.sees("Enter: this row in full", "following")
        await panel.press("k", "k", "up")
        assert "row 36" in chosen(panel)
        await panel.sees("paused")
        await panel.press("enter")
        await panel.sees("── Details", "1:38", '"hypothesisId": "H1",', '"sum": 36,', '"even": true')
        await panel.press("enter")
        await panel.sees("── log")
        await panel.press("G", "j")
        await panel.sees("following")
        await panel.press("tab")
        await panel.sees("[R Resolved]", "the bug is gone")
        append(full, {"message": "one more"})
        await panel.sees("one more")
        assert not [line for line in log_of(panel) if line[14:15] == ">"]


async def test_the_cursor_goes_with_pages_and_ends(full: Session) -> None:
    async with driven(full) as panel:
        await open_log(panel)
        await panel.press("j", "g")
        assert "row 00" in chosen(panel)
        await panel.press("space", "ctrl+d", "ctrl+u", "b", "b")
        assert "row 00" in chosen(panel)
        await panel.press("space", "space", "space", "space")
        assert "row 39" in chosen(panel)
        await panel.press("home", "end")
        assert "row 39" in chosen(panel)


async def test_a_click_chooses_a_row_and_another_opens_it(full: Session) -> None:
    async with driven(full) as panel:
        await open_log(panel)
        await panel.pilot.click("#log", offset=(20, 3))
        clicked = chosen(panel)
        await panel.pilot.click("#log", offset=(20, 3))
        await panel.sees("── Details", f'"message": "{clicked.split("  ")[1][:6]}"')


async def test_details_show_every_member_as_it_was_written(session: Session) -> None:
    raw = (
        b'{"message":"boom","stack":"Error: \\"x\\"\\n  at C:\\\\new (a.js:1)","n":1.10,"big":1e999,"n":2,'
        b'"e":{},"l":[],"deep":[[1,{"a":null}],false],"\xe2\x80\xae":"\\u001b[31m"}'
    )
    append(session, raw)
    async with driven(session, size=(80, 40)) as panel:
        await panel.sees("boom")
        await panel.press("o")
        await panel.sees("── Details")
        text = log_of(panel)
        assert text[1:6] == [
            "{",
            '  "message": "boom",',
            '  "stack": "Error: \\"x\\"\\n',
            '      at C:\\\\new (a.js:1)",',
            '  "n": 1.10,',
        ]
        assert text[6:] == [
            '  "big": 1e999,',
            '  "n": 2,',
            '  "e": {},',
            '  "l": [],',
            '  "deep": [',
            "    [",
            "      1,",
            "      {",
            '        "a": null',
            "      }",
            "    ],",
            "    false",
            "  ],",
            '  "\\u202e": "\\u001b[31m"',
            "}",
        ]
        await panel.press("o")
        await panel.sees("── log")


async def test_details_scroll_and_esc_leaves_them(session: Session) -> None:
    append(session, {f"key{number:02}": number for number in range(60)})
    async with driven(session) as panel:
        await panel.sees("key00")
        await panel.press("o")
        await panel.sees("Details · Esc · ↓ ")
        await panel.press("G")
        await panel.sees('"key59": 59')
        await panel.press("k", "up", "pageup", "g", "j", "j")
        await panel.sees('"key00": 0')
        assert "{" not in panel.screen
        await panel.press("escape")
        await panel.sees("── log")


async def test_details_of_a_malformed_row_say_why(session: Session) -> None:
    append(session, b'{"torn": "\x1b]0;x\x07')
    async with driven(session) as panel:
        await panel.sees("malformed")
        await panel.press("o")
        await panel.sees("── Details", "0:1", "malformed, torn off:", '{"torn": "\\x1b]0;x\\x07')


async def test_rows_are_cut_and_move_sideways_where_they_are_not_wrapped(session: Session) -> None:
    append(
        session, {"message": "start " + "x" * 100 + " end"}, {"message": "\u4e2d" * 60 + "wide"}, {"message": "a\nb"}
    )
    async with driven(session) as panel:
        await panel.sees("start", "end")
        await panel.press("l")
        await panel.press("w")
        await panel.until(lambda: len(log_of(panel)) == 3, "three lines")
        assert "a\\nb" in panel.screen
        assert " end" not in panel.screen
        await panel.press(*"lllllllll")
        await panel.sees(" end", "wide")
        await panel.press(*"hhhhhhhhhh")
        await panel.sees("start")
        await panel.press("w")
        await panel.sees(" end")


async def test_times_are_a_clock_since_the_run_since_the_row_before_or_none(session: Session) -> None:
    append(session, *MANY[:3], {"message": "no time"})
    async with driven(session) as panel:
        await panel.sees("no time")
        await panel.press("t")
        await panel.sees("since the run began", "+0.000 D H1", "+3.000 D H1 cart.js:2")
        await panel.press("t")
        await panel.sees("since the row before", "+1.500 D H1 cart.js:2")
        await panel.press("t")
        await panel.until(lambda: log_of(panel)[0].startswith("D H1 cart.js:0"), "no times")
        await panel.press("t")
        await panel.sees("Times: the clock.", ".000 D H1 cart.js:0")


async def test_repeats_fold_and_are_counted(session: Session) -> None:
    same = {"message": "again", "data": {"a": 1}}
    append(session, *[{**same, "timestamp": number} for number in range(312)], {"message": "other"}, same)
    async with driven(session) as panel:
        await panel.sees("other", "314 events")
        await panel.press("z")
        await panel.sees("\u00d7312 again a=1", "repeats folded")
        assert len(log_of(panel)) == 3
        append(session, same)
        await panel.sees("\u00d72 again a=1")
        await panel.press("z")
        await panel.until(lambda: len(log_of(panel)) > 3, "all rows")


@pytest.mark.parametrize(
    ("typed", "row"),
    [("12", "row 11"), ("9999", "row 39"), ("0", "row 00"), ("+15s", "row 10"), ("+1.5", "row 01"), ("+1m", "row 39")],
)
async def test_a_line_or_a_time_is_gone_to(session: Session, typed: str, row: str) -> None:
    append(session, *MANY)
    async with driven(session) as panel:
        await open_log(panel)
        await panel.press("colon", *typed, "enter")
        assert row in chosen(panel)


async def test_a_time_is_found_where_the_clocks_of_two_programs_differ(session: Session) -> None:
    begun = 1_700_000_000_000
    for number in range(40):
        on_time = {"message": f"on time {number:02}", "timestamp": begun + number * 1_000}
        append(session, on_time, {"message": f"ahead {number:02}", "timestamp": begun + number * 1_000 + 5_000})
    async with driven(session) as panel:
        await panel.sees("80 events")
        await panel.press("colon", *"+15s", "enter")
        assert "ahead 10" in chosen(panel)


async def test_what_is_no_place_says_what_is(full: Session) -> None:
    async with driven(full) as panel:
        await open_log(panel)
        await panel.press("colon", *"soon", "enter")
        await panel.sees("No line and no time: 120, 14:03:10 and +5s are.")
        await panel.press("escape")
        await panel.sees("following")
        await panel.press("colon", "enter")
        await panel.sees("following", "Enter: tell the agent")


async def test_without_rows_every_key_is_harmless(session: Session) -> None:
    publish(session)
    async with driven(session) as panel:
        await panel.sees("Nothing has arrived")
        await panel.press(*"jkgGbfiN12345eEoyYwhltzo", "space", "ctrl+d", "ctrl+u", "up", "down", "pageup", "home")
        await panel.press("slash", *"x", "enter", "n", "N", "escape")
        await panel.press("colon", *"12", "enter", "ampersand", *"x", "enter", "escape")
        await panel.sees("Nothing has arrived")


def is_gone(panel: Driven, text: str) -> bool:
    return text not in panel.screen


async def test_esc_leaves_the_innermost_mode_and_closes_last(full: Session) -> None:
    async with driven(full) as panel:
        await open_log(panel)
        await panel.press("3", "slash", *"row", "enter", "o")
        await panel.sees("── Details")
        for gone, still in (("── Details", "/row"), ("/row", "≥W"), ("≥W", ">H"), (">H", "row 39")):
            await panel.press("escape")
            await panel.until(partial(is_gone, panel, gone), f"the end of {gone}")
            assert still in panel.screen
        await panel.press("escape")
        await panel.until(lambda: not panel.panel.is_running, "the end of the panel")
