from __future__ import annotations

import asyncio
import http.client
import os
import select
import signal
import socket
import sys

import orjson
import pytest

from debugloop.ingest import daemon
from debugloop.session import collector_file, runs
from debugloop.session.endpoint import Endpoint
from debugloop.session.journal import Journal
from debugloop.session.session import Session
from tests.e2e.collectors import ended, holding, messages, pid_of, post, started_by
from tests.support import until

pytestmark = pytest.mark.usefixtures("stopped")


@pytest.mark.usefixtures("unmeasured")
def test_a_full_disk_is_500_without_a_torn_line_and_recovers(session: Session) -> None:
    # Python keeps a cut-off cache of a module as if it were whole
    limit = "import os; os.environ['PYTHONDONTWRITEBYTECODE'] = '1'\n"
    limit += "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
    assert started_by(session, limit + "daemon.ensure(session)").stderr == ""
    known = daemon.ensure(session)
    body = b'{"m":"' + b"x" * 3_000 + b'"}'
    stored = 0
    while (status := post(known, body)) == 204:
        stored += 1
    assert status == 500
    rows = runs.read(session)[1]
    assert [row.malformed for row in rows] == [None] * stored
    Journal(session).clear()
    assert post(known, body) == 204
    until(lambda: collector_file.load(session.layout).rejected == {"write_failed": 1})


def test_a_stopped_process_that_holds_the_lock_holds_up_events_alone_and_not_for_ever(session: Session) -> None:
    known = daemon.ensure(session)
    assert [post(known, b'{"m":1}') for _ in range(2)] == [204, 204]
    hold = "from debugloop.session.locks import hold\nlock = hold(session.layout.journal_lock)\n"
    with holding(session, hold) as holder:
        os.kill(holder.pid, signal.SIGSTOP)
        with socket.create_connection((known.host, known.port), timeout=60) as event:
            head = f"POST {known.path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 7\r\n\r\n"
            event.sendall(head.encode() + b'{"m":2}')
            for _ in range(20):
                other = http.client.HTTPConnection(known.host, known.port, timeout=60)
                other.request("OPTIONS", "/")
                assert other.getresponse().status == 204
                other.close()
            assert select.select((event,), (), (), 0)[0] == []  # nothing is said to the event meanwhile
            assert event.recv(4_096).startswith(b"HTTP/1.1 500 ")
    assert post(known, b'{"m":3}') == 204
    assert messages(session) == [1, 1, 3]
    until(lambda: collector_file.load(session.layout).rejected == {"write_failed": 1})


async def test_every_204_is_on_file_whole_and_once_when_it_is_killed_under_load(session: Session) -> None:
    for _ in range(3):
        known = await asyncio.to_thread(daemon.ensure, session)
        confirmed: list[str] = []

        async def write(writer_id: str, known: Endpoint = known, confirmed: list[str] = confirmed) -> None:
            reader, writer = await asyncio.open_connection(known.host, known.port)
            for number in range(100_000):
                name = f"{writer_id}-{number}"
                body = orjson.dumps({"m": name, "fill": "x" * (8_000 if number % 7 == 0 else 20)})
                head = f"POST {known.path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
                writer.write(head + body)
                try:
                    status = await reader.readuntil(b"\r\n\r\n")
                except (asyncio.IncompleteReadError, ConnectionError):
                    break
                if not status.startswith(b"HTTP/1.1 204"):
                    break
                confirmed.append(name)
            writer.close()

        pid = pid_of(session)
        tasks = [asyncio.create_task(write(f"{pid}-{number}")) for number in range(16)]
        while len(confirmed) < 300:
            await asyncio.sleep(0)
        os.kill(pid, signal.SIGKILL)
        await asyncio.gather(*tasks)
        until(lambda: ended(session))
        rows = runs.read(session)[1]
        assert [row.malformed for row in rows if row.malformed] == []
        found = [str(row.record()["m"]) for row in rows]
        assert len(set(found)) == len(found)
        assert set(confirmed) <= set(found)
        for writer_id in {name.rpartition("-")[0] for name in confirmed}:
            numbers = [int(name.rpartition("-")[2]) for name in found if name.startswith(writer_id + "-")]
            assert numbers == sorted(numbers)
        os.truncate(session.layout.log, 0)


async def test_64_writers_over_http_and_by_append_lose_and_tear_nothing(session: Session) -> None:
    known = await asyncio.to_thread(daemon.ensure, session)

    def line(writer: int, number: int) -> bytes:
        fill = 5_000 if (writer + number) % 50 == 0 else 30
        return orjson.dumps({"m": f"{writer}-{number}", "fill": "x" * fill})

    async def post_all(writer_id: int) -> None:
        reader, writer = await asyncio.open_connection(known.host, known.port)
        for number in range(200):
            body = line(writer_id, number)
            head = f"POST {known.path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            writer.write(head + body)
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 204")
        writer.close()

    code = (
        "descriptor = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)\n"
        "import json\n"
        "for number in range(200):\n"
        "    for writer in map(int, sys.argv[2:]):\n"
        "        fill = 5_000 if (writer + number) % 50 == 0 else 30\n"
        "        text = json.dumps({'m': f'{writer}-{number}', 'fill': 'x' * fill})\n"
        "        os.write(descriptor, text.encode() + b'\\n')\n"
    )
    appenders = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", "import os, sys\n" + code, str(session.layout.log), *map(str, range(first, first + 8))
        )
        for first in (0, 8, 16, 24)
    ]
    await asyncio.gather(*(post_all(writer) for writer in range(32, 64)), *(each.wait() for each in appenders))
    assert [each.returncode for each in appenders] == [0] * 4
    rows = runs.read(session)[1]
    assert [row.text for row in rows if row.malformed] == []
    found = [str(row.record()["m"]) for row in rows]
    assert sorted(found) == sorted(f"{writer}-{number}" for writer in range(64) for number in range(200))
