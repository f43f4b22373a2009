"""The log view by itself: what it shows of many rows, and that nothing moves which the person did not move."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import orjson
from textual import events
from textual.app import App

from debugloop.evidence.search import Pattern
from debugloop.session.records import Row, parse_line
from debugloop_overlay import languages
from debugloop_overlay.log_rule import log_rule
from debugloop_overlay.paragraphs import Paragraph
from debugloop_overlay.widgets.log import LogView
from tests.overlay.house import screen_of, wheel

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.pilot import Pilot


class Host(App[object]):
    def __init__(self, kept: int) -> None:
        super().__init__()
        self.view = LogView(languages.load("en"), kept=kept)

    def compose(self) -> ComposeResult:
        yield self.view


class Driven:
    def __init__(self, host: Host, pilot: Pilot[object]) -> None:
        self.view = host.view
        self.host = host
        self.pilot = pilot

    async def lines(self) -> list[str]:
        await self.pilot.pause()
        return [line.strip() for line in screen_of(self.host).splitlines() if line.strip()]


@asynccontextmanager
async def driven(height: int = 5, width: int = 80, kept: int = 1_000) -> AsyncGenerator[Driven]:
    host = Host(kept)
    async with host.run_test(size=(width, height)) as pilot:
        yield Driven(host, pilot)


def rule(view: LogView, width: int = 80) -> str:
    return " · ".join(text for text, _ in log_rule(view, width))


def row(message: str, line: int = 1) -> Row:
    return parse_line(line, orjson.dumps({"message": message}), nesting=128)


def rows(first: int, last: int) -> list[Row]:
    return [row(f"row {number}", number) for number in range(first, last + 1)]


def named(first: int, last: int) -> list[str]:
    return [f"row {number}" for number in range(first, last + 1)]


async def test_it_follows_the_end() -> None:
    async with driven() as log:
        log.view.extend(rows(1, 3))
        assert await log.lines() == named(1, 3)
        log.view.extend(rows(4, 100))
        assert await log.lines() == named(96, 100)
        assert log.view.following


async def test_scrolled_up_nothing_moves_and_what_is_new_is_counted() -> None:
    async with driven() as log:
        log.view.extend(rows(1, 100))
        log.view.move(-3)
        assert await log.lines() == named(93, 97)
        log.view.extend(rows(101, 112))
        assert await log.lines() == named(93, 97)
        assert rule(log.view) == "log · paused · 12 new · 97/112 · End resumes"
        log.view.move(4)
        assert await log.lines() == named(97, 101)
        assert log.view.pager.new == 11
        log.view.go_to_end()
        assert await log.lines() == named(108, 112)
        assert rule(log.view) == "log · following"


async def test_reaching_the_end_by_scrolling_follows_again() -> None:
    async with driven() as log:
        log.view.extend(rows(1, 20))
        log.view.turn(-1)
        assert await log.lines() == named(12, 16)
        log.view.turn(1)
        assert log.view.following
        log.view.go_to_start()
        assert await log.lines() == named(1, 5)
        log.view.move(-7)
        log.view.move(2)
        assert await log.lines() == named(3, 7)


async def test_there_is_nowhere_to_scroll_while_all_rows_are_seen() -> None:
    async with driven() as log:
        log.view.move(-1)
        log.view.move(1)
        log.view.go_to_start()
        log.view.toggle_following()
        assert log.view.following
        log.view.extend(rows(1, 3))
        log.view.move(-1)
        log.view.go_to_start()
        assert log.view.following


async def test_f_stays_where_the_screen_is_and_follows_again() -> None:
    async with driven() as log:
        log.view.extend(rows(1, 10))
        log.view.toggle_following()
        log.view.extend(rows(11, 12))
        assert await log.lines() == named(6, 10)
        assert log.view.pager.new == 2
        log.view.toggle_following()
        assert await log.lines() == named(8, 12)


async def test_staying_at_the_end_of_a_short_log_fills_the_screen_and_then_stays() -> None:
    async with driven() as log:
        log.view.extend(rows(1, 2))
        log.view.toggle_following()
        log.view.extend(rows(3, 9))
        assert await log.lines() == named(1, 5)
        assert log.view.pager.new == 4


async def test_rows_are_wrapped_anew_for_each_width_and_none_is_lost() -> None:
    async with driven(height=40, width=120) as log:
        text = " ".join(f"word{number}" for number in range(30))
        log.view.extend([row(text)] * 3)
        wide = " ".join(await log.lines())
        await log.pilot.resize_terminal(40, 40)
        narrow = await log.lines()
        assert len(narrow) > 15
        await log.pilot.resize_terminal(120, 40)
        assert " ".join(await log.lines()) == wide
        assert wide.split() == " ".join(narrow).split() == (text + " ").split() * 3


async def test_the_place_in_a_long_row_is_kept_when_the_width_changes() -> None:
    async with driven(height=5, width=60) as log:
        log.view.extend([*rows(1, 5), row(" ".join(f"w{number:03}" for number in range(200))), *rows(7, 20)])
        log.view.go_to_start()
        log.view.move(9)
        before = (await log.lines())[0].split()[0]
        await log.pilot.resize_terminal(100, 5)
        assert before in (await log.lines())[0]


async def test_a_taller_screen_shows_more_above_the_end() -> None:
    async with driven() as log:
        log.view.extend(rows(1, 20))
        log.view.move(-2)
        await log.pilot.resize_terminal(80, 12)
        assert await log.lines() == named(9, 20)


async def test_one_huge_event_pushes_no_other_row_away_and_says_how_to_see_the_rest() -> None:
    async with driven(height=40, width=80) as log:
        log.view.extend([*rows(1, 2), row("x" * 60_000), *rows(4, 4)])
        lines = await log.lines()

    assert (lines[0], lines[1], lines[-1]) == ("row 1", "row 2", "row 4")
    seen = "".join(lines)
    assert seen.count("x") == 12 * (80 - len("20:00:00.000 I "))
    assert "… 59,220 more characters, o shows all" in " ".join(lines)


async def test_what_is_searched_for_in_a_huge_event_is_seen() -> None:
    async with driven(height=60, width=80) as log:
        log.view.extend([row("x" * 3_000 + "needle" + "x" * 60_000)])
        log.view.search(Pattern("needle", regex=False))
        assert "needle" in "".join(await log.lines())


async def test_no_more_rows_are_laid_out_than_a_few_screens() -> None:
    async with driven() as log:
        log.view.extend(rows(1, 1_000))
        for _ in range(300):
            log.view.move(-3)
            await log.lines()
        assert len(log.view.pager._laid_out) <= 256  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] -- memory is seen only here


async def test_old_rows_are_dropped_past_the_limit_and_that_is_told() -> None:
    async with driven(kept=100) as log:
        log.view.extend(rows(1, 100))
        assert log.view.earlier() == ""
        log.view.move(-50)
        place = await log.lines()
        log.view.extend(rows(101, 111))
        assert log.view.earlier() == "11 earlier rows are not shown here"
        assert await log.lines() == place
        assert log.view.rows.total == 111
        log.view.extend(rows(112, 500))
        assert await log.lines() == named(401, 405)  # its place is gone: the oldest that there is
        log.view.go_to_start()
        assert await log.lines() == named(401, 405)


async def test_a_reset_forgets_everything_and_follows() -> None:
    async with driven() as log:
        log.view.say_when_empty([Paragraph.of(("nothing yet", "text"))])
        assert await log.lines() == ["nothing yet"]
        log.view.extend(rows(1, 50))
        log.view.move(-10)
        log.view.reset()
        assert await log.lines() == ["nothing yet"]
        log.view.say_when_empty([Paragraph.of(("still nothing", "text"))])
        assert await log.lines() == ["still nothing"]
        log.view.extend(rows(1, 9))
        assert await log.lines() == named(5, 9)


async def test_the_wheel_scrolls() -> None:
    async with driven() as log:
        log.view.extend(rows(1, 50))
        await log.lines()
        log.view.post_message(wheel(events.MouseScrollUp, log.view))
        assert await log.lines() == named(43, 47)
        log.view.post_message(wheel(events.MouseScrollDown, log.view))
        assert await log.lines() == named(46, 50)


async def test_a_hundred_thousand_rows_cost_no_more_than_the_screen() -> None:
    async with driven(height=40, kept=150_000) as log:
        log.view.extend(rows(1, 100_000))
        begun = time.process_time()
        log.view.go_to_start()
        await log.lines()
        log.view.go_to_end()
        for _ in range(50):
            log.view.turn(-1)
            await log.pilot.pause()
        assert time.process_time() - begun < 20  # a layout of all rows would take minutes
