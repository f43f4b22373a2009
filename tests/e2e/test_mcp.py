"""`debugloop mcp` as a process: the official client and a raw one, a person at a terminal, kills and restarts."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.overlay.terminal import PANEL, Tmux
from tests.person import at_terminal
from tests.support import GENEROUS, clean_environment, cli, until

SERVER = ["-m", "debugloop", "mcp"]
PROGRAM = "def total(prices):\n    return sum(prices) + prices[0]\n\nprint(total([10, 5]))\n"


class RawClient:
    """JSON-RPC on the pipes of a server, without any SDK."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.number = 0
        self.lines: list[bytes] = []
        self.rest = b""

    def send(self, method: str, params: dict[str, Any], number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message if number is None else message | {"id": number}).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, **params: Any) -> Any:
        self.number += 1
        self.send(method, params, self.number)
        while (answer := self.read()).get("id") != self.number:
            assert answer.get("method") == "notifications/progress"
        return answer

    def read(self) -> Any:
        """The next message; a line that is no JSON-RPC fails here."""
        assert self.process.stdout
        deadline = time.monotonic() + GENEROUS
        while b"\n" not in self.rest:
            assert select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0], "no answer"
            piece = os.read(self.process.stdout.fileno(), 65_536)
            assert piece, "the server is gone"
            self.rest += piece
        line, _, self.rest = self.rest.partition(b"\n")
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def hello(self, name: str = "raw") -> Any:
        answer = self.request(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": name, "version": "1"},
        )
        self.send("notifications/initialized", {})
        return answer["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        result = self.request("tools/call", name=tool, arguments=arguments)["result"]
        assert not result["isError"], result
        return result["structuredContent"]


@contextmanager
def raw(home: Path, folder: Path, *, hello: str | None = "raw", **more: str) -> Generator[RawClient]:
    with subprocess.Popen(
        [sys.executable, *SERVER],
        cwd=folder,
        env=clean_environment(home, **more),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        client = RawClient(process)
        try:
            if hello is not None:
                client.hello(hello)
            yield client
        finally:
            process.kill()


@asynccontextmanager
async def official(home: Path, folder: Path) -> AsyncGenerator[Client]:
    server = StdioServerParameters(command=sys.executable, args=SERVER, cwd=folder, env=clean_environment(home))
    async with Client(stdio_client(server)) as client:
        yield client


def person(home: Path, folder: Path, *arguments: str) -> None:
    ran = at_terminal(["press", *arguments], "y\n", home=home, cwd=folder)
    assert ran.code == 0, ran.screen


def probe(begin: str, end: str, log: str) -> str:
    return (
        f"    # {begin}\n    import json\n    with open({log!r}, 'a') as log:\n"
        "        log.write(json.dumps({'hypothesisId': 'H1', 'location': 'cart.py:2', 'data': "
        "{'prices': prices, 'sum': total_of(prices)}}) + '\\n')\n"
        f"    # {end}\n"
    )


def instrumented(given: dict[str, Any], wrong: str) -> str:
    text = probe(given["begin"], given["end"], given["log"]).replace("total_of(prices)", f"sum(prices){wrong}")
    return PROGRAM.replace(" + prices[0]", wrong).replace("    return", text + "    return")


def reproduce(program: Path) -> None:
    subprocess.run([sys.executable, str(program)], check=True, capture_output=True, timeout=GENEROUS)


async def test_the_whole_loop_works_by_the_official_client_and_a_person_at_the_panel(
    home: Path, workspace: Path
) -> None:
    program = workspace / "cart.py"
    program.write_text(PROGRAM)
    async with official(home, workspace) as client:

        async def call(tool: str, /, **arguments: Any) -> Any:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result.content
            return result.structured_content

        await call("start_debug")
        await call("record_hypotheses", add=[{"text": "the first price is added twice"}, {"text": "prices are text"}])
        given = await call("instrument")
        program.write_text(instrumented(given, " + prices[0]"))
        await call("publish_reproduction_steps", title="Wrong total", steps=["Run cart.py"])
        assert (await call("wait_for_user", max_wait_s=0))["panel"] == "closed"
        with Tmux([*PANEL, "--lang", "en"], home, workspace) as panel:
            panel.sees("Wrong total", "1. Run cart.py")
            reproduce(program)
            panel.sees("sum=25")
            panel.keys("r")
            pressed = await call("wait_for_user", max_wait_s=30)
            assert (pressed["status"], pressed["press"], pressed["panel"]) == ("reproduced", 1, "open")
            assert pressed["evidence"]["silent"] == ["H2"]
            await call("record_hypotheses", judge=[{"id": "H1", "verdict": "confirmed", "citations": ["1:2"]}])
            program.write_text(instrumented(given, ""))
            await call("publish_reproduction_steps", steps=["Run cart.py again"])
            panel.sees("1. Run cart.py again")
            reproduce(program)
            panel.sees("sum=15")
            panel.keys("R")
            panel.sees("y yes")
            panel.keys("y")
            resolved = await call("wait_for_user", max_wait_s=30)
        assert (resolved["status"], resolved["press"], resolved["verified"]) == ("resolved", 2, True)
        [value] = (await call("read_evidence", view="compare"))["changed"][0]["values"]
        assert (value["path"], value["before"], value["after"]) == ("data.sum", 25, 15)
        assert (await call("finish_debug_cleanup"))["finished"] is False
        assert (await call("remove_instrumentation", edited=True))["leftovers"] == []
        assert (await call("finish_debug_cleanup"))["finished"] is True

    assert program.read_text() == PROGRAM.replace(" + prices[0]", "")


@pytest.mark.slow
def test_the_whole_loop_works_by_json_rpc_with_a_new_server_for_each_step(home: Path, workspace: Path) -> None:
    # every server is killed once it has answered: nothing that a session needs was in it
    def call(tool: str, **arguments: Any) -> Any:
        with raw(home, workspace) as client:
            return client.call(tool, **arguments)

    log = Path(call("start_debug", session="s1")["log"])
    call("record_hypotheses", add=[{"text": "a cause"}])
    call("publish_reproduction_steps", steps=["Open"])
    with log.open("a") as file:
        file.write('{"hypothesisId": "H1", "message": "seen"}\n')
    person(home, workspace, "reproduced")
    assert [call("wait_for_user", max_wait_s=5)["press"] for _ in range(2)] == [1, 1]
    call("record_hypotheses", judge=[{"id": "H1", "verdict": "confirmed", "citations": ["1:2"]}])
    call("publish_reproduction_steps", steps=["Open"])
    person(home, workspace, "resolved")
    assert call("wait_for_user", max_wait_s=5)["next"].startswith("No event came in run 2 since the fix")
    assert call("finish_debug_cleanup")["finished"] is True


def test_stdout_carries_json_rpc_only_and_the_server_ends_with_stdin(home: Path, workspace: Path) -> None:
    with raw(home, workspace, hello="claude-code", PYTHONDEVMODE="1", PYTHONWARNINGS="always") as client:
        client.call("start_debug")
        for level in ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"):
            client.request("logging/setLevel", level=level)  # whether it is known or not
            assert client.call("read_evidence")["run"] == 0
        assert client.request("tools/call", name="nothing", arguments={})["error"]["code"] == -32602
        assert client.request("no/method")["error"]["code"] == -32601
        assert client.process.stdin
        client.process.stdin.write(b"no JSON\n")
        client.process.stdin.flush()
        client.call("instrument")
        client.process.stdin.close()

        assert client.process.wait(timeout=GENEROUS) == 0
        rest = client.process.stdout.read() if client.process.stdout else b""

    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in (client.rest + rest).splitlines())
    assert json.loads(cli("status", "--json", home=home, cwd=workspace).stdout)["collector"]["running"] is True


def test_a_wait_that_the_client_cancels_or_leaves_loses_no_press(home: Path, workspace: Path) -> None:
    def agent() -> str:
        status: str = json.loads(cli("status", "--json", home=home, cwd=workspace).stdout)["agent"]
        return status

    with raw(home, workspace) as client:
        client.call("start_debug")
        client.call("publish_reproduction_steps", steps=["Open"])
        waiting = {"name": "wait_for_user", "arguments": {}, "_meta": {"progressToken": "p"}}
        client.send("tools/call", waiting, 70)
        assert client.read()["params"]["message"] == "Waiting for the person; no event so far."
        until(lambda: agent() == "waiting", what="the agent's waiting")
        client.send("notifications/cancelled", {"requestId": 70, "reason": "timeout"})
        until(lambda: agent() == "working", what="the end of the wait")
        client.send("tools/call", waiting, 71)
        until(lambda: agent() == "waiting", what="the agent's waiting")
        client.process.kill()
        client.process.wait(timeout=GENEROUS)
    until(lambda: agent() == "working", what="the end of the wait")
    person(home, workspace, "resolved")

    with raw(home, workspace) as client:
        waited = client.call("wait_for_user")
    assert (waited["status"], waited["press"]) == ("resolved", 1)


@pytest.mark.slow
def test_clients_that_are_killed_leave_no_process_behind(home: Path, workspace: Path) -> None:
    def ours() -> list[str]:
        listed = subprocess.run(["ps", "-eo", "pid,args"], check=True, capture_output=True, text=True).stdout
        return [line for line in listed.splitlines() if "debugloop" in line and " mcp" in line and str(home) in line]

    servers: list[subprocess.Popen[bytes]] = []
    for turn in range(20):
        process = subprocess.Popen(
            [sys.executable, *SERVER, "--session", f"s{turn % 2}"],
            cwd=workspace,
            env=clean_environment(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        servers.append(process)
        assert process.stdin
        process.stdin.close()  # as the kernel does for a client that was killed
    codes = [process.wait(timeout=100) for process in servers]

    assert codes == [0] * 20
    assert ours() == []


def test_the_server_without_its_packages_says_what_to_install(home: Path, workspace: Path) -> None:
    hidden = "import sys; sys.modules['mcp'] = None; sys.argv = ['debugloop', 'mcp']; "
    ran = subprocess.run(
        [sys.executable, "-c", hidden + "from debugloop.cli import main; sys.exit(main())"],
        cwd=workspace,
        env=clean_environment(home),
        check=False,
        capture_output=True,
        text=True,
        timeout=GENEROUS,
    )

    assert (ran.returncode, ran.stdout) == (1, "")
    assert "pip install 'debugloop[mcp]'" in ran.stderr
