"""Nothing lost, torn, doubled or out of order: 64 writers over HTTP and by direct append, and kill -9 in between.

Each round starts a collector, lets 32 clients POST and 32 append, some of the events 8 KiB large, and kills the
collector in the middle. Then each event that was answered 204 must be on file once, whole, in the order of its
connection, and each appended line too. With ``--sampling`` the log is small enough for flood control to work, and an
event may also have been answered 202.

Linux ends a write at a page's end when its process is killed. So the event that is being written at that moment, which
has had no answer, can stand cut off, and a line that a program appends next stands behind it on the same line. Both
are counted by themselves.

    python benchmarks/integrity.py [--rounds 50] [--sampling]
"""

from __future__ import annotations

import argparse
import os
import random
import socket
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import orjson

from debugloop.ingest import daemon
from debugloop.session import collector_file, runs
from debugloop.session import session as sessions
from debugloop.session.endpoint import Endpoint  # noqa: TC001 -- a script starts no verb
from debugloop.settings import Settings

WRITERS = 64


@dataclass
class Told:
    """What one client was answered: event numbers by status."""

    stored: list[int] = field(default_factory=list[int])
    sampled: int = 0
    asked: int = 0


def event(writer: int, number: int) -> bytes:
    """One event of a writer; each 40th is 8 KiB large."""
    pad = "x" * (8_192 if number % 40 == 39 else 20)
    return orjson.dumps({"location": f"w{writer % 3}", "w": writer, "n": number, "pad": pad})


def post(known: Endpoint, writer: int, told: Told) -> None:
    """POST events over one connection until it breaks."""
    try:
        with socket.create_connection((known.host, known.port), timeout=20) as wire:
            for number in range(1_000_000):
                body = event(writer, number)
                head = f"POST {known.path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
                told.asked += 1
                wire.sendall(head.encode() + body)
                answer = wire.recv(4_096)
                if answer.startswith(b"HTTP/1.1 204"):
                    told.stored.append(number)
                elif answer.startswith(b"HTTP/1.1 202"):
                    told.sampled += 1
                else:
                    return
    except OSError:
        return


def append(log: Path, writer: int, told: Told, stop: threading.Event) -> None:
    """Append events as a program would, until told to stop."""
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND)
    number = 0
    while not stop.is_set():
        os.write(descriptor, event(writer, number) + b"\n")
        told.stored.append(number)
        number += 1
        time.sleep(0.002)
    os.close(descriptor)


def rest_of(line: bytes) -> dict[str, Any] | None:
    """The event that was appended behind one that is cut off."""
    _, start, event = line.rpartition(b'{"location":')
    try:
        return cast("dict[str, Any]", orjson.loads(start + event))
    except orjson.JSONDecodeError:
        return None


def trial(folder: Path, *, sampling: bool) -> Counter[str]:
    """One round: what went wrong, by kind, and how much there was."""
    home = folder / "home"
    cap = 3_000_000 if sampling else 1_000_000_000
    os.environ |= {"DEBUGLOOP_HOME": str(home), "DEBUGLOOP_LOG_BYTES": str(cap)}
    session = sessions.start(Settings.from_environment(), folder)
    known = daemon.ensure(session)
    pid = collector_file.load(session.layout).pid
    assert pid
    told = [Told() for _ in range(WRITERS)]
    stop = threading.Event()
    writers = [
        threading.Thread(target=post, args=(known, number, told[number]))
        if number % 2
        else threading.Thread(target=append, args=(session.layout.log, number, told[number], stop))
        for number in range(WRITERS)
    ]
    for each in writers:
        each.start()
    time.sleep(random.uniform(0.3, 2.0))
    os.kill(pid, 9)
    stop.set()
    for each in writers:
        each.join()
    found: dict[int, list[int]] = {number: [] for number in range(WRITERS)}
    wrong: Counter[str] = Counter()
    for row in runs.read(session)[1]:
        if row.malformed == "over_cap":
            continue
        if row.malformed:
            wrong["cut off"] += 1
            if (behind := rest_of(row.raw)) is not None:
                wrong["behind one cut off"] += 1
                found[behind["w"]].append(behind["n"])
            continue
        record = row.record()
        if record["pad"].strip("x"):
            wrong["torn"] += 1
        found[record["w"]].append(record["n"])
    wrong["torn"] += max(0, wrong["cut off"] - 1)  # a kill cuts one off
    over_cap = session.layout.log.stat().st_size > cap
    for number, client in enumerate(told):
        numbers = found[number]
        wrong["doubled"] += len(numbers) - len(set(numbers))
        wrong["out of order"] += numbers != sorted(numbers)
        if not over_cap:
            wrong["lost"] += len(set(client.stored) - set(numbers))
        wrong["events"] += len(client.stored)
        wrong["sampled"] += client.sampled
    return wrong


def main() -> None:
    """Run the rounds and print the sum; exit 1 if anything was lost, torn, doubled or out of order."""
    options = argparse.ArgumentParser(description="Nothing lost, torn, doubled or out of order.")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--sampling", action="store_true")
    arguments = options.parse_args()
    total: Counter[str] = Counter()
    for _ in range(arguments.rounds):
        with tempfile.TemporaryDirectory() as name:
            total.update(trial(Path(name), sampling=arguments.sampling))
    print(
        f"{arguments.rounds} rounds: {total['events']:,} events answered 204 or appended, {total['sampled']:,} sampled"
    )
    failures = {kind: total[kind] for kind in ("lost", "torn", "doubled", "out of order")}
    print(", ".join(f"{count} {kind}" for kind, count in failures.items()))
    print(
        f"{total['cut off']} cut off by the kill before any answer, {total['behind one cut off']} appended behind those"
    )
    raise SystemExit(1 if any(failures.values()) else 0)


if __name__ == "__main__":
    main()
