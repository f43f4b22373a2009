"""The agent's side: evidence of full logs, a press until it is read, the MCP server's first answer, and hooks.

A full log is 5 MiB of events of five hypotheses at twenty locations. ``logs`` is a whole process, as is ``jq`` doing
the same where it is installed; both write to a file. On a busy machine look at the figures as multiples of what was
measured beside them: orjson, jq and Python alone. A press is stored by another thread while ``wait`` polls.

    python benchmarks/agent.py [--rounds 15] [--processor]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from debugloop.agent import loop
from debugloop.agent.hosts.host import own_hook
from debugloop.evidence.compare import compare
from debugloop.evidence.digest import digest
from debugloop.ingest import daemon
from debugloop.session import actions, runs
from debugloop.session.records import Steps
from debugloop.settings import Settings

if TYPE_CHECKING:
    from debugloop.session.session import Session

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}


def fill(session: Session, shift: int, events: int = 10**6) -> None:
    """Fill the current run up to the cap, every value moved by ``shift`` at some of the locations."""
    room = session.settings.log_bytes - session.layout.log.stat().st_size
    lines: list[bytes] = []
    for number in range(events):
        place = number % 20
        line = orjson.dumps(
            {
                "hypothesisId": f"H{place % 5 + 1}",
                "location": f"src/cart/module{place}.ts:{place * 10}",
                "message": "price added to the total of the cart",
                "data": {"item": number, "total": number * 3 + (shift if place < 5 else 0), "currency": "EUR"},
                "timestamp": 1_700_000_000_000 + number + shift,
            },
            option=orjson.OPT_APPEND_NEWLINE,
        )
        if (room := room - len(line)) < 0:
            break
        lines.append(line)
    with session.layout.log.open("ab") as log:
        log.write(b"".join(lines))


CLOCK: dict[str, Callable[[], float]] = {"now": time.perf_counter}
"""What is measured: time, or with ``--processor`` what the processor spent."""


def rounds_of(task: Callable[[], object], rounds: int) -> list[float]:
    """Milliseconds of each round; one before them fills caches."""
    took: list[float] = []
    for _ in range(rounds + 1):
        begun = CLOCK["now"]()
        task()
        took.append((CLOCK["now"]() - begun) * 1000)
    return took[1:]


def spent() -> float:
    """Seconds of processor time that this process and those it has waited for have used."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, whose))


def show(name: str, took: list[float], note: str = "") -> None:
    ordered = sorted(took)
    late = ordered[int(len(ordered) * 0.95) - 1] if len(ordered) > 1 else ordered[0]
    print(f"{name:<62} {statistics.median(took):8.1f} {ordered[0]:8.1f} {late:8.1f}   {note}", flush=True)


def evidence(session: Session, rounds: int) -> None:
    loop.publish_steps(session, Steps(None, ("Open",)))
    fill(session, 0)
    loop.publish_steps(session, Steps(None, ("Open",)))
    fill(session, 7)
    (_, old), (run, new) = runs.read(session, 1), runs.read(session)
    answer = digest(new, run)
    size = f"{len(new):,} rows, answer {len(orjson.dumps(answer)):,} bytes"
    show("orjson alone, every line of that log", rounds_of(lambda: [orjson.loads(row.raw) for row in new], rounds))
    show("digest of a full log, its rows read", rounds_of(lambda: digest(new, run), rounds), size)
    show("the same, with reading the log", rounds_of(lambda: digest(runs.read(session)[1], run), rounds))
    compared = compare(old, 1, new, run)
    size = f"answer {len(orjson.dumps(compared)):,} bytes"
    show("compare of two full runs", rounds_of(lambda: compare(old, 1, new, run), rounds), size)


