from __future__ import annotations

from dataclasses import replace

import pytest

from debugloop.session.actions import Press
from debugloop.session.collector_file import Rejection
from debugloop.session.records import Steps
from debugloop_overlay import languages, texts
from debugloop_overlay.paragraphs import Paragraph
from debugloop_overlay.snapshot import Counts, RunSeen, Snapshot
from debugloop_overlay.view import View

WORDS = languages.load("en")
REFUSED = Rejection("2026-01-01T00:00:00Z", "origin_refused", "http://myapp.test:8080", 12, "Run `x`.")
BUSY = Snapshot(
    run=2,
    rejected=(("origin_refused", 3), ("too_large", 1)),
    sampled=5,
    redacted=1,
    latest=(REFUSED,),
    press=Press(7, "no_events", 2, None, 0, delivered=True),
    bytes=2_621_440,
)


def view(now: Snapshot = BUSY, counts: Counts | None = None, collector: str = "") -> View:
    shown = counts or Counts(1_234, 2)
    return View(WORDS, "s", "/d", "/d/debug.jsonl", 5_242_880, now, shown, collector=collector)


def said(paragraphs: list[Paragraph]) -> list[str]:
    return [paragraph.text for paragraph in paragraphs]


def told(width: int, shown: View | None = None) -> str:
    return " · ".join(text for text, _ in texts.status(shown or view(), width))


def test_the_status_leaves_out_what_does_not_fit_the_reasons_first() -> None:
    counts = "1,234 events · 2 malformed · 4 rejected"
    latest = f"{counts}, latest origin_refused"
    rest = "5 sampled out · 1 secret hidden"
    cap = "50 % of 5 MiB"
    press = "press 7 Reproduced: with the agent"
    assert told(200) == f"{latest} · {rest} · █████░░░░░ {cap} · {press}"
    assert told(160) == f"{latest} · {rest} · {cap} · {press}"
    assert told(140) == f"{counts} · {rest} · {cap} · {press}"
    assert told(120) == f"{latest} · {rest} · {cap}"
    assert told(80) == told(20) == f"{counts} · {rest} · {cap}"


def test_an_idle_session_has_only_events_and_cap() -> None:
    assert told(80, view(Snapshot(), Counts())) == "0 events · ░░░░░░░░░░ 0 % of 5 MiB"
    assert told(80, view(Snapshot(bytes=5_242_880), Counts(1))) == "1 event · ██████████ log full"


@pytest.mark.parametrize(
    ("now", "state"),
    [
        (Snapshot(agent="working"), "● agent working"),
        (Snapshot(agent="waiting"), "◆ waiting for you"),
        (Snapshot(agent="away"), "○ agent away"),
        (Snapshot(agent="waiting", mode="build"), "○ finished"),
    ],
)
def test_the_header_tells_the_run_and_who_is_to_act(now: Snapshot, state: str) -> None:
    assert said(texts.header(view(now), 80)) == [f" DEBUG LOGS   run 0  {state}"]


def test_in_a_narrow_header_the_port_gives_way_first_and_an_earlier_run_never_looks_live() -> None:
    now = Snapshot(run=12, agent="waiting", collector="running", port=4711)
    live = replace(view(now), elapsed=3_723)
    assert said(texts.header(live, 80)) == [" DEBUG LOGS   run 12  1:02:03  ◆ waiting for you  127.0.0.1:4711"]
    assert said(texts.header(live, 60)) == [" DEBUG LOGS   run 12  1:02:03  ◆ waiting for you"]
    assert said(texts.header(live, 40)) == [" DEBUG LOGS   run 12  ◆ waiting for you"]
    past = replace(live, past=RunSeen(3, None, Counts(), ()))
    assert said(texts.header(past, 60)) == [" DEBUG LOGS   run 3  not live: run 12 is  ◆ waiting for you"]
    assert said(texts.header(past, 40)) == [" DEBUG LOGS   run 3  not live: run 12 is"]
    assert said(texts.header(past, 39)) == [" DEBUG LOGS   run 3  not live"]


@pytest.mark.parametrize(("seconds", "told"), [(0, "0:00"), (59, "0:59"), (754, "12:34"), (90_061, "25:01:01")])
def test_a_length_of_time_is_told_as_a_clock_does(seconds: int, told: str) -> None:
    assert texts.lasted(seconds) == told


def test_steps_are_numbered_by_the_width_of_the_last() -> None:
    many = texts.steps(WORDS, Steps(None, tuple("abcdefghij")))
    assert said(many)[:2] == ["Steps", "  1. a"]
    assert said(many)[-1] == " 10. j"
    assert said(texts.steps(WORDS, None)) == ["The agent has published no reproduction steps yet."]
    assert said(texts.steps(WORDS, Steps("T", ("a",), "http")))[-1].startswith(" ! These steps came over HTTP")


def test_notices_come_in_the_order_of_their_gravity() -> None:
    now = Snapshot(problem="P\x1b", gone=True, bytes=5_242_880, latest=(REFUSED,), other_panel=True)
    assert said(texts.notices(view(now, collector="C"), "E")) == [
        "! The session cannot be read: P\\x1b",
        "! C",
        "! The log is full: further events are refused. C makes room.",
        "! Rejected: origin_refused http://myapp.test:8080. Run `x`.",
        "! Another panel of this session is open, too. Both work.",
        "! E",
    ]
    assert said(texts.notices(view(Snapshot(gone=True)), "")) == [
        "! The log file is gone. It is shown again as soon as it is back."
    ]
    assert texts.notices(view(Snapshot(gone=True, mode="build")), "") == []


def test_a_rejection_says_as_much_as_is_known_of_it() -> None:
    now = Snapshot(latest=(Rejection("t", "bad_\x07", None, None, None),))
    assert said(texts.notices(view(now), "")) == ["! Rejected: bad_\\x07."]


def test_the_help_names_keys_places_and_all_rejections_the_latest_first() -> None:
    now = Snapshot(port=4711, latest=(Rejection("t", "first"), Rejection("t", "second")))
    lines = said(texts.help_text(view(now)))
    assert " log /d/debug.jsonl" in lines
    assert " collector 127.0.0.1:4711" in lines
    assert lines[-2:] == ["! Rejected: second.", "! Rejected: first."]
    assert said(texts.help_text(view(Snapshot())))[-1] == " none"


def test_a_rule_fills_the_width_or_gives_way_to_its_words() -> None:
    assert said(texts.rule(20, [("a", "text"), ("b", "text")])) == ["── a · b ───────────"]
    assert said(texts.rule(6, [("a", "text"), ("b", "text")])) == ["a · b"]
