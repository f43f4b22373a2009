"""The loop between real processes: an agent with a shell, a person at a terminal, and programs that report."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from tests.person import at_terminal
from tests.support import clean_environment, cli, require, until


@dataclass(frozen=True)
class Agent:
    """An agent that has nothing but a shell in one folder."""

    home: Path
    folder: Path

    def run(self, *arguments: str, code: int = 0) -> Any:
        ran = cli(*arguments, "--json", home=self.home, cwd=self.folder)
        assert ran.returncode == code, ran.stderr or ran.stdout
        text = ran.stdout or ran.stderr
        return (
            [json.loads(line) for line in text.splitlines()] if arguments[0] == "logs" else json.loads(text or "null")
        )

    @contextmanager
    def waiting(self, *more: str) -> Generator[subprocess.Popen[str]]:
        """A `wait` in a process of its own, once it is seen to wait."""
        with subprocess.Popen(
            [sys.executable, "-m", "debugloop", "wait", "--json", "--timeout", "60", *more],
            cwd=self.folder,
            env=clean_environment(self.home),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            until(lambda: self.run("status")["agent"] == "waiting", what="the agent's waiting")
            yield process

    def person(self, *arguments: str) -> str:
        ran = at_terminal(arguments, "y\n", home=self.home, cwd=self.folder)
        assert ran.code == 0, ran.screen
        return ran.screen


def post(url: str, record: dict[str, Any]) -> None:
    request = Request(url, data=json.dumps(record).encode(), method="POST")
    with build_opener(ProxyHandler({})).open(request, timeout=30) as answer:
        assert answer.status == 204


@pytest.fixture
def agent(home: Path, workspace: Path) -> Agent:
    return Agent(home, workspace)


@pytest.fixture
def endpoint(agent: Agent) -> str:
    started = agent.run("start", "--session", "s1")
    agent.run("steps", "Open the cart")
    url: str = started["endpoint"]
    return url


def test_a_press_in_one_process_ends_the_wait_in_another(agent: Agent, endpoint: str) -> None:
    post(endpoint, {"hypothesisId": "H1", "message": "added"})
    with agent.waiting() as process:
        agent.person("press", "reproduced", "--note", "too much")
        out, _ = process.communicate(timeout=60)

    answer = json.loads(out)
    assert process.returncode == 0
    assert (answer["status"], answer["press"], answer["note"], answer["events"]) == ("reproduced", 1, "too much", 1)
    assert answer["evidence"]["hypotheses"][0]["id"] == "H1"


def test_a_wait_that_is_killed_while_it_waits_loses_nothing(agent: Agent, endpoint: str) -> None:
    with agent.waiting() as process:
        process.kill()
        process.wait(timeout=60)
        agent.person("press", "resolved")

        assert agent.run("status")["agent"] == "working"
        answers = [agent.run("wait", "--timeout", "0") for _ in range(2)]

    assert [(answer["status"], answer["press"]) for answer in answers] == [("resolved", 1)] * 2


@pytest.mark.parametrize("seed", range(4))
def test_a_wait_that_is_killed_at_any_moment_loses_nothing(agent: Agent, endpoint: str, seed: int) -> None:
    # from before its first import to after its answer: killed wherever it is, the press keeps its number
    agent.person("press", "resolved")
    chance = random.Random(seed)
    for _ in range(6):
        with subprocess.Popen(
            [sys.executable, "-m", "debugloop", "wait", "--json", "--timeout", "5"],
            cwd=agent.folder,
            env=clean_environment(agent.home),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            try:
                process.wait(timeout=chance.uniform(0.05, 0.4))
            except subprocess.TimeoutExpired:
                process.kill()
            out, said = process.communicate(timeout=60)
            assert said == b""
            assert not out or json.loads(out)["press"] == 1

    answer = agent.run("wait", "--timeout", "0")
    assert (answer["status"], answer["press"]) == ("resolved", 1)
    assert agent.run("wait", "--timeout", "0", "--after", "1", code=3)["status"] == "pending"


def test_a_client_that_times_out_and_asks_again_gets_the_press_once_it_comes(agent: Agent, endpoint: str) -> None:
    assert agent.run("wait", "--timeout", "0.2", code=3)["press"] is None
    with agent.waiting() as cancelled:
        cancelled.send_signal(signal.SIGTERM)
        cancelled.wait(timeout=60)
    assert agent.run("wait", "--timeout", "0.2", code=3)["status"] == "pending"
    with agent.waiting() as process:
        agent.person("press", "reproduced")
        out, _ = process.communicate(timeout=60)

    assert json.loads(out)["press"] == 1
    assert [agent.run("wait", "--timeout", "0")["press"] for _ in range(3)] == [1, 1, 1]


def test_the_evidence_of_one_run_is_never_that_of_the_next(agent: Agent, endpoint: str) -> None:
    post(endpoint, {"hypothesisId": "H1", "message": "old"})
    agent.person("press", "reproduced")
    assert agent.run("wait", "--timeout", "0")["run"] == 1
    agent.run("steps", "Open the cart again")
    post(endpoint, {"hypothesisId": "H1", "message": "new"})
    agent.person("press", "reproduced")

    answer = agent.run("wait", "--timeout", "0")

    assert (answer["run"], answer["press"], answer["events"]) == (2, 2, 1)
    assert "old" not in json.dumps(answer["evidence"])
    assert [row["record"]["message"] for row in agent.run("logs")[1:]] == ["new"]
    assert [row["record"]["message"] for row in agent.run("logs", "--run", "1")[1:]] == ["old"]


def test_finish_is_refused_before_the_person_has_resolved(agent: Agent, endpoint: str) -> None:
    post(endpoint, {"message": "a"})

    assert agent.run("finish", code=1)["error"] == "not_resolved"
    agent.person("press", "reproduced")
    refused = agent.run("finish", code=1)
    assert refused["error"] == "not_resolved"
    assert "Reproduced" in refused["message"]
    assert agent.run("status")["mode"] == "debug"
    post(endpoint, {"message": "still served"})


def test_two_workspaces_at_once_share_nothing(home: Path, tmp_path: Path) -> None:
    require("git")
    main = tmp_path / "main"
    main.mkdir()
    run = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*run, "init", "-q"], cwd=main, check=True)
    subprocess.run([*run, "commit", "-q", "--allow-empty", "-m", "first"], cwd=main, check=True)
    subprocess.run([*run, "worktree", "add", "-q", str(tmp_path / "tree")], cwd=main, check=True)
    (tmp_path / "other").mkdir()
    agents = [Agent(home, tmp_path / name) for name in ("main", "tree", "other")]

    started = [each.run("start") for each in agents]
    for each in agents:
        each.run("steps", f"Open {each.folder.name}")
    for each, session in zip(agents, started, strict=True):
        post(session["endpoint"], {"message": each.folder.name})
    with agents[0].waiting() as waiting:
        agents[1].person("press", "resolved")
        assert agents[1].run("wait", "--timeout", "0")["status"] == "resolved"
        assert agents[2].run("wait", "--timeout", "0", code=3)["status"] == "pending"
        assert agents[0].run("status")["agent"] == "waiting"
        agents[0].person("press", "reproduced")
        out, _ = waiting.communicate(timeout=60)

    assert json.loads(out)["status"] == "reproduced"
    assert len({session["endpoint"] for session in started} | {session["directory"] for session in started}) == 6
    for each in agents:
        assert [row["record"]["message"] for row in each.run("logs")[1:]] == [each.folder.name]
    agents[1].run("finish")
    assert [each.run("status")["collector"]["running"] for each in (agents[0], agents[2])] == [True, True]


def test_a_second_agent_in_the_same_folder_attaches(agent: Agent, endpoint: str) -> None:
    again = Agent(agent.home, agent.folder).run("start")

    assert (again["session"], again["endpoint"], again["attached"]) == ("s1", endpoint, True)


def test_after_a_crash_with_probes_in_the_code_the_same_address_works_again(agent: Agent, endpoint: str) -> None:
    collector = json.loads(next(agent.home.glob("sessions/*/*/collector.json")).read_bytes())
    os.kill(collector["pid"], signal.SIGKILL)
    until(lambda: not agent.run("status")["collector"]["running"], what="the end of the collector")

    assert agent.run("start")["endpoint"] == endpoint
    post(endpoint, {"message": "after the crash"})


def test_the_whole_loop_works_by_the_command_line_alone(agent: Agent) -> None:
    program = agent.folder / "cart.py"
    program.write_text("def total(prices):\n    return sum(prices) + prices[0]\n\nprint(total([10, 5]))\n")
    clean = program.read_text()

    started = agent.run("start")
    agent.run("hypothesis", "add", "the first price is added twice")
    agent.run("hypothesis", "add", "the prices come as text")
    begin, end = (f"# #{word}region debugloop {started['session']}/1" for word in ("", "end"))
    probe = (
        f"    {begin}\n    import json\n    with open({started['log']!r}, 'a') as log:\n"
        "        log.write(json.dumps({'hypothesisId': 'H1', 'location': 'cart.py:2', 'data': "
        "{'prices': prices, 'sum': sum(prices) + PLUS}}) + '\\n')\n"
        f"    {end}\n"
    )
    program.write_text(clean.replace("    return", probe.replace("PLUS", "prices[0]") + "    return"))
    agent.run("steps", "--title", "Wrong total", "Run cart.py", "Look at the total")
    assert agent.run("wait", "--timeout", "0", code=3)["status"] == "pending"
    subprocess.run([sys.executable, str(program)], check=True, capture_output=True)
    agent.person("press", "reproduced", "--note", "25 where 15 was due")

    answer = agent.run("wait", "--timeout", "30")
    assert (answer["status"], answer["note"]) == ("reproduced", "25 where 15 was due")
    assert answer["evidence"]["silent"] == ["H2"]
    row = agent.run("logs", "--hypothesis", "H1")[0]
    assert row["record"]["data"] == {"prices": [10, 5], "sum": 25}
    agent.run("hypothesis", "set", "H1", "confirmed", "--cite", f"{row['run']}:{row['line']}")
    agent.run("hypothesis", "set", "H2", "rejected", "--cite", f"{row['run']}:{row['line']}")

    fixed = program.read_text().replace("return sum(prices) + prices[0]", "return sum(prices)")
    program.write_text(fixed.replace("sum(prices) + prices[0]}", "sum(prices)}"))
    agent.run("steps", "Run cart.py", "Look at the total")
    subprocess.run([sys.executable, str(program)], check=True, capture_output=True)
    agent.person("press", "resolved")
    resolved = agent.run("wait", "--timeout", "30")
    assert (resolved["status"], resolved["run"], resolved["events"], resolved["verified"]) == ("resolved", 2, 1, True)

    left = agent.run("finish", code=4)
    assert {(each["file"], each["line"], each["kind"]) for each in left["leftovers"]} >= {("cart.py", 2, "marker")}
    assert agent.run("scan", code=4)["leftovers"]
    agent.run("strip", "--edited")
    assert program.read_text() == clean.replace(" + prices[0]", "")
    assert agent.run("scan")["leftovers"] == []

    finished = agent.run("finish")
    assert (finished["finished"], finished["verified"], finished["leftovers"]) == (True, True, [])
    assert agent.run("status", code=1)["error"] == "no_session"
    closing = json.loads((Path(started["directory"]) / "closing.json").read_bytes())
    assert [(each["id"], each["verdict"]) for each in closing["hypotheses"]] == [
        ("H1", "confirmed"),
        ("H2", "rejected"),
    ]
    assert closing["hypotheses"][0]["citations"][0]["row"]["data"]["sum"] == 25
