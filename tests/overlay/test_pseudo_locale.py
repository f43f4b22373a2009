"""A language in which every text is longer by 40 % and accented: nothing that must be seen is cut at 80x24."""

from __future__ import annotations

import re

import pytest

from debugloop.session import ledger
from debugloop.session.locks import hold
from debugloop.session.session import Session
from debugloop_overlay import languages
from debugloop_overlay.languages.words import Words
from tests.overlay.house import Driven, append, driven, publish

ACCENTED = str.maketrans("aceinouyACEINOUY", "áçéíñöüýÁÇÉÍÑÖÜÝ")
EVENT: dict[str, object] = {"hypothesisId": "H1", "location": "cart.js:42", "message": "total", "data": {"sum": 3}}


def longer(text: str) -> str:
    """The text with its places to fill in and its commands left alone, and with more of it."""
    parts = re.split(r"({\w+}|`[^`]*`)", text)
    accented = "".join(part if place % 2 else part.translate(ACCENTED) for place, part in enumerate(parts))
    return f"{accented}{'~' * max(round(len(text) * 0.4), 1)}"


def pseudo() -> Words:
    english = languages.load("en")
    texts = english._asdict()
    changed = {
        name: text if name == "code" else longer(text) if isinstance(text, str) else tuple(map(longer, text))
        for name, text in texts.items()
    }
    return Words(**changed)  # type: ignore[arg-type] # by name


async def sees_all(panel: Driven, *texts: str) -> None:
    """Each text as a whole, wherever its lines break."""
    wanted = ["".join(text.split()) for text in texts]
    await panel.until(lambda: all(text in "".join(panel.screen.split()) for text in wanted), f"all of {texts}")


@pytest.fixture
def words() -> Words:
    return pseudo()


async def test_actions_questions_and_states_are_whole_in_a_long_language(session: Session, words: Words) -> None:
    ledger.add(session, "The price is text")
    publish(session)
    append(session, EVENT, EVENT)
    acts = (words.reproduced, words.resolved, words.clear)
    async with driven(session, words=words) as panel:
        with hold(session.layout.agent_lock):
            await sees_all(panel, *acts, words.agent_waiting, words.events[1].format(n=2), words.hint_reproduced)
            await sees_all(panel, words.verdict_open, words.log, words.following)
        await panel.press("R")
        await sees_all(panel, *acts, words.ask_resolved, words.yes_no)
        await panel.press("n", "C")
        await sees_all(panel, *acts, words.ask_clear.format(run=1), words.yes_no)
        await panel.press("n")
        await sees_all(panel, words.taken_back)
        await panel.press("n")
        await panel.press("x", "enter")
        await sees_all(panel, words.note_kept.format(note="x"))
        await panel.press("r")
        await sees_all(panel, words.sent.format(action=words.reproduced, number=1), words.sent_working)


async def test_what_teaches_is_whole_in_a_long_language(session: Session, words: Words) -> None:
    publish(session)
    async with driven(session, words=words) as panel:
        await sees_all(panel, words.nothing_yet.format(run=1), words.nothing_yet_restart, words.nothing_yet_page)
        await sees_all(panel, words.nothing_yet_none, words.hint_no_events)
        await panel.press("r")
        await sees_all(panel, words.ask_no_events.format(run=1), words.yes_no, words.clear)
        await panel.press("n")
        session.update(mode="build")
        await sees_all(panel, words.finished, words.hint_finished.format(session=session.id))


async def test_an_earlier_run_and_lists_are_whole_in_a_long_language(session: Session, words: Words) -> None:
    for _ in range(2):
        publish(session)
        append(session, EVENT)
    async with driven(session, words=words) as panel:
        await sees_all(panel, words.events[0].format(n=1))
        await panel.press("left_square_bracket")
        await sees_all(panel, words.not_live.format(run=2), words.hint_past.format(run=2), words.clear)
        await panel.press("right_square_bracket", "ctrl+p")
        await sees_all(panel, words.palette, words.hint_palette, words.key_choose)
        await panel.press("escape", "p")
        await sees_all(panel, words.hypotheses, words.hint_hypothesis, words.not_in_ledger)


async def test_too_small_is_said_in_a_long_language(session: Session, words: Words) -> None:
    async with driven(session, (39, 9), words=words) as panel:
        await sees_all(panel, words.too_small.format(width=39, height=9))
