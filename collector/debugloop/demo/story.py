"""The demo itself: every part of the loop, in order, with the pieces that agents and people use."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import orjson

from debugloop.agent import closing, hypotheses, loop
from debugloop.demo import browser, evidence
from debugloop.demo.held import held_back
from debugloop.demo.program import Cart, Placed
from debugloop.demo.visitor import StandIn, Visitor
from debugloop.errors import DemoFailed
from debugloop.evidence.rows import parts
from debugloop.probes.scan import place_of, scan
from debugloop.probes.strip import strip
from debugloop.session import runs
from debugloop.session.records import Steps

if TYPE_CHECKING:
    from debugloop.demo.narration import Story
    from debugloop.demo.player import Player, Wanted
    from debugloop.session.follow import Follower
    from debugloop.session.session import Session
    from debugloop.settings import Settings

EVENTS_AN_ITEM: Final = 3
"""One from each probe."""
_EVENT_SECONDS: Final = 5.0
"""How long an event may take from the program into the log."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One run: the totals that the page showed, item by item, and how many events came."""

    run: int
    totals: tuple[str, ...]
    events: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the demo came to, for programs."""

    visitor: str
    runs: tuple[Shown, ...]
    verdicts: dict[str, str]
    probes: int
    leftovers: int


class Demo:
    """One telling, in a folder that is empty before it and removed by the caller after it."""

    def __init__(self, story: Story, player: Player, settings: Settings, folder: Path, cleanup: ExitStack) -> None:
        self._story = story
        self._player = player
        self._folder = folder
        self._cleanup = cleanup
        self._settings = settings
        self._totals: dict[int, tuple[str, ...]] = {}

    def tell(self) -> Outcome:
        """Go through the whole loop. Raises DemoFailed where something is not as it should be."""
        story = self._story
        story.title("debugloop demo: a cart whose total is right for one item and wrong for two")
        cart = Cart(self._folder / "cart")
        self._cleanup.callback(cart.stop)
        started = loop.start(self._settings, cart.folder, loop.Wish(session_id="demo"), environment={})
        session, address = started.session, started.endpoint
        if session.state().workspace != str(cart.folder):
            raise DemoFailed("the folder for temporary files lies in a git repository; set TMPDIR to another one")
        story.part("Session", f"{session.id}, its collector on {address.host}:{address.port}; all of it is temporary")
        placed = cart.instrument(session, address.url)
        story.part("Program", f"a page (cart.js) and its backend (server.py), at {cart.serve()}")
        self._state_hypotheses(session, placed)
        visitor = self._visitor()

        before = self._run(session, cart, visitor, fixed=False)
        verdicts = self._judge(session, before)

        cart.stop()
        cart.fix()
        cart.serve()
        story.part("Fix", "server.py: a CSV file gives text, so the price is made a number where it is read")
        after = self._run(session, cart, visitor, fixed=True)
        story.part("Compare", "run 1 and run 2, the same steps:", *evidence.compare(before, after))

        visitor.close()
        cart.stop()
        removed = self._clean(session, cart)
        self._finish(session, address.port)
        shown = tuple(Shown(found.run, self._totals[found.run], found.count) for found in (before, after))
        return Outcome(visitor.name, shown, verdicts, removed, leftovers=0)

    def _state_hypotheses(self, session: Session, placed: list[Placed]) -> None:
        for name, text in evidence.HYPOTHESES.items():
            hypotheses.add(session, text, name)
        self._story.part("Hypotheses", *(f"{name}  {text}" for name, text in evidence.HYPOTHESES.items()))
        how = {".py": "appends to the log", ".js": "POSTs to the collector"}
        lines = [
            f"{probe.id}  {probe.location} for {probe.hypothesis}, {how[Path(probe.location.split(':')[0]).suffix]}"
            for probe in placed
        ]
        self._story.part("Probes", *lines)

    def _visitor(self) -> Visitor:
        """A browser, else the stand-in; whichever it is, it is told."""
        program = browser.find()
        why = "there is no Chromium or Chrome"
        if program:
            with held_back():
                chromium = browser.Chromium(program, self._folder / "browser")
                self._cleanup.callback(chromium.close)
            try:
                chromium.attach()
            except DemoFailed as error:
                chromium.close()
                why = f"{program} does not work here: {error.reason}"
            else:
                return chromium
        self._story.part("Browser", f"{why}; a stand-in sends the requests that the page would")
        return StandIn()

    def _run(self, session: Session, cart: Cart, visitor: Visitor, *, fixed: bool) -> evidence.Seen:
        """Publish the steps, have them followed, and wait for the person's word."""
        wanted = tuple(due for _, _, due in evidence.BOUGHT) if fixed else evidence.WRONG
        steps = [f"Open {cart.url}"]
        steps += [f"Press Add beside {name}: the total should be {due}" for _, name, due in evidence.BOUGHT]
        title = "Buy a mug and tea" + (", with the fix" if fixed else "")
        run = loop.publish_steps(session, Steps(title, (*steps, *self._player.asks(fixed=fixed)), "cli")).run
        self._story.part(f"Run {run}", title, *(f"{number}. {step}" for number, step in enumerate(steps, 1)))
        self._player.begin(session)
        self._story.part("", f"{visitor.name} follows them:")
        self._totals[run] = self._follow(session, cart, visitor)
        if self._totals[run] != wanted:
            raise DemoFailed(
                f"the page showed {' and '.join(self._totals[run])} in run {run}, not {' and '.join(wanted)}"
            )
        action: Wanted = "resolved" if fixed else "reproduced"
        waited = self._player.press(session, run, action)
        if waited.status != action or waited.run != run:
            raise DemoFailed(f"the wait for the person gave {waited.status} of run {waited.run}")
        if not fixed:
            self._story.part("Evidence", "of run 1 by hypothesis, as the agent gets it from `debugloop wait`:")
            self._tell_evidence(waited)
        return evidence.seen(*runs.read(session, run))

    def _tell_evidence(self, waited: loop.Waited) -> None:
        answer = orjson.loads(orjson.dumps(waited.to_json()))
        for entry in answer["evidence"]["hypotheses"]:
            self._story.line(f"{entry['id']}  {entry['text']}")
            for location in entry["locations"]:
                for row in location["rows"]:
                    values = row["record"]["data"].items()
                    data = " ".join(f"{key}={orjson.dumps(value).decode()}" for key, value in values)
                    self._story.line(f"    {row['at']}  {location['location']}  {data}", style="dim")

    def _follow(self, session: Session, cart: Cart, visitor: Visitor) -> tuple[str, ...]:
        """Press the buttons and show the events as they come; gives the totals that the page showed."""
        follower = runs.follow(session)
        totals: list[str] = []
        try:
            visitor.open(cart.url)
            events = 0
            for sku, name, due in evidence.BOUGHT:
                total = visitor.add(sku)
                totals.append(total)
                events = self._show_events(follower, events, len(totals) * EVENTS_AN_ITEM)
                style = "good" if total == due else "bold"
                self._story.line(f"Add beside {name}: the page shows {total}", style=style)
        finally:
            follower.close()
        return tuple(totals)

    def _show_events(self, follower: Follower, events: int, wanted: int) -> int:
        deadline = time.monotonic() + _EVENT_SECONDS
        while events < wanted:
            for row in follower.poll().rows:
                if row.steps:
                    continue
                events += 1
                shown = parts(row)
                text = "  ".join(filter(None, (shown.location, shown.message, shown.data)))
                self._story.line(f"  {shown.hypothesis}  {text}", style="dim")
            if time.monotonic() > deadline:
                raise DemoFailed(f"only {events} of {wanted} events arrived")
            time.sleep(0.005)
        return events

    def _judge(self, session: Session, before: evidence.Seen) -> dict[str, str]:
        lines: list[str] = []
        judged: dict[str, str] = {}
        for name, verdict, citations, why in evidence.judge_broken(before):
            hypotheses.judge(session, name, verdict, citations)
            judged[name] = verdict
            lines.append(f"{name}  {verdict} by {', '.join(citations)}: {why}")
        self._story.part("Verdicts", *lines)
        return judged

    def _clean(self, session: Session, cart: Cart) -> int:
        """Strip the probes and prove that nothing is left; gives how many there were."""
        left = len(scan(session).leftovers)
        if not left:
            raise DemoFailed("the scan does not see the probes that are there")
        stripped = strip(place_of(session.settings, cart.folder), session.id)
        removed = sum(len(each.probes) for each in stripped)
        files = ", ".join(each.file for each in stripped)
        self._story.part("Strip", f"{removed} probes removed from {files}")
        if cart.present_files() != cart.fixed_files():
            raise DemoFailed("the stripped files are not the fixed originals")
        self._story.line(f"all {len(cart.files)} files are the originals with the fix, byte for byte", style="good")
        report = scan(session)
        if report.leftovers:
            first = report.leftovers[0]
            raise DemoFailed(f"{len(report.leftovers)} lines are left, the first in {first.file}:{first.line}")
        self._story.part("Scan", f"{left} lines held something of this session; now nothing does")
        return removed

    def _finish(self, session: Session, port: int) -> None:
        finished = closing.finish(session)
        if finished.outcome != "done":
            raise DemoFailed(f"finish refused: {finished.next}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                raise DemoFailed(f"something still serves on port {port}")
        self._story.part("Finish", finished.next)