def whole_processes(session: Session, environment: dict[str, str], rounds: int) -> None:
    workspace = session.state().workspace
    with tempfile.TemporaryFile() as out:

        def run(*command: str) -> None:
            out.seek(0)
            subprocess.run(command, cwd=workspace, env=environment, stdout=out, check=True)

        ours = [sys.executable, "-m", "debugloop", "logs", "--hypothesis", "H3", "--json"]
        show("debugloop logs --hypothesis H3 --json, whole process", rounds_of(lambda: run(*ours), rounds))
        if jq := shutil.which("jq"):
            theirs = [jq, "-c", 'select(.hypothesisId == "H3")', str(session.layout.log)]
            show("jq doing the same, whole process", rounds_of(lambda: run(*theirs), rounds))


def presses(session: Session, rounds: int) -> None:
    loop.publish_steps(session, Steps(None, ("Open",)))
    fill(session, 0, events=200)
    took: list[float] = []
    after: int | None = None
    for _ in range(rounds + 1):
        pressed: list[float] = []

        def press(pressed: list[float] = pressed) -> None:
            actions.press(session, "reproduced")
            pressed.append(time.perf_counter())

        person = threading.Timer(0.3, press)
        person.start()
        waited = loop.wait(session, 30, after)
        read = time.perf_counter()
        person.join()
        assert waited.press
        after = waited.press.number
        took.append((read - pressed[0]) * 1000)
    show("a press until wait gives it, with the digest of 200 events", took[1:])


def greeting(environment: dict[str, str], folder: Path, rounds: int) -> None:
    def greet() -> None:
        with subprocess.Popen(
            [sys.executable, "-m", "debugloop", "mcp"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as server:
            assert server.stdin
            assert server.stdout
            server.stdin.write(json.dumps(HELLO).encode() + b"\n")
            server.stdin.flush()
            assert b'"serverInfo"' in server.stdout.readline()
            server.kill()

    show("debugloop mcp, from nothing to the answer to initialize", rounds_of(greet, rounds))


def hooks(session: Session, environment: dict[str, str], rounds: int) -> None:
    workspace = session.state().workspace
    probe = Path(workspace) / "cart.py"
    probe.write_text(f"# #region debugloop {session.id}/1\n# #endregion debugloop {session.id}/1\n")
    subprocess.run(["git", "init", "-q"], cwd=workspace, check=True)
    loop.publish_steps(session, Steps(None, ("Open",)))
    given = {"cwd": workspace, "tool_input": {"command": "git commit -am fix"}}
    for event, press in (("prompt", "reproduced"), ("stop", None), ("commit", None)):
        if press:
            actions.press(session, "reproduced")

        def run(event: str = event) -> None:
            ran = subprocess.run(
                own_hook("claude-code", event),
                input=json.dumps(given).encode(),
                env=environment,
                capture_output=True,
                check=True,
            )
            assert b"debugloop" in ran.stdout

        show(f"a hook that speaks ({event}), whole process", rounds_of(run, rounds))
    bare = [sys.executable, "-I", "-S", "-c", "pass"]
    show("Python alone, whole process", rounds_of(lambda: subprocess.run(bare, check=True), rounds))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--processor", action="store_true", help="processor time instead, for a busy machine")
    given = parser.parse_args()
    rounds: int = given.rounds
    if given.processor:
        CLOCK["now"] = spent
    with tempfile.TemporaryDirectory(prefix="debugloop-bench-") as name:
        folder = Path(name)
        (folder / "workspace").mkdir()
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("DEBUGLOOP_")},
            "DEBUGLOOP_HOME": str(folder / "home"),
        }
        settings = Settings.from_environment(environment)
        session = loop.start(settings, folder / "workspace", None, {}).session
        print(f"{'':<62} {'median':>8} {'best':>8} {'p95':>8}   ms, {rounds} rounds")
        try:
            evidence(session, rounds)
            whole_processes(session, environment, rounds)
            presses(session, rounds)
            greeting(environment, folder / "workspace", rounds)
            hooks(session, environment, rounds)
        finally:
            daemon.stop(session)


if __name__ == "__main__":
    main()
