"""The loop against a model of it: whatever agent, person and program do in whatever order, both say the same.

The session is a real one, in files, with its collector; the model is a dozen lines that know only the contract.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from debugloop.agent import closing, loop
from debugloop.agent.stage import stage
from debugloop.errors import NotResolved, PressNotDelivered, SessionFinished, UnreadResolved
from debugloop.ingest import daemon
from debugloop.session import actions, runs
from debugloop.session.actions import Action
from debugloop.session.records import Steps
from debugloop.settings import Settings

STEPS = Steps("Wrong total", ("Open the cart",))
ACTIONS: list[Action] = ["reproduced", "no_events", "resolved", "clear"]


@dataclass(frozen=True)
class Pressed:
    number: int
    action: Action
    run: int
    delivered: bool = False
    settled: bool = False

    @property
    def is_unread(self) -> bool:
        return self.action != "clear" and not self.settled


class Loop(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="debugloop-model-"))
        self.settings = Settings(home=self.folder / "home")
        self.workspace = self.folder / "workspace"
        self.workspace.mkdir()
        self.session = loop.start(self.settings, self.workspace, loop.Wish("s1"), {}).session
        self.debugging, self.steps, self.run, self.events = True, False, 0, 0
        self.presses: list[Pressed] = []

    def teardown(self) -> None:
        daemon.stop(self.session)
        shutil.rmtree(self.folder)

    def deliver(self, number: int) -> None:
        self.presses = [replace(each, delivered=True) if each.number == number else each for each in self.presses]

    def settle(self, number: int) -> None:
        self.presses = [replace(each, settled=True) if each.number == number else each for each in self.presses]

    def settle_delivered(self, upto: int = 10**9) -> None:
        for each in self.presses:
            if each.is_unread and each.delivered and each.number <= upto:
                self.settle(each.number)

    def last_word(self) -> Pressed | None:
        return next((each for each in reversed(self.presses) if each.action != "clear"), None)

    def is_verified(self) -> bool:
        read = [each.run for each in self.presses if each.action == "reproduced" and each.delivered]
        return bool(read) and self.run > max(read)

    @rule()
    def the_program_logs(self) -> None:
        with self.session.layout.log.open("ab") as log:
            log.write(b'{"hypothesisId":"H1"}\n')
        self.events += 1

    @rule(action=st.sampled_from(ACTIONS))
    def the_person_presses(self, action: Action) -> None:
        pressed = actions.press(self.session, action)
        assert pressed.number == len(self.presses) + 1
        self.presses.append(Pressed(pressed.number, action, self.run))

    @precondition(lambda self: self.debugging)
    @rule()
    def the_agent_waits(self) -> None:
        due = next((each for each in self.presses if each.is_unread and each.run == self.run), None)

        waited = loop.wait(self.session, 0)

        assert waited.press is None if due is None else waited.press is not None
        assert waited.status == (due.action if due else "pending")
        assert (waited.run, waited.events) == (self.run, self.events)
        if due and waited.press:
            assert waited.press.number == due.number
            self.deliver(due.number)
        if waited.status == "resolved":
            assert waited.verified == self.is_verified()
            assert ("unverified" in waited.next) == (not self.is_verified())
            assert ("No event came" in waited.next) == (self.is_verified() and self.events == 0)

    @precondition(lambda self: self.debugging)
    @rule(number=st.integers(1, 6))
    def the_agent_acknowledges(self, number: int) -> None:
        known = {each.number: each for each in self.presses}
        if number not in known or not (known[number].delivered or known[number].settled):
            with pytest.raises(PressNotDelivered):
                loop.wait(self.session, 0, number)
            return
        self.settle_delivered(number)
        due = next((each for each in self.presses if each.is_unread and each.run == self.run), None)
        waited = loop.wait(self.session, 0, number)
        assert (waited.press.number if waited.press else None) == (due.number if due else None)
        if due:
            self.deliver(due.number)

    @rule()
    def the_agent_reads_on(self) -> None:
        delivered = [each.number for each in self.presses if each.is_unread and each.delivered]

        assert actions.settle_delivered(self.session) == delivered
        self.settle_delivered()

    @rule()
    def the_agent_publishes_steps(self) -> None:
        if not self.debugging:
            with pytest.raises(SessionFinished):
                loop.publish_steps(self.session, STEPS)
            return
        fresh = [each for each in self.presses if each.is_unread and not each.delivered and each.run == self.run]
        if any(each.action == "resolved" for each in fresh):
            with pytest.raises(UnreadResolved):
                loop.publish_steps(self.session, STEPS)
            return
        self.settle_delivered()
        retired = [each.number for each in self.presses if each.is_unread]

        published = loop.publish_steps(self.session, STEPS)

        assert (published.run, [press.number for press in published.retired]) == (self.run + 1, retired)
        for number in retired:
            self.settle(number)
        self.run, self.events, self.steps = self.run + 1, 0, True

    @rule()
    def the_agent_finishes(self) -> None:
        if not self.debugging:
            assert closing.finish(self.session).outcome == "before"
            return
        self.settle_delivered()
        last = self.last_word()
        if last is None or last.action != "resolved" or last.run != self.run:
            with pytest.raises(NotResolved):
                closing.finish(self.session)
            return
        finished = closing.finish(self.session)
        assert finished.outcome == "done"
        assert (finished.closing["verified"], finished.closing["events"]) == (self.is_verified(), self.events)
        for each in self.presses:
            if each.is_unread:
                self.settle(each.number)
        self.debugging, self.steps, self.events = False, False, 0

    @rule()
    def the_agent_starts_again(self) -> None:
        started = loop.start(self.settings, self.workspace, loop.Wish("s1"), {})

        assert started.history == ("resumed" if self.debugging else "reopened")
        assert started.run == self.run
        self.debugging = True

    @invariant()
    def both_say_the_same(self) -> None:
        state, presses = self.session.state(), actions.presses(self.session)
        assert (state.mode == "debug", state.run, state.steps is not None) == (self.debugging, self.run, self.steps)
        assert [(each.number, each.action, each.run, each.delivered, each.settled) for each in presses] == [
            (each.number, each.action, each.run, each.delivered, each.settled) for each in self.presses
        ]
        assert runs.count_events(runs.read(self.session)[1]) == self.events
        said = [each.action for each in self.presses if each.run == self.run and each.action != "clear"]
        expected = "reproducing" if self.steps else "investigating"
        if said:
            expected = "resolved" if said[-1] == "resolved" else "analysing"
        assert stage(state, presses) == (expected if self.debugging else "finished")


@pytest.mark.slow
def test_the_loop_does_what_its_model_says_in_any_order() -> None:
    checks = [HealthCheck.too_slow]
    chosen = settings(max_examples=12, stateful_step_count=20, deadline=None, suppress_health_check=checks)
    run_state_machine_as_test(Loop, settings=chosen)
