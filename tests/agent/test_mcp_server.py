"""The tools, prompts and resources as a client sees them: the official client, on a server in this process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError

from debugloop.agent.answers import SCHEMAS
from debugloop.agent.tools import most_wait
from debugloop.session import actions, endpoint
from debugloop.session.session import in_folder
from debugloop.settings import Settings
from tests.agent.mcp_client import SEEN, an_agent, append, only_session


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_both_eras_of_the_protocol_are_served(settings: Settings, workspace: Path, mode: str) -> None:
    async with an_agent(settings, workspace, mode) as agent:
        started = await agent.call("start_debug")

        assert started["history"] == "new"
        assert "`publish_reproduction_steps`" in started["workflow"]
        assert (await agent.call("start_debug"))["attached"] is True


async def test_every_tool_says_what_it_is_for_takes_and_gives(settings: Settings, workspace: Path) -> None:
    async with an_agent(settings, workspace) as agent:
        listed = (await agent.client.list_tools()).tools

    assert [tool.name for tool in listed] == list(SCHEMAS)
    for tool in listed:
        assert 40 < len(tool.description or "") < 300
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema == SCHEMAS[tool.name]


async def test_arguments_that_are_wrong_are_refused_with_what_to_mend(settings: Settings, workspace: Path) -> None:
    async with an_agent(settings, workspace) as agent:
        missing = await agent.refused("publish_reproduction_steps")
        unknown = await agent.refused("start_debug", host="0.0.0.0")  # noqa: S104 -- refused
        judged = await agent.refused("record_hypotheses", judge=[{"id": "H1", "verdict": "maybe"}])
        folder = await agent.refused("start_debug", allow_origins=["*"])

    assert missing["message"].startswith("The arguments of this call are wrong: steps: field required. Mend them")
    assert "it knows no host; it takes session, workspace, " in unknown["message"]
    assert "judge.0.verdict must be" in judged["message"]
    assert folder["error"] == "invalid_origin"
    assert in_folder(settings, workspace) == []


async def test_a_tool_before_the_start_names_the_tool_that_begins(settings: Settings, workspace: Path) -> None:
    async with an_agent(settings, workspace) as agent:
        for tool in ("instrument", "wait_for_user", "read_evidence", "remove_instrumentation", "finish_debug_cleanup"):
            refused = await agent.refused(tool)
            assert refused["error"] == "no_session"
            assert "`start_debug`" in refused["message"]


async def test_what_is_not_there_is_a_protocol_error(settings: Settings, workspace: Path) -> None:
    async with an_agent(settings, workspace) as agent:
        with pytest.raises(MCPError, match="There is no tool"):
            await agent.client.call_tool("rm", {})
        with pytest.raises(MCPError, match="There is no prompt"):
            await agent.client.get_prompt("rm")
        with pytest.raises(MCPError, match="There is no resource"):
            await agent.client.read_resource("debugloop://token")
        with pytest.raises(MCPError, match="`start_debug`"):
            await agent.client.read_resource("debugloop://log")


async def test_hypotheses_are_recorded_each_for_itself(settings: Settings, workspace: Path) -> None:
    async with an_agent(settings, workspace) as agent:
        await agent.call("start_debug")
        append(only_session(settings, workspace), SEEN)

        added = await agent.call("record_hypotheses", add=[{"text": "a"}, {"text": "b", "id": "H7"}])
        judged = await agent.call(
            "record_hypotheses",
            judge=[
                {"id": "H1", "verdict": "confirmed", "citations": ["0:1"]},
                {"id": "H9", "verdict": "rejected"},
                {"id": "H7", "verdict": "rejected", "citations": ["0:99"]},
            ],
        )

    assert [each["id"] for each in added["hypotheses"]] == ["H1", "H7"]
    assert [(each["verdict"], each["citations"]) for each in judged["hypotheses"]] == [
        ("confirmed", ["0:1"]),
        ("open", []),
    ]
    assert [(each["hypothesis"], each["error"]) for each in judged["refused"]] == [
        ("H9", "invalid_hypothesis"),
        ("H7", "invalid_citation"),
    ]


async def test_instrument_gives_the_next_free_markers_and_where_probes_stand(
    settings: Settings, workspace: Path
) -> None:
    async with an_agent(settings, workspace) as agent:
        started = await agent.call("start_debug")
        first = await agent.call("instrument")
        (workspace / "cart.py").write_text(f"# {first['begin']}\nprint(1)\n# {first['end']}\ntotal = 1\n")

        second = await agent.call("instrument")
        refused = await agent.refused("remove_instrumentation")
        removed = await agent.call("remove_instrumentation", edited=True)

    assert refused["error"] == "edited_probes"
    assert "-print(1)" in refused["message"]
    assert refused["message"].endswith("If nothing there is to stay: `remove_instrumentation` with `edited`.")
    assert first["begin"] == f"#region debugloop {started['session']}/1"
    assert (first["endpoint"], first["probes"]) == (started["endpoint"], [])
    assert second["begin"].endswith("/2")
    assert second["by_hand"] == [{"file": "cart.py", "probes": [f"{started['session']}/1"], "lines": [1]}]
    assert removed["removed"] == second["by_hand"]
    assert removed["leftovers"] == []
    assert (workspace / "cart.py").read_text() == "total = 1\n"


async def test_instrument_captures_what_goes_wrong_in_a_page_where_the_language_can(
    settings: Settings, workspace: Path
) -> None:
    (workspace / "app.js").write_text("run();\n")
    (workspace / "cart.py").write_text("total = 1\n")
    places = [
        {"place": "app.js:1", "capture": True},
        {"place": "cart.py:1", "capture": True},
        {"place": "app.js:1", "capture": True, "data": "run"},
    ]
    async with an_agent(settings, workspace) as agent:
        await agent.call("start_debug")
        done = await agent.call("instrument", insert=places)
        text = (workspace / "app.js").read_text()
        await agent.call("remove_instrumentation")

    assert [each["file"] for each in done["inserted"]] == ["app.js"]
    assert [each["error"] for each in done["refused"]] == ["invalid_capture"] * 2
    assert "unhandledrejection" in text
    assert (workspace / "app.js").read_text() == "run();\n"


async def test_instrument_puts_probes_in_each_for_itself_and_tells_what_was_heard(
    settings: Settings, workspace: Path
) -> None:
    code = "total = 1\nprint(total)\nrest = [\n    total,\n]\n"
    (workspace / "cart.py").write_text(code)
    wanted = {"place": "cart.py:2", "hypothesis": "H1", "message": "before print", "data": "total, type(total)"}
    async with an_agent(settings, workspace) as agent:
        await agent.call("start_debug")
        planned = await agent.call("instrument", insert=[wanted], dry_run=True)
        untouched = (workspace / "cart.py").read_text()
        done = await agent.call("instrument", insert=[wanted, {"place": "cart.py:4"}, {"place": "cart.py"}])
        subprocess.run([sys.executable, "cart.py"], cwd=workspace, check=True, capture_output=True)
        await agent.call("instrument", insert=[{"place": "cart.py:1", "hypothesis": "H2"}])
        snippet = (await agent.call("instrument", snippet="javascript"))["snippet"]
        listed = (await agent.call("instrument"))["probes"]
        digest = await agent.call("read_evidence")
        of_one = await agent.call("read_evidence", view="rows", probe=done["inserted"][0]["probe"])
        of_none = await agent.call("read_evidence", view="rows", probe="2")
        unknown = await agent.refused("instrument", snippet="klingon")
        removed = await agent.call("remove_instrumentation")

    assert untouched == code
    assert planned["inserted"][0] | {"dry_run": False} == done["inserted"][0]
    assert (done["inserted"][0]["file"], done["inserted"][0]["line"]) == ("cart.py", 2)
    assert [each["place"] for each in done["refused"]] == ["cart.py:4", "cart.py"]
    assert [each["error"] for each in done["refused"]] == ["no_place", "invalid_place"]
    assert [(each["hypothesis"], each["events"]) for each in listed] == [("H1", 1), ("H2", 0), (None, 0)]
    assert snippet["probe"] in snippet["text"]
    assert [each["probe"] for each in digest["never_fired"]] == [each["probe"] for each in listed[1:]]
    assert digest["never_fired"][0]["location"] == "cart.py:1"
    assert [each["record"]["message"] for each in of_one["rows"]] == ["before print"]
    assert of_none["rows"] == []
    assert "`debugloop" not in unknown["message"]
    assert removed["leftovers"] == []
    assert (workspace / "cart.py").read_text() == code


async def test_places_of_one_call_are_lines_of_the_files_as_they_stood_before_it(
    settings: Settings, workspace: Path
) -> None:
    (workspace / "cart.py").write_text("".join(f"v{n} = {n}\n" for n in range(1, 31)))
    (workspace / "cart.go").write_text("package main\n\nfunc main() {\n\ta := 1\n\tb := a\n\t_ = b\n}\n")
    before = {name: (workspace / name).read_text() for name in ("cart.py", "cart.go")}
    places = ["cart.py:3", "cart.go:5", "cart.py:20", "cart.go:6", "cart.py:10", "cart.py:20"]
    async with an_agent(settings, workspace) as agent:
        await agent.call("start_debug")
        await agent.call("instrument", insert=[{"place": "cart.py:2"}])
        moved = (workspace / "cart.py").read_text().splitlines().index("v2 = 2") - 1
        wanted = [place if place.startswith("cart.go") else f"cart.py:{int(place[8:]) + moved}" for place in places]
        done = await agent.call("instrument", insert=[{"place": place} for place in wanted])
        lines = {str(name): (workspace / name).read_text().splitlines() for name in before}
        await agent.call("remove_instrumentation")

    def stands_before(probe: str, file: str) -> str:
        end = next(n for n, line in enumerate(lines[file]) if line.endswith(f"#endregion debugloop {probe}"))
        return next(line for line in lines[file][end:] if line in before[file].splitlines())

    assert done["refused"] == []
    assert [stands_before(each["probe"], each["file"]) for each in done["inserted"]] == [
        *("v3 = 3", "\tb := a", "v20 = 20", "\t_ = b", "v10 = 10", "v20 = 20")
    ]
    for each in done["inserted"]:
        assert each["probe"] in lines[each["file"]][each["line"] - 1]
    located = {each["probe"]: each["location"] for each in done["probes"]}
    assert [located[each["probe"]] for each in done["inserted"]] == wanted
    assert {name: (workspace / name).read_text() for name in before} == before


async def test_what_is_left_keeps_the_session_open_and_is_listed(settings: Settings, workspace: Path) -> None:
    async with an_agent(settings, workspace) as agent:
        started = await agent.call("start_debug")
        await agent.call("publish_reproduction_steps", steps=["Open"])
        session = only_session(settings, workspace)
        (workspace / "app.py").write_text(f"url = '{started['endpoint']}'\n" * 300)
        actions.press(session, "resolved")
        await agent.call("wait_for_user", max_wait_s=0)

        left = await agent.call("finish_debug_cleanup")

    address = endpoint.load(session.layout)
    assert left["finished"] is False
    assert left["leftovers"][0]["file"] == "app.py"
    assert left["more"]["leftovers"] > 0 or len(left["leftovers"]) == 100
    assert address
    assert address.token not in json.dumps(left)


async def test_a_press_has_one_number_until_it_is_acknowledged(settings: Settings, workspace: Path) -> None:
    async with an_agent(settings, workspace) as agent:
        await agent.call("start_debug")
        await agent.call("publish_reproduction_steps", title="Wrong", steps=["Open"])
        session = only_session(settings, workspace)
        append(session, SEEN)
        actions.press(session, "reproduced", "105")

        answers = [await agent.call("wait_for_user", max_wait_s=0) for _ in range(3)]
        acknowledged = await agent.call("wait_for_user", max_wait_s=0, after=1)

    assert [(each["status"], each["press"], each["note"]) for each in answers] == [("reproduced", 1, "105")] * 3
    assert answers[0]["evidence"]["hypotheses"][0]["locations"][0]["location"] == "cart.py:3"
    assert "`after: 1` acknowledges" in answers[0]["next"]
    assert acknowledged["status"] == "pending"


async def test_after_several_waits_without_a_press_the_agent_is_told_to_end_its_turn(
    settings: Settings, workspace: Path
) -> None:
    async with an_agent(settings, workspace) as agent:
        await agent.call("start_debug")
        await agent.call("publish_reproduction_steps", steps=["Open"])

        said = [(await agent.call("wait_for_user", max_wait_s=0))["next"] for _ in range(3)]

    assert ["end your turn" in each for each in said] == [False, False, True]


async def test_a_wait_tells_how_it_goes(settings: Settings, workspace: Path) -> None:
    heard: list[str | None] = []

    async def seen(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    async with an_agent(settings, workspace) as agent:
        await agent.call("start_debug")
        append(only_session(settings, workspace), SEEN, {"message": "untagged"})
        await agent.client.call_tool("wait_for_user", {"max_wait_s": 0.5}, progress_callback=seen)

    assert heard[0] == "Waiting for the person; 2 events so far (H1: 1, no hypothesis: 1)."


async def test_the_prompts_hold_the_method_and_the_bug(settings: Settings, workspace: Path) -> None:
    async with an_agent(settings, workspace) as agent:
        listed = (await agent.client.list_prompts()).prompts
        debug = await agent.client.get_prompt("debug", {"problem": "the total is wrong"})
        finish = await agent.client.get_prompt("finish")

    assert [prompt.name for prompt in listed] == ["debug", "finish"]
    assert "the total is wrong" in debug.messages[0].model_dump_json()
    assert "Only the person can say Resolved." in debug.messages[0].model_dump_json()
    assert "`finish_debug_cleanup`" in finish.messages[0].model_dump_json()


async def test_the_resources_show_steps_ledger_and_log_and_acknowledge_nothing(
    settings: Settings, workspace: Path
) -> None:
    async with an_agent(settings, workspace) as agent:
        await agent.call("start_debug")
        await agent.call("record_hypotheses", add=[{"text": "a cause"}])
        await agent.call("publish_reproduction_steps", title="Wrong", steps=["Open"])
        session = only_session(settings, workspace)
        append(session, SEEN)
        actions.press(session, "reproduced")
        await agent.call("wait_for_user", max_wait_s=0)
        texts = [
            (await agent.client.read_resource(str(resource.uri))).contents[0].model_dump()["text"]
            for resource in (await agent.client.list_resources()).resources
        ]

        assert (await agent.call("wait_for_user", max_wait_s=0))["press"] == 1
    steps, ledger, log = map(json.loads, texts)
    assert steps["steps"]["steps"] == ["Open"]
    assert ledger["hypotheses"][0]["text"] == "a cause"
    assert [each["at"] for each in log["rows"]] == ["1:1", "1:2"]


async def test_two_agents_on_one_session_get_the_same_press(settings: Settings, workspace: Path) -> None:
    async with an_agent(settings, workspace) as one, an_agent(settings, workspace) as other:
        first = await one.call("start_debug")
        second = await other.call("start_debug")
        await one.call("publish_reproduction_steps", steps=["Open"])
        actions.press(only_session(settings, workspace), "reproduced")

        presses = [(await each.call("wait_for_user", max_wait_s=0))["press"] for each in (one, other, one)]
        await one.call("wait_for_user", max_wait_s=0, after=1)
        after = await other.call("wait_for_user", max_wait_s=0)

    assert (first["session"], first["endpoint"]) == (second["session"], second["endpoint"])
    assert presses == [1, 1, 1]
    assert after["status"] == "pending"


async def test_one_agent_keeps_two_sessions_apart(settings: Settings, workspace: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    async with an_agent(settings, workspace) as agent:
        await agent.call("start_debug", session="one")
        await agent.call("start_debug", session="two", new=True)
        await agent.call("start_debug", session="three", workspace=str(other))
        await agent.call("publish_reproduction_steps", session="one", workspace=str(workspace), steps=["Open one"])
        await agent.call("publish_reproduction_steps", session="two", steps=["Open two"])
        one, _ = in_folder(settings, workspace)
        actions.press(one, "reproduced")
        waited = {name: await agent.call("wait_for_user", session=name, max_wait_s=0) for name in ("one", "two")}
        several = await agent.refused("wait_for_user", max_wait_s=0)
        third = await agent.call("wait_for_user", workspace=str(other), max_wait_s=0)

    assert (waited["one"]["press"], waited["two"]["press"]) == (1, None)
    assert several["error"] == "several_sessions"
    assert third["session"] == "three"


@pytest.mark.parametrize(
    ("client", "seconds"),
    [
        ("claude-code", 110),
        ("codex-mcp-client", 240),
        ("gemini-cli-mcp-client", 540),
        ("Visual Studio Code", 50),
        ("", 50),
    ],
)
def test_a_wait_ends_before_the_host_gives_it_up(client: str, seconds: int) -> None:
    assert most_wait(client) == seconds
