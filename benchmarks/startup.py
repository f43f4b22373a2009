"""From nothing to the first accepted event: ``debugloop start``, beside a bare server that does the same unprotected.

``bare server`` is the least that aiohttp and orjson need to answer a POST; its figure is from the start of its process
to its first answer, with a client that tries to connect each millisecond. ``debugloop start`` begins without a
session, in an empty state directory, and ends when its collector has answered 204 to a first event. ``start again`` is
a second start, which attaches. Each figure is the median of ``--rounds`` rounds in milliseconds; in each round
everything runs once, in turn.

    python benchmarks/startup.py [--rounds 9]
"""

from __future__ import annotations

import argparse
import http.client
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import orjson

BARE = """
import sys
import orjson
from aiohttp import web

async def post(request):
    orjson.loads(await request.read())
    return web.Response(status=204)

app = web.Application()
app.router.add_post("/events", post)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
"""


class Trial:
    """Fresh folders for each start, and an environment in which nothing of the user's counts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.places: list[tuple[Path, dict[str, str]]] = []

    def python(self) -> None:
        subprocess.run([sys.executable, "-c", "pass"], check=True)

    def bare(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        server = subprocess.Popen([sys.executable, "-c", BARE, str(port)])
        try:
            while not accepts(port):
                time.sleep(0.001)
            post(f"http://127.0.0.1:{port}/events")
        finally:
            server.kill()
            server.wait()

    def start(self) -> None:
        place = self.folder / str(len(self.places))
        place.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("DEBUGLOOP_")}
        self.places.append((place, {**kept, "DEBUGLOOP_HOME": str(place / "home")}))
        post(self.debugloop("start"))

    def start_again(self) -> None:
        self.debugloop("start")

    def debugloop(self, verb: str) -> str:
        """Run a verb where the last start was; gives the endpoint it prints."""
        place, environment = self.places[-1]
        command = [sys.executable, "-m", "debugloop", verb, "--json"]
        done = subprocess.run(command, cwd=place, env=environment, check=True, capture_output=True)
        return str(orjson.loads(done.stdout).get("endpoint"))


def accepts(port: int) -> bool:
    """Whether somebody listens on a port of this machine."""
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def post(url: str) -> None:
    """Send one event, which must be accepted."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port or 0)
    connection.request("POST", address.path, b'{"message":"first"}')
    assert connection.getresponse().status == 204
    connection.close()


def main() -> None:
    """Run the rounds and print one line for each thing measured."""
    parser = argparse.ArgumentParser(description="From nothing to the first accepted event.")
    parser.add_argument("--rounds", type=int, default=9)
    rounds: int = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder))
        runs: dict[str, Callable[[], None]] = {
            "python, nothing": trial.python,
            "bare server": trial.bare,
            "debugloop start": trial.start,
            "start again": trial.start_again,
        }
        took: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(rounds):
            for name, run in runs.items():
                begun = time.perf_counter()
                run()
                took[name].append((time.perf_counter() - begun) * 1_000)
            trial.debugloop("stop")
    bare = statistics.median(took["bare server"])
    print(f"{'':<18}{'median':>8}{'best':>8}{'worst':>8}{'x bare':>8}   (ms, {rounds} rounds)")
    for name, times in took.items():
        median = statistics.median(times)
        print(f"{name:<18}{median:>8.0f}{min(times):>8.0f}{max(times):>8.0f}{median / bare:>8.2f}")


if __name__ == "__main__":
    main()
