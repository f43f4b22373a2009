"""Searching, filtering, choosing and reading rows: the modes of the log, by their keys."""

from __future__ import annotations

import pytest

from debugloop.session.session import Session
from debugloop_overlay import languages
from tests.overlay.house import Driven, append, driven, publish

MANY = [
    {
        "hypothesisId": f"H{number % 2 + 1}",
        "location": f"cart.js:{number}",
        "message": f"row {number:02}",
        "level": "error" if number in {10, 30} else "warn" if number % 10 == 5 else "debug",
        "timestamp": 1_764_532_800_000 + number * 1_500,
        "data": {"sum": number, "even": number % 2 == 0},
    }
    for number in range(40)
]


def log_of(panel: Driven) -> list[str]:
    """The lines of the log on the screen."""
    lines = panel.screen.splitlines()
    top = next(at for at, line in enumerate(lines) if line.startswith(("── log", "── Details")))
    end = next(at for at in range(top + 1, len(lines)) if lines[at].startswith("──"))
    return [line for line in lines[top + 1 : end] if line]


def chosen(panel: Driven) -> str:
    """The line of the row at the cursor."""
    found = [line for line in log_of(panel) if line[14:15] == ">"]
    assert len(found) == 1, panel.screen
    return found[0]


async def open_log(panel: Driven) -> None:
    await panel.sees("row 39", "40 events")


@pytest.fixture
def full(session: Session) -> Session:
    publish(session)
    append(session, *MANY)
    return session


async def test_a_search_goes_to_the_match_as_it_is_typed(full: Session) -> None:
    async with driven(full) as panel:
        await open_log(panel)
        await panel.press("slash", *"row 1")
        await panel.sees("/row 1 10/10", "paused", "D>H2 cart.js:19")
        await panel.press("2")
        await panel.sees("/row 12 1/1", "D>H1 cart.js:12")
        await panel.press("enter")
        assert "row 12" in chosen(panel)
        await panel.press("escape")
        await panel.sees("D>H1 cart.js:12")
        assert "/row" not in panel.screen


async def test_esc_takes_a_search_back_to_where_the_person_was(full: Session) -> None:
    async with driven(full) as panel:
        await open_log(panel)
        before = log_of(panel)
        await panel.press("slash", *"row 03")
        await panel.sees(">H2 cart.js:3")
        await panel.press("escape")
        await panel.sees("following", "row 39")
        assert log_of(panel) == before


async def test_n_and_capital_n_go_round_all_matches_while_a_search_is_on(full: Session) -> None:
    async with driven(full) as panel:
        await open_log(panel)
        await panel.press("slash", *"row .7", "enter")
        await panel.sees("/row .7 4/4")
        for key, told in (("n", "1/4 ↻"), ("n", "2/4"), ("N", "1/4"), ("N", "4/4 ↻")):
            await panel.press(key)
            await panel.sees(f"/row .7 {told}")
        await panel.press("escape", "n")
        await panel.sees("Note for the agent")


async def test_new_rows_join_a_search(full: Session) -> None:
    async with driven(full) as panel:
        await open_log(panel)
        await panel.press("slash", *"late", "enter")
        await panel.sees("/late not found")
        append(full, {"message": "a late row"}, {"message": "and a later one"})
        await panel.sees("/late -/2")
        await panel.press("n")
        await panel.sees("/late 1/2")


@pytest.mark.parametrize("language", languages.LANGUAGES)
async def test_a_bad_regex_turns_red_and_says_why(full: Session, language: str) -> None:
    words = languages.load(language)
    async with driven(full, language=language) as panel:
        await panel.sees("row 39")
        await panel.press("slash", *"row [", "enter")
        await panel.sees(words.wrong_pattern.partition("{")[0], "unterminated character set at position 4")
        strips = panel.panel.query_one("#note").render_line(0)
        assert any(segment.style and segment.style.color and segment.style.color.name == "red" for segment in strips)
        await panel.press("backspace", "enter")
        await panel.sees("/row")
        assert "unterminated" not in panel.screen


