"""What a running collector is told, and what it tells: redaction, flood control, refusals with their mending."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from debugloop.session import actions
from debugloop.session import session as sessions
from debugloop.settings import Settings
from tests.support import cli, until


def ask(home: Path, workspace: Path, *arguments: str) -> Any:
    done = cli(*arguments, "--json", home=home, cwd=workspace)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def post(url: str, body: bytes, **headers: str) -> int:
    request = urllib.request.Request(url, body, headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def last_line(started: Any) -> Any:
    return json.loads(Path(started["log"]).read_bytes().splitlines()[-1])


def test_redaction_and_flood_control_are_switched_while_the_collector_runs(home: Path, workspace: Path) -> None:
    started = ask(home, workspace, "start")
    secret = b'{"location":"a","password":"hunter2hunter2"}'
    assert post(started["endpoint"], secret) == 204
    assert last_line(started)["password"].startswith("[redacted:password len=14 #")
    assert ask(home, workspace, "start", "--no-redact", "--no-sampling")["endpoint"] == started["endpoint"]

    def stored_as_it_came() -> bool:
        assert post(started["endpoint"], secret) == 204
        return bool(last_line(started)["password"] == "hunter2hunter2")

    until(stored_as_it_came, what="obedience")
    status = ask(home, workspace, "status")
    assert (status["redact"], status["sampling"]) == (False, False)
    assert status["redacted"] >= 1
    assert "redaction is off" in cli("status", home=home, cwd=workspace).stdout
    ask(home, workspace, "start", "--redact", "--sampling")
    assert ask(home, workspace, "status")["redact"]
    assert "hunter2" not in cli("logs", "--json", home=home, cwd=workspace).stdout


def test_what_was_sampled_and_refused_is_told_with_its_mending(home: Path, workspace: Path) -> None:
    started = ask(home, workspace, "start")
    event = json.dumps({"location": "hot.js:1", "pad": "x" * 60_000}).encode()
    statuses = [post(started["endpoint"], event) for _ in range(60)]
    assert set(statuses) == {204, 202}
    assert post(started["endpoint"], b"{}", Origin="http://myapp.test:8080") == 403

    def told() -> Any:
        status = ask(home, workspace, "status")
        return status if status["sampled"] and status["rejected"] else None

    status = until(told, what="the counts")
    assert status["sampled"] == statuses.count(202)
    assert status["sampled_keys"] == {"hot.js:1": statuses.count(202)}
    assert status["rejected"] == {"origin_refused": 1}
    shown = cli("status", home=home, cwd=workspace).stdout
    assert "hot.js:1" in shown
    assert "--allow-origin http://myapp.test:8080" in shown
    actions.press(sessions.find(Settings(home=home), workspace), "reproduced")
    waited = json.loads(cli("wait", "--timeout", "0.1", "--json", home=home, cwd=workspace).stdout)
    assert waited["evidence"]["sampled"] == statuses.count(202)
    assert waited["evidence"]["mend"] == ["debugloop start --allow-origin http://myapp.test:8080"]
