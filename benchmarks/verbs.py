"""Cold starts: whole processes of the short verbs, beside a Python that does nothing, and a first accepted POST.

Every figure is the median of ``--rounds`` rounds, in milliseconds; in each round everything runs once, in turn, so
that a noisy moment hits all of it. ``wait`` finds a press that is there already. ``start`` begins without a session
and ends when its collector has answered 204 to a first event.

    python benchmarks/verbs.py [--rounds 25]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import orjson

from debugloop.session import actions
from debugloop.session.layout import Layout
from debugloop.session.session import Session
from debugloop.settings import Settings

DEBUGLOOP = [sys.executable, "-m", "debugloop"]


class Trial:
    """One workspace with a session whose run was pressed, and a folder for sessions that begin from nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("DEBUGLOOP_")},
            "DEBUGLOOP_HOME": str(folder / "home"),
        }
        self.starts = 0
        started = orjson.loads(self.run("start", "--json"))
        self.run("steps", "Open the page")
        with Path(started["log"]).open("a", encoding="utf-8") as log:
            log.write('{"hypothesisId": "H1", "location": "cart.js:12", "message": "add"}\n')
        self.session = Session(Layout(Path(started["directory"])), Settings.from_environment(self.environment))

    def run(self, *arguments: str) -> bytes:
        return subprocess.run(
            [*DEBUGLOOP, *arguments], cwd=self.workspace, env=self.environment, check=True, capture_output=True
        ).stdout

    def python(self) -> None:
        subprocess.run([sys.executable, "-c", "pass"], check=True, env=self.environment)

    def first_event(self) -> None:
        """From nothing to the first event on file, in a workspace and a state directory of its own."""
        self.starts += 1
        place = self.folder / f"start-{self.starts}"
        place.mkdir()
        environment = {**self.environment, "DEBUGLOOP_HOME": str(place / "home")}
        command = [*DEBUGLOOP, "start", "--json"]
        begun = subprocess.run(command, cwd=place, env=environment, check=True, capture_output=True)
        post = urllib.request.Request(
            orjson.loads(begun.stdout)["endpoint"], data=b'{"message":"first"}', method="POST"
        )
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(post) as answer:
            assert answer.status == 204

    def end(self) -> None:
        self.run("stop")
        for place in self.folder.glob("start-*"):
            environment = {**self.environment, "DEBUGLOOP_HOME": str(place / "home")}
            subprocess.run([*DEBUGLOOP, "stop"], cwd=place, env=environment, check=True, capture_output=True)


def measure(trial: Trial, rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each round."""
    tasks = {
        "python -c pass": trial.python,
        "debugloop --version": lambda: trial.run("--version"),
        "debugloop status": lambda: trial.run("status"),
        "debugloop wait": lambda: trial.run("wait", "--json"),
        "debugloop logs": lambda: trial.run("logs"),
        "debugloop start, from nothing to the first accepted POST": trial.first_event,
    }
    took: dict[str, list[float]] = {name: [] for name in tasks}
    for turn in range(rounds + 1):
        actions.press(trial.session, "reproduced")  # `logs` acknowledged the one before
        for name, task in tasks.items():
            begun = time.perf_counter()
            task()
            if turn:  # the first round fills caches
                took[name].append((time.perf_counter() - begun) * 1000)
    return took


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    rounds: int = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="debugloop-bench-") as folder:
        trial = Trial(Path(folder))
        try:
            took = measure(trial, rounds)
        finally:
            trial.end()
    print(f"{'whole process':<58} {'median':>8} {'best':>8}   ms, {rounds} rounds, Python {sys.version.split()[0]}")
    for name, each in took.items():
        print(f"{name:<58} {statistics.median(each):8.1f} {min(each):8.1f}")


if __name__ == "__main__":
    main()