async def test_a_pattern_that_takes_for_ever_is_given_up(session: Session) -> None:
    append(session, {"message": "a" * 60 + "!"}, {"message": "after"})
    async with driven(session) as panel:
        await panel.sees("after")
        await panel.press("slash", *"(a+)+$", "enter")
        await panel.sees("takes too long")
        await panel.press("ampersand", *"/(a+)+$/", "enter")
        await panel.sees("takes too long", "after")
        await panel.press("slash", *"after", "enter")
        await panel.sees("/after 1/1")
        assert "takes too long" not in panel.screen


async def test_matches_are_highlighted(full: Session) -> None:
    async with driven(full) as panel:
        await open_log(panel)
        await panel.press("slash", *"sum=39", "enter")
        await panel.sees("/sum=39 1/1")
        view = panel.panel.query_one("#log")
        marked = [
            segment.text
            for y in range(view.size.height)
            for segment in view.render_line(y)
            if segment.style and segment.style.reverse and segment.style.color
        ]
        assert marked == ["sum=39"]


@pytest.mark.parametrize(
    ("typed", "count", "seen"),
    [("row 1", 10, "row 19"), ("-row 1", 30, "row 39"), ("/row [12]/", 20, "row 29"), ("-/row [123]/", 10, "row 09")],
)
async def test_a_filter_shows_only_what_it_is_for(full: Session, typed: str, count: int, seen: str) -> None:
    async with driven(full, size=(120, 24)) as panel:
        await open_log(panel)
        await panel.press("ampersand", *typed, "enter")
        await panel.sees(f"{count} of 40", f"&{typed}", seen)
        await panel.press("escape")
        await panel.sees("row 39")
        assert " of 40" not in panel.screen


async def test_a_filter_takes_new_rows_that_meet_it_and_is_kept_over_a_clear(full: Session) -> None:
    async with driven(full) as panel:
        await open_log(panel)
        await panel.press("ampersand", *"nothing", "enter")
        await panel.sees("0 of 40", "No row is left by what is filtered.")
        append(full, {"message": "nothing yet"}, {"message": "something"})
        await panel.sees("1 of 42", "nothing yet")
        publish(full)
        append(full, {"message": "nothing new"}, {"message": "something"})
        await panel.sees("1 of 2", "nothing new")
        await panel.press("ampersand", "ctrl+u", "enter")
        await panel.sees("something")


async def test_filters_of_all_kinds_go_together(full: Session) -> None:
    async with driven(full, size=(120, 24)) as panel:
        await open_log(panel)
        await panel.press("3")
        await panel.sees("6 of 40", "≥W")
        await panel.press("i")
        await panel.sees("≥W H2", "4 of 40")  # the last warning is row 35
        await panel.press("ampersand", *"row 0", "enter")
        await panel.sees("1 of 40", "&row 0 ≥W H2", "row 05")
        await panel.press("i")
        await panel.press("3")
        await panel.sees("10 of 40")
        await panel.press("slash", *"row", "enter")
        await panel.sees("/row 10/10")


async def test_scrolled_up_what_is_read_stays_when_a_filter_goes(full: Session) -> None:
    async with driven(full) as panel:
        await open_log(panel)
        await panel.press("slash", *"row 15", "enter", "escape", "3")
        await panel.sees("6 of 40")
        assert "row 15" in chosen(panel)
        await panel.press("3")
        assert "row 15" in chosen(panel)


async def test_e_and_capital_e_go_from_error_to_error(full: Session) -> None:
    async with driven(full) as panel:
        await open_log(panel)
        await panel.press("E")
        assert "row 30" in chosen(panel)
        await panel.press("E")
        assert "row 10" in chosen(panel)
        await panel.press("E")
        await panel.sees("No error that way.")
        await panel.press("e")
        assert "row 30" in chosen(panel)


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


async def test_esc_leaves_the_innermost_mode_and_closes_last(full: Session) -> None:
    async with driven(full) as panel:
        await open_log(panel)
        await panel.press("3", "slash", *"row", "enter", "o")
        await panel.sees("── Details")
        for gone, still in (("── Details", "/row"), ("/row", "≥W"), ("≥W", ">H"), (">H", "row 39")):
            await panel.press("escape")
            await panel.until(lambda gone=gone: gone not in panel.screen, f"the end of {gone}")
            assert still in panel.screen
        await panel.press("escape")
        await panel.until(lambda: not panel.panel.is_running, "the end of the panel")
