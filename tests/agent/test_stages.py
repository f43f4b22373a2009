"""What each tool may do in each stage of the loop: the table of docs/loop.md, cell by cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from debugloop.agent.answers import SCHEMAS
from debugloop.session import actions
from debugloop.session.session import Session
from debugloop.settings import Settings
from tests.agent.mcp_client import SEEN, Agent, an_agent, append, only_session
from tests.support import ROOT

ARGUMENTS: dict[str, dict[str, Any]] = {
    "record_hypotheses": {"add": [{"text": "another cause"}]},
    "instrument": {"insert": [{"place": "cart.py:1"}]},
    "publish_reproduction_steps": {"steps": ["Open it"]},
    "wait_for_user": {"max_wait_s": 0},
}


def table() -> dict[str, dict[str, str]]:
    """Of each stage what becomes of each tool: ``yes`` or the code of the refusal."""
    lines = (ROOT / "docs/loop.md").read_text(encoding="utf-8").splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith("| tool | investigating"))
    stages = [cell.strip() for cell in lines[begin].split("|")[2:-1]]
    found: dict[str, dict[str, str]] = {stage: {} for stage in stages}
    for line in lines[begin + 2 : begin + 2 + len(SCHEMAS)]:
        tool, *cells = [cell.strip().strip("`") for cell in line.split("|")[1:-1]]
        for stage, cell in zip(stages, cells, strict=True):
            found[stage][tool] = cell
    return found


TABLE = table()


async def reach(stage: str, agent: Agent, session: Session) -> None:
    """Bring the session's loop to this stage, from its start."""
    if stage == "investigating":
        return
    await agent.call("publish_reproduction_steps", session="s", steps=["Open"])
    append(session, SEEN)
    if stage == "reproducing":
        return
    actions.press(session, "reproduced" if stage == "analysing" else "resolved")
    if stage == "resolved, not read":
        return
    await agent.call("wait_for_user", session="s", max_wait_s=0)
    if stage == "finished":
        assert (await agent.call("finish_debug_cleanup", session="s"))["finished"] is True


def test_the_table_has_every_tool_in_every_stage() -> None:
    assert {tuple(tools) for tools in TABLE.values()} == {tuple(SCHEMAS)}
    assert list(TABLE) == ["investigating", "reproducing", "analysing", "resolved, not read", "resolved", "finished"]


@pytest.mark.parametrize("stage", TABLE)
@pytest.mark.parametrize("tool", SCHEMAS)
async def test_a_tool_does_or_refuses_what_the_table_says(
    settings: Settings, workspace: Path, stage: str, tool: str
) -> None:
    (workspace / "cart.py").write_text("total = 1\n")
    async with an_agent(settings, workspace) as agent:
        await agent.call("start_debug", session="s")
        session = only_session(settings, workspace)
        await reach(stage, agent, session)
        if TABLE[stage][tool] == "yes":
            answer = await agent.call(tool, session="s", **ARGUMENTS.get(tool, {}))
            assert answer.get("refused", []) == []
            return
        if tool == "record_hypotheses":  # what it cannot take is told beside what it took
            [refused] = (await agent.call(tool, session="s", **ARGUMENTS[tool]))["refused"]
        else:
            refused = await agent.refused(tool, session="s", **ARGUMENTS.get(tool, {}))

    assert refused["error"] == TABLE[stage][tool]
    assert "`" in refused["message"], "it names the next right step"
