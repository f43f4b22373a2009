"""The person's three actions, asked for by their client: in both eras of the protocol, never instead of the panel."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as mcp
import pytest
from mcp.client.client import Client

from debugloop.agent import mcp_server
from debugloop.agent.mcp_server import server_of
from debugloop.agent.tools import Bench
from debugloop.session import actions, runs
from debugloop.session.locks import hold
from debugloop.settings import Settings
from tests.agent.mcp_client import SEEN, Agent, append, only_session
from tests.support import GENEROUS

ERAS = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])


class Person:
    """Somebody in front of their client, who gives these answers, one a question; then they leave it open."""

    def __init__(self, *answers: dict[str, Any] | str) -> None:
        self.answers = list(answers)
        self.asked: list[mcp.ElicitRequestFormParams] = []
        self.shown = asyncio.Event()
        self.withdrawn = asyncio.Event()

    async def __call__(self, context: Any, params: mcp.ElicitRequestParams) -> mcp.ElicitResult:
        assert isinstance(params, mcp.ElicitRequestFormParams)
        self.asked.append(params)
        self.shown.set()
        if not self.answers:
            try:
                await asyncio.sleep(GENEROUS)
            except asyncio.CancelledError:
                self.withdrawn.set()
                raise
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            return mcp.ElicitResult(action=answer)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] -- as a client would
        return mcp.ElicitResult(action="accept", content=answer)


@asynccontextmanager
async def agent_of(person: Person | None, settings: Settings, folder: Path, mode: str) -> AsyncGenerator[Agent]:
    bench = Bench(settings, folder, os.environ)
    async with Client(server_of(bench), mode=mode, elicitation_callback=person) as client:
        agent = Agent(client)
        await agent.call("start_debug")
        await agent.call("publish_reproduction_steps", title="Wrong total", steps=["Open the cart", "Add two"])
        yield agent


@pytest.fixture(autouse=True)
def _no_long_listening(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_server, "ASK_SECONDS", 0.1)


@ERAS
async def test_a_person_without_the_panel_is_asked_and_their_answer_is_a_press(
    settings: Settings, workspace: Path, mode: str
) -> None:
    person = Person({"action": "reproduced", "note": "105"})
    async with agent_of(person, settings, workspace, mode) as agent:
        append(only_session(settings, workspace), SEEN)
        waited = await agent.call("wait_for_user", max_wait_s=30)
        again = await agent.call("wait_for_user", max_wait_s=0)

    assert (waited["status"], waited["press"], waited["note"]) == ("reproduced", 1, "105")
    assert again["press"] == 1
    [asked] = person.asked
    assert "Wrong total\n1. Open the cart\n2. Add two" in asked.message
    choices = asked.requested_schema["properties"]["action"]["oneOf"]
    assert [choice["const"] for choice in choices] == ["reproduced", "resolved", "clear"]


@ERAS
async def test_without_an_event_it_says_that_no_probe_fired(settings: Settings, workspace: Path, mode: str) -> None:
    async with agent_of(Person({"action": "reproduced"}), settings, workspace, mode) as agent:
        assert (await agent.call("wait_for_user", max_wait_s=30))["status"] == "no_events"


@ERAS
async def test_resolved_is_the_persons_word(settings: Settings, workspace: Path, mode: str) -> None:
    async with agent_of(Person({"action": "resolved"}), settings, workspace, mode) as agent:
        assert (await agent.call("wait_for_user", max_wait_s=30))["status"] == "resolved"
        assert (await agent.call("finish_debug_cleanup"))["finished"] is True


@ERAS
async def test_clear_empties_the_log_and_ends_nothing(settings: Settings, workspace: Path, mode: str) -> None:
    person = Person({"action": "clear"}, {"action": "resolved"})
    async with agent_of(person, settings, workspace, mode) as agent:
        session = only_session(settings, workspace)
        append(session, SEEN)
        statuses = [(await agent.call("wait_for_user", max_wait_s=30))["status"] for _ in range(2)]

    assert statuses[-1] == "resolved"
    assert len(person.asked) == 2
    assert runs.count_events(runs.read(session)[1]) == 0
    assert [press.action for press in actions.presses(session)] == ["clear", "resolved"]


@ERAS
@pytest.mark.parametrize("answer", ["decline", "cancel"])
async def test_a_person_who_refuses_is_not_asked_again_about_that_run(
    settings: Settings, workspace: Path, mode: str, answer: str
) -> None:
    person = Person(answer, {"action": "resolved"})
    async with agent_of(person, settings, workspace, mode) as agent:
        refused = [await agent.call("wait_for_user", max_wait_s=0.3) for _ in range(2)]
        asked = len(person.asked)
        await agent.call("publish_reproduction_steps", steps=["Open it again"])
        resolved = await agent.call("wait_for_user", max_wait_s=30)

    assert [each["status"] for each in refused] == ["pending", "pending"]
    assert asked == 1
    assert resolved["status"] == "resolved"


@ERAS
async def test_nobody_is_asked_where_a_panel_is_open_nothing_is_published_or_the_agent_only_looks(
    settings: Settings, workspace: Path, mode: str
) -> None:
    person = Person({"action": "resolved"})
    async with agent_of(person, settings, workspace, mode) as agent:
        panel = hold(only_session(settings, workspace).layout.panel_lock)
        await agent.call("wait_for_user", max_wait_s=0.3)
        panel.release()
        await agent.call("wait_for_user", max_wait_s=0)
        await agent.call("start_debug", session="other", new=True)
        await agent.call("wait_for_user", session="other", max_wait_s=0.3)

    assert person.asked == []


@ERAS
async def test_a_client_that_cannot_ask_waits_as_ever(settings: Settings, workspace: Path, mode: str) -> None:
    async with agent_of(None, settings, workspace, mode) as agent:
        assert (await agent.call("wait_for_user", max_wait_s=0.3))["status"] == "pending"


async def test_a_press_in_the_panel_wins_and_withdraws_the_question(settings: Settings, workspace: Path) -> None:
    person = Person()
    async with agent_of(person, settings, workspace, "legacy") as agent:
        session = only_session(settings, workspace)
        append(session, SEEN)
        waiting = asyncio.create_task(agent.call("wait_for_user", max_wait_s=30))
        await asyncio.wait_for(person.shown.wait(), GENEROUS)
        actions.press(session, "reproduced", "from the panel")
        waited = await waiting
        await asyncio.wait_for(person.withdrawn.wait(), GENEROUS)

    assert (waited["press"], waited["note"]) == (1, "from the panel")
    assert len(actions.presses(session)) == 1


async def test_where_a_question_ends_the_call_a_press_in_the_panel_wins_over_the_answer(
    settings: Settings, workspace: Path
) -> None:
    class Late(Person):
        async def __call__(self, context: Any, params: mcp.ElicitRequestParams) -> mcp.ElicitResult:
            actions.press(only_session(settings, workspace), "reproduced", "from the panel")
            return await super().__call__(context, params)

    async with agent_of(Late({"action": "resolved"}), settings, workspace, "2026-07-28") as agent:
        append(only_session(settings, workspace), SEEN)
        waited = await agent.call("wait_for_user", max_wait_s=30)

    assert (waited["status"], waited["press"], waited["note"]) == ("reproduced", 1, "from the panel")


async def test_a_wait_that_is_cancelled_takes_its_question_back(settings: Settings, workspace: Path) -> None:
    person = Person()
    async with agent_of(person, settings, workspace, "legacy") as agent:
        waiting = asyncio.create_task(agent.call("wait_for_user", max_wait_s=30))
        await asyncio.wait_for(person.shown.wait(), GENEROUS)
        waiting.cancel()
        await asyncio.wait_for(person.withdrawn.wait(), GENEROUS)

        assert actions.presses(only_session(settings, workspace)) == []


@ERAS
@pytest.mark.parametrize("content", [{}, {"action": "rm"}, {"action": 7, "note": []}])
async def test_an_answer_that_is_none_of_the_three_is_no_press(
    settings: Settings, workspace: Path, mode: str, content: dict[str, Any]
) -> None:
    person = Person(content)
    async with agent_of(person, settings, workspace, mode) as agent:
        assert (await agent.call("wait_for_user", max_wait_s=0.3))["status"] == "pending"
        assert actions.presses(only_session(settings, workspace)) == []
        assert len(person.asked) == 1
