"""Pictures: those of the README are of the panel as it is, and the screens that matter stay as they were.

``UPDATE_PICTURES=1`` draws all of them anew; look at the difference before it is committed.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from xml.sax.saxutils import unescape

import pytest
from docs.pictures import make
from docs.pictures.svg import picture

from debugloop.session import actions
from debugloop.session.records import Steps
from debugloop.session.session import Session
from debugloop_overlay import languages
from tests.overlay.house import Driven, append, driven, publish
from tests.support import ROOT

SNAPSHOTS = Path(__file__).parent / "snapshots"


def check(path: Path, drawn: str) -> None:
    if os.environ.get("UPDATE_PICTURES"):
        path.write_text(drawn, encoding="utf-8")
    was = path.read_text(encoding="utf-8")
    assert words_of(drawn) == words_of(was)  # a difference that can be read, before one of places and colours
    assert drawn == was, f"{path.name}: the words are the same, their places or colours are not"


def words_of(drawn: str) -> list[str]:
    """The pieces of text of a picture, line by line."""
    lines: dict[str, list[str]] = {}
    for y, text in re.findall(r'<text x="[\d.]+" y="([\d.]+)".*?>(.*)</text>', drawn):
        lines.setdefault(y, []).append(unescape(text))
    return [" ".join(line) for line in lines.values()]


@pytest.fixture(autouse=True)
def _same_time_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


@pytest.mark.parametrize("language", languages.LANGUAGES)
def test_the_pictures_of_the_readme_are_of_the_panel_as_it_is(language: str) -> None:
    check(ROOT / f"docs/pictures/panel-{language}.svg", make.made(language))
    assert f"docs/pictures/panel-{language}.svg" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def debugged(home: Path) -> Session:
    session = make.debugged(home, "en")
    session.layout.endpoint.unlink()  # or the panel would start its collector
    return session


def stands(session: Session, seconds: int = 42) -> int:
    """The clock, so many seconds after the run began."""
    return make.began(session) + seconds * 1_000 + 500


async def shot(panel: Driven, name: str) -> None:
    check(SNAPSHOTS / f"{name}.svg", picture(panel.panel, name))


async def test_forty_columns_and_ten_lines(debugged: Session) -> None:
    at = stands(debugged)
    async with driven(debugged, (40, 10), clock=lambda: at) as panel:
        await panel.sees("6 events", "expected=15")
        await shot(panel, "smallest")


async def test_nothing_after_a_press_that_an_agent_which_is_away_has_not_read(debugged: Session) -> None:
    debugged.update(agent_seen=0)
    actions.press(debugged, "reproduced")
    at = stands(debugged, 3_723)
    async with driven(debugged, (100, 24), clock=lambda: at) as panel:
        await panel.sees("6 events", "a copies a text", "press 1 Reproduced: not read yet")
        await shot(panel, "away")


async def test_an_earlier_run_and_what_changed_since(debugged: Session) -> None:
    publish(debugged, Steps("The total, with the fix", ("Open the cart", "Look at the total")))
    append(
        debugged,
        {"hypothesisId": "H1", "location": "cart.js:42", "message": "total", "level": "info", "data": {"total": 15}},
        {"hypothesisId": "H4", "location": "cart.js:50", "message": "shown", "level": "info"},
    )
    at = stands(debugged)
    async with driven(debugged, (100, 30), clock=lambda: at) as panel:
        await panel.sees("2 events", "shown")
        await panel.press("equals_sign")
        await panel.sees("run 1 → run 2 ·")
        await shot(panel, "compared")
        await panel.press("escape", "left_square_bracket")
        await panel.sees("not live", "expected=15")
        await shot(panel, "earlier")


async def test_the_hypotheses_to_choose_from(debugged: Session) -> None:
    at = stands(debugged)
    async with driven(debugged, clock=lambda: at) as panel:
        await panel.sees("6 events")
        await panel.press("p", "down")
        await panel.sees("▸ H2")
        await shot(panel, "hypotheses")
