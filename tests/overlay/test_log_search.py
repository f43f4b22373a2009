"""Searching and filtering: finding rows by the keys of the log."""

from __future__ import annotations

import pytest

from debugloop.session.session import Session
from debugloop_overlay import languages
from tests.overlay.house import append, driven, publish
from tests.overlay.log_house import chosen, log_of, open_log


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
