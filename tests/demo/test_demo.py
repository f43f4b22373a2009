"""The parts of the demo, and that it believes nothing: whatever is not as it should be ends it."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from debugloop.demo import browser, evidence, program, story
from debugloop.demo.narration import Story
from debugloop.demo.player import Played
from debugloop.demo.program import Cart
from debugloop.demo.stage import stage
from debugloop.demo.story import Demo, Outcome
from debugloop.demo.visitor import StandIn
from debugloop.errors import DemoFailed
from debugloop.ingest import daemon
from debugloop.probes.scan import Leftover, Report
from debugloop.session import runs
from debugloop.session.records import parse_line
from debugloop.session.session import Session
from debugloop.settings import Settings
from tests.servers import Handler, served
from tests.support import require


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_story_has_a_margin_and_hangs_what_is_wrapped() -> None:
    out = io.StringIO()
    told = Story(out, environment={})
    told.part("Steps", f"1. {'word ' * 30}", "H1  short")
    assert out.getvalue().splitlines() == [
        "",
        "Steps       1. word word word word word word word word word word word word word word word word word word word",
        "               word word word word word word word word word word word",
        "            H1  short",
    ]


def test_the_story_shows_hostile_text_as_text() -> None:
    out = Terminal()
    Story(out, environment={"NO_COLOR": "1"}).line("a\x1b]0;title\x07b")
    assert "\x1b" not in out.getvalue()


def test_a_story_that_is_held_back_is_told_later_in_order() -> None:
    out = io.StringIO()
    told = Story(out, environment={})
    told.line("1")
    told.hold()
    told.line("2")
    told.hold()
    told.line("3")
    assert out.getvalue().split() == ["1"]
    told.release()
    told.release()
    told.line("4")
    assert out.getvalue().split() == ["1", "2", "3", "4"]


def rows(*records: dict[str, Any]) -> evidence.Seen:
    lines = [json.dumps(record).encode() for record in records]
    return evidence.seen(1, [parse_line(number, line, nesting=9) for number, line in enumerate(lines, 1)])


def test_only_events_that_are_there_can_be_cited() -> None:
    found = rows({"hypothesisId": "H1", "data": {"a": 1}}, {"hypothesisId": "H1", "data": {"a": 2}})
    assert (found.cite("H1", {"a": 2}), found.count) == ("1:2", 2)
    with pytest.raises(DemoFailed, match=r'no event of H1 with {"a":3}; it has {"a":1}, {"a":2}'):
        found.cite("H1", {"a": 3})
    with pytest.raises(DemoFailed, match=r"no event of H2 with .*; it has none"):
        found.cite("H2", {})


def test_a_second_run_that_still_joins_text_is_no_fix() -> None:
    both = {"hypothesisId": "H2", "data": {"sku": "tea", "lines": 2}}
    broken = rows(both, {"hypothesisId": "H3", "data": {"types": ["string", "string"], "sum": "1250400"}})
    half = rows(
        both,
        {"hypothesisId": "H1", "data": {"sku": "tea", "price_cents": 400}},
        {"hypothesisId": "H3", "data": {"types": ["string"], "sum": "1250"}},
        {"hypothesisId": "H3", "data": {"types": ["number", "number"], "sum": 1650}},
    )
    with pytest.raises(DemoFailed, match="run 1 still joins text"):
        evidence.compare(broken, half)


@pytest.fixture
def cart(tmp_path: Path) -> Iterator[Cart]:
    cart = Cart(tmp_path / "cart")
    yield cart
    cart.stop()


def test_a_program_that_is_missing_or_another_one_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cart: Cart
) -> None:
    cart.fix()
    with pytest.raises(DemoFailed, match="not the one it knows"):
        cart.fix()
    monkeypatch.setattr(program, "original", lambda: tmp_path / "nowhere")
    with pytest.raises(DemoFailed, match="cannot be read"):
        Cart(tmp_path / "other")


def test_the_backend_starts_again_on_its_port_or_on_another_one(cart: Cart) -> None:
    first = cart.serve()
    cart.stop()
    assert cart.serve() == first
    cart.stop()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", int(first.rstrip("/").rpartition(":")[2])))
        taken.listen()
        assert cart.serve() != first


def test_a_backend_that_does_not_start_is_told(cart: Cart, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_START_SECONDS", 0.2)
    for text in ("raise SystemExit(1)", "import time; time.sleep(60)"):
        (cart.folder / "server.py").write_text(text)
        with pytest.raises(DemoFailed, match="did not start"):
            cart.serve()


class Refusing(Handler):
    def get(self) -> None:
        self.send_error(503, "closed")


def test_the_stand_in_tells_what_it_was_refused() -> None:
    with served(Refusing) as port, pytest.raises(DemoFailed, match="answered 503"):
        StandIn().open(f"http://127.0.0.1:{port}/")
    with pytest.raises(DemoFailed, match="nothing answers on port 9 "):
        StandIn().open("http://127.0.0.1:9/")


def test_the_stand_in_sends_the_events_of_the_probes_that_are_served(cart: Cart, session: Session) -> None:
    address = daemon.ensure(session)
    placed = cart.instrument(session, address.url)
    stand_in = StandIn()
    stand_in.open(cart.serve())
    stand_in.add("mug")
    events = [row.record() for row in runs.read(session)[1]]
    assert {event["location"] for event in events} == {probe.location for probe in placed}
    cart.stop()
    for name, data in cart.files.items():
        (cart.folder / name).write_bytes(data)
    stand_in.open(cart.serve())
    stand_in.add("mug")
    assert len(runs.read(session)[1]) == len(events)


def test_what_goes_wrong_in_the_page_or_the_browser_is_told(
    cart: Cart, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chromium = browser.Chromium(require("chromium"), tmp_path / "browser")
    try:
        chromium.attach()
        chromium.open(cart.serve())
        with pytest.raises(DemoFailed, match="the page threw TypeError"):
            chromium.add("nothing")
        with pytest.raises(DemoFailed, match="the browser refused No.such"):
            chromium.call("No.such")
        with pytest.raises(DemoFailed, match="did not answer in time"):
            chromium.call("Runtime.evaluate", {"expression": "for (;;) {}"}, page=True, seconds=0.1)
    finally:
        chromium.close()
    chromium.close()


@pytest.fixture
def tell(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Callable[[], Outcome]:
    """The demo in this process, without a browser."""
    monkeypatch.setattr(browser, "find", lambda: None)

    def tell() -> Outcome:
        told = Story(io.StringIO(), environment={})
        with stage(settings) as (folder, cleanup, inside):
            return Demo(told, Played(told), inside, folder, cleanup).tell()

    return tell


def test_the_demo_comes_to_its_end(tell: Callable[[], Outcome]) -> None:
    assert tell().probes == 3


def nothing(*_: object, **__: object) -> list[Any]:
    return []


def clean(*_: object) -> Report:
    return Report()


def marker(*_: object, **__: object) -> Report:
    return Report([Leftover("cart.js", 1, "marker", "", "working tree")])


@pytest.mark.parametrize(
    ("name", "replaced", "message"),
    [
        ("strip", nothing, "the stripped files are not the fixed originals"),
        ("scan", clean, "the scan does not see the probes"),
        ("scan", marker, "1 lines are left, the first in cart.js:1"),
        ("_EVENT_SECONDS", -1.0, r"only \d of \d events arrived"),
    ],
)
def test_a_demo_whose_parts_do_not_work_fails(
    name: str, replaced: object, message: str, tell: Callable[[], Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(story, name, replaced)
    if name == "_EVENT_SECONDS":
        monkeypatch.setattr(Cart, "instrument", nothing)
    with pytest.raises(DemoFailed, match=message):
        tell()


def test_what_was_left_running_is_ended_before_the_folder_goes(settings: Settings) -> None:
    order: list[str] = []
    with stage(settings) as (folder, cleanup, inside):
        assert inside.home.is_relative_to(folder)
        cleanup.callback(lambda: order.append(f"ended, {folder.exists()}"))
    assert order == ["ended, True"]
    assert not folder.exists()


def test_a_signal_ends_the_stage_and_the_handlers_are_those_of_before(settings: Settings) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    folders: list[Path] = []

    def play() -> None:
        with stage(settings) as (folder, _, _):
            folders.append(folder)
            os.kill(os.getpid(), signal.SIGTERM)
            signal.pause()

    with pytest.raises(SystemExit) as left:
        play()
    assert left.value.code == 128 + signal.SIGTERM
    assert not folders[0].exists()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before


def test_a_part_that_cannot_be_ended_keeps_nothing_else_from_ending(settings: Settings) -> None:
    def fail() -> None:
        raise DemoFailed("this one does not end")

    with pytest.raises(DemoFailed), stage(settings) as (folder, cleanup, _):
        cleanup.callback(fail)
    assert not folder.exists()
