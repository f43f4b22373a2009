"""The collector against peers, side by side in one run: requests a second that ended on file, memory, and integrity.

Every figure is the median of ``--rounds`` rounds; in each round every server is a fresh process, and the servers
take turns, so that a noisy moment hits all of them. Only lines that are in the file afterwards count. The cap is
raised and locations are spread, so that nothing is full and nothing is sampled; but for the last load, where one
location fills a log of the usual size, and every answer counts.

Needs wrk, and of the peers node and nginx with its echo module; one that is not there is left out. On Debian:
``apt-get install wrk nodejs nginx-light libnginx-mod-http-echo``.

    python benchmarks/collector.py [--rounds 5] [--seconds 2] [--only LOAD]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
CAP = 8_000_000_000

SCRIPT = """
local bodies = {}
math.randomseed(7)
for number = 1, 512 do
  local size = %(low)d + math.floor((%(high)d - %(low)d) * math.random())
  local head = '{"hypothesisId":"H1","location":"file%%d.js:1","message":"value","timestamp":1,"data":"'
  head = string.format(head, %(location)s)
  bodies[number] = head .. string.rep("x", math.max(0, size - #head - 2)) .. '"}'
end
local requests, next = {}, 0
init = function()
  for number = 1, #bodies do
    requests[number] = wrk.format("POST", nil, {["Content-Type"] = "application/json"%(more)s}, bodies[number])
  end
end
request = function()
  next = next %% #requests + 1
  return requests[next]
end
"""


PEERS = ("debugloop", "tidy aiohttp", "node", "nginx")


@dataclass(frozen=True)
class Load:
    """What wrk sends to which servers: bodies of ``low`` to ``high`` bytes over ``connections``.

    ``flood``: all from one location; the answers are counted, not what is stored.
    """

    name: str
    connections: int
    low: int
    high: int
    close: bool = False
    flood: bool = False
    servers: tuple[str, ...] = PEERS

    def script(self) -> str:
        more = ', ["Connection"] = "close"' if self.close else ""
        location = "1" if self.flood else "number"
        return SCRIPT % {"low": self.low, "high": self.high, "more": more, "location": location}


LOADS = (
    Load("200 B, 8 connections", 8, 200, 200),
    Load("200 B, 64 connections", 64, 200, 200),
    Load("200 B to 2.4 KiB, 8 connections", 8, 200, 2_400),
    Load("32 KiB, 8 connections", 8, 32_768, 32_768),
    Load("a new connection each, 8 at a time", 8, 200, 200, close=True),
    Load("200 B, 1 connection", 1, 200, 200),
    Load("redaction and flood control", 8, 200, 200, servers=("debugloop", "debugloop without")),
    Load("a flood at the real cap", 8, 200, 200, flood=True, servers=("debugloop as it is", "tidy aiohttp")),
)


@dataclass
class Served:
    """A server that runs: where to POST, its process, and the file that its events end up in."""

    url: str
    pid: int
    log: Path


@dataclass
class Result:
    """One round of one server."""

    per_second: float
    p99_ms: float
    idle_kib: int
    loaded_kib: int


@dataclass
class Server:
    """A way to run one server."""

    name: str
    needs: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict[str, str])

    def missing(self) -> str | None:
        return next((tool for tool in self.needs if shutil.which(tool) is None), None)

    @contextlib.contextmanager
    def serve(self, folder: Path) -> Generator[Served]:
        """Run until the block ends."""
        if self.name.startswith("debugloop"):
            yield from self._debugloop(folder)
            return
        port, log = free_port(), folder / "log"
        if self.name == "nginx":
            text = (HERE / "peers" / "nginx.conf").read_text()
            for word, value in (("PORT", str(port)), ("LOG", str(log)), ("FOLDER", str(folder))):
                text = text.replace(word, value)
            (folder / "nginx.conf").write_text(text)
            command = ["nginx", "-c", str(folder / "nginx.conf"), "-p", str(folder)]
        elif self.name == "node":
            command = ["node", str(HERE / "peers" / "node_server.js"), str(port), str(log)]
        else:
            command = [sys.executable, str(HERE / "peers" / "tidy_aiohttp.py"), str(port), str(log)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(port)
            yield Served(f"http://127.0.0.1:{port}/debug/token", process.pid, log)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()

    def _debugloop(self, folder: Path) -> Iterator[Served]:
        environment = {**os.environ, "DEBUGLOOP_HOME": str(folder / "home"), **self.environment}
        started = subprocess.run(
            [sys.executable, "-m", "debugloop", "start", "--json", *self.flags],
            cwd=folder,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        endpoint = re.search(r'"endpoint":\s*"([^"]+)"', started.stdout)
        log = re.search(r'"log":\s*"([^"]+)"', started.stdout)
        assert endpoint
        assert log
        pid = re.search(r'"pid":\s*(\d+)', Path(log[1]).with_name("collector.json").read_text())
        assert pid
        with urllib.request.urlopen(endpoint[1], b"{}"):  # it is ready before all is imported
            pass
        try:
            yield Served(endpoint[1], int(pid[1]), Path(log[1]))
        finally:
            command = [sys.executable, "-m", "debugloop", "stop"]
            subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)


RAISED = {"DEBUGLOOP_LOG_BYTES": str(CAP)}
SERVERS = (
    Server("debugloop", environment=RAISED),
    Server("debugloop without", flags=("--no-redact", "--no-sampling"), environment=RAISED),
    Server("debugloop as it is"),
    Server("tidy aiohttp"),
    Server("node", ("node",)),
    Server("nginx", ("nginx",)),
)


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def wait_for(port: int) -> None:
    """Until something accepts on the port, at most 20 s."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.01)
    raise TimeoutError(port)


def lines_in(path: Path) -> int:
    """Line feeds in a file."""
    count = 0
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            count += chunk.count(b"\n")
    return count


def resident(pid: int) -> int:
    """KiB of a process, with its workers."""
    total = 0
    children = Path(f"/proc/{pid}/task/{pid}/children")
    for one in (pid, *map(int, children.read_text().split())):
        status = Path(f"/proc/{one}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+)", status)
        total += int(found[1]) if found else 0
    return total


def measure(server: Server, load: Load, seconds: int) -> Result:
    """One round: a fresh process, one burst of wrk, and what is in the file afterwards."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = folder / "load.lua"
        script.write_text(load.script())
        with server.serve(folder) as served:
            idle = resident(served.pid)
            before = lines_in(served.log) if served.log.exists() else 0
            command = [
                "wrk",
                "-t1",
                f"-c{load.connections}",
                f"-d{seconds}s",
                "--latency",
                "-s",
                str(script),
                served.url,
            ]
            start = time.monotonic()
            wrk = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            peak = idle
            while wrk.poll() is None:
                peak = max(peak, resident(served.pid))
                time.sleep(0.2)
            spent = time.monotonic() - start
            output = wrk.communicate()[0]
            assert "Non-2xx" not in output, output
            counted = lines_in(served.log) - before
            if load.flood:
                told = re.search(r"(\d+) requests in", output)
                assert told, output
                counted = int(told[1])
        p99 = re.search(r"99%\s+([\d.]+)(us|ms|s)", output)
        assert p99, output
        milliseconds = float(p99[1]) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[p99[2]]
        return Result(counted / spent, milliseconds, idle, peak)


def main() -> None:
    """Measure and print a table for each load."""
    options = argparse.ArgumentParser(description="The collector against peers.")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seconds", type=int, default=2)
    options.add_argument("--only", default="")
    arguments = options.parse_args()
    if shutil.which("wrk") is None:
        raise SystemExit("wrk is not installed: apt-get install wrk")
    for load in LOADS:
        if arguments.only not in load.name:
            continue
        servers = [server for server in SERVERS if server.name in load.servers and not server.missing()]
        results: dict[str, list[Result]] = {server.name: [] for server in servers}
        for _ in range(arguments.rounds):
            for server in servers:
                results[server.name].append(measure(server, load, arguments.seconds))
        ours = median(results[load.servers[0]], "per_second")
        print(f"\n{load.name}")
        for name, rounds in results.items():
            speed = median(rounds, "per_second")
            print(
                f"  {name:18} {speed:9,.0f}/s   debugloop is {ours / speed:5.2f} x   "
                f"p99 {median(rounds, 'p99_ms'):7.2f} ms   "
                f"memory {median(rounds, 'idle_kib') / 1024:5.1f} / {median(rounds, 'loaded_kib') / 1024:5.1f} MiB",
                flush=True,
            )


def median(rounds: list[Result], name: str) -> float:
    """The median of one figure."""
    return statistics.median(float(getattr(each, name)) for each in rounds)


if __name__ == "__main__":
    main()
