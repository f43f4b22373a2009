"""The short way and the ordinary way are one: for any requests, cut anywhere, the same answers and the same file."""

from __future__ import annotations

import asyncio
import dataclasses
import gzip
import itertools
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import orjson
import pytest
from hypothesis import example, given
from hypothesis import settings as trial
from hypothesis import strategies as st

from debugloop.ingest.loop import run
from debugloop.ingest.server import Collector
from debugloop.session import endpoint
from debugloop.session import session as sessions
from debugloop.session.collector_file import CollectorFile
from debugloop.session.endpoint import Endpoint
from debugloop.session.journal import Journal
from debugloop.session.records import Steps
from debugloop.session.session import Session
from debugloop.settings import Settings
from tests.ingest.house import PAGE, House, Open

Stream: TypeAlias = list[bytes]

TOKEN = "5e" * 32
PATH = f"/debug/{TOKEN}"
CAP = 6_000
TURNS = 4
_TIMES = re.compile(rb'Date: [^\r]*|"observed":"[^"]*"|"timestamp":1[0-9]{12}')

HEADS = (
    "Host: localhost\r\n",
    f"Host: localhost\r\nOrigin: {PAGE}\r\nContent-Type: application/json\r\n",
    f"Host: localhost\r\nOrigin: {PAGE}\r\ntraceparent: 00-1-2-03\r\n",
    "host: 127.0.0.1:9\r\nConnection: keep-alive\r\n",
    "Host: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nUser-Agent: x\r\n",
    "Host: localhost\r\nOrigin: http://evil.example\r\n",
    "Host: evil.example\r\n",
    "Host: localhost\r\nUpgrade: websocket\r\nConnection: upgrade\r\n",
    "Host: localhost\r\nContent-Encoding: br\r\n",
)
BODIES = (
    b'{"location":"a.js:1","message":"x"}',
    b'{"location":"a.js:1","message":"x"}',
    b'{"location":"b.js:2","n":1.10,"pad":"' + b"x" * 300 + b'"}',
    b'{"password":"hunter2hunter2","_":{"mine":1}}',
    b'{"timestamp":5}\n',
    b'[{"a":1},{"b":2}]',
    b'{"a":1}\n{"b":2}',
    b'{"a":NaN}',
    b'{"a":',
    b"plain text",
    b"",
    b"[" * 200,
    b'{"type":"reproduction_steps","steps":["again"]}',
    b'{"m":"' + b"y" * 7_000 + b'"}',
)


def plain(head: str, body: bytes, *, method: str = "POST", path: str = PATH, version: str = "1.1") -> bytes:
    return f"{method} {path} HTTP/{version}\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def chunked(body: bytes) -> bytes:
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:9], body[9:]) if part)
    return (
        f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        + chunks
        + b"0\r\n\r\n"
    )


def packed(body: bytes) -> bytes:
    return plain("Host: localhost\r\nContent-Encoding: gzip\r\n", gzip.compress(body, mtime=0))


bodies = st.sampled_from(BODIES)
requests = st.one_of(
    st.builds(plain, st.sampled_from(HEADS[:5]), bodies),
    st.builds(plain, st.sampled_from(HEADS[:2]), st.sampled_from(BODIES[:3])),
    st.builds(plain, st.sampled_from(HEADS), bodies),
    st.builds(chunked, bodies),
    st.builds(packed, bodies),
    st.builds(plain, st.just("Host: localhost\r\nConnection: close\r\n"), bodies),
    st.builds(plain, st.just(HEADS[1]), st.just(BODIES[0]), method=st.sampled_from(["GET", "OPTIONS", "PUT"])),
    st.builds(plain, st.just(HEADS[0]), bodies, path=st.sampled_from(["/", "//", PATH + "?q=1", PATH + "/"])),
    st.just(plain(HEADS[0], BODIES[0], version="1.0")),
    st.just(plain("Host: localhost\r\nExpect: 100-continue\r\n", BODIES[0])),
    st.just(plain(HEADS[0], BODIES[0]).replace(b"\r\n", b"\n")),
    st.just(b"\x16\x03\x01 no http\r\n\r\n"),
)


async def converse(stream: Stream, cuts: list[int], *, fast: bool, pipelined: bool) -> tuple[bytes, bytes, object]:
    """What a client hears, what is in the file, and what was counted."""
    folder = Path(tempfile.mkdtemp())
    try:
        settings = Settings(home=folder, fast_path=fast, log_bytes=CAP, nesting=50)
        session = sessions.start(settings, folder)
        known, listener = endpoint.new()
        collector = Collector(
            session, Endpoint(known.port, TOKEN), changed=lambda: None, gone=lambda: pytest.fail("the session is there")
        )
        server = await asyncio.get_running_loop().create_server(collector.connect, sock=listener)
        heard = await asyncio.wait_for(speak(known.port, stream, cuts, pipelined=pipelined), 60)
        file = collector.intake.count(CollectorFile())
        rejected: Counter[str] = Counter()

        def look(change: Callable[[CollectorFile], CollectorFile]) -> None:
            rejected.update(change(CollectorFile()).rejected)

        collector.flush(look)
        server.close()
        collector.close()
        return heard, _TIMES.sub(b"", session.layout.log.read_bytes()), (file.sampled, file.redacted, rejected)
    finally:
        shutil.rmtree(folder)


async def speak(port: int, stream: Stream, cuts: list[int], *, pipelined: bool) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    heard = b""
    # the last one ends the connection, so that all that comes is read to its end
    last = plain("Host: localhost\r\nConnection: close\r\n", b'{"location":"last"}')
    groups = [b"".join((*stream, last))] if pipelined else [*stream, last]
    try:
        for group in groups:
            places = sorted({0, len(group), *(cut for cut in cuts if cut < len(group))})
            for start, end in itertools.pairwise(places):
                if writer.transport.is_closing():
                    break
                writer.write(group[start:end])
                await writer.drain()
                for _ in range(TURNS):  # so that the server, in this same loop, reads each piece by itself
                    await asyncio.sleep(0)
            if group is not groups[-1]:
                heard += await reader.readuntil(b"\r\n\r\n")
                if length := re.search(rb"Content-Length: (\d+)\r\n(?:.*\r\n)*\r\n\Z", heard):
                    heard += await reader.readexactly(int(length[1]))
        heard += await reader.read()
    except (asyncio.IncompleteReadError, ConnectionError) as error:
        heard += getattr(error, "partial", b"")
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()
    return _TIMES.sub(b"", heard)


ONCE = plain(HEADS[0], BODIES[0])
WITHIN_A_HEAD = b"POST /wrong HTTP/1.1\r\nX: "
WITHIN_A_BODY = plain(HEADS[0], ONCE)
MANY = [plain(HEADS[0], b'{"location":"%d","pad":"%b"}' % (number, b"x" * 300)) for number in range(10, 40)]


@trial(max_examples=150, deadline=None)
@given(st.lists(requests, min_size=1, max_size=12), st.lists(st.integers(1, 600), max_size=4), st.booleans())
@example(stream=[ONCE] * 60, cuts=[], pipelined=False).via("flood control")
@example(stream=[ONCE] * 60, cuts=[], pipelined=True).via("many in one read")
@example(stream=MANY, cuts=[], pipelined=False).via("the log fills")
@example(stream=[ONCE, ONCE, WITHIN_A_HEAD + ONCE], cuts=[len(WITHIN_A_HEAD)], pipelined=False).via(
    "a known head in a head"
)
@example(stream=[ONCE, ONCE, WITHIN_A_BODY], cuts=[len(WITHIN_A_BODY) - len(ONCE)], pipelined=False).via(
    "a known request in a body"
)
def test_both_ways_give_the_same_answers_the_same_file_and_the_same_counts(
    stream: Stream, cuts: list[int], pipelined: bool
) -> None:
    fast = run(converse(stream, cuts, fast=True, pipelined=pipelined))
    slow = run(converse(stream, cuts, fast=False, pipelined=pipelined))
    assert fast == slow


def ordinary(house: House) -> int:
    """Requests that went through aiohttp."""
    return house.collector._server.requests_count  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


async def test_the_second_request_with_a_head_takes_the_short_way_whatever_its_length(house: House) -> None:
    wire = await house.connect()
    taken = 0
    for number in (1, 22, 3_333):
        before = ordinary(house)
        await wire.send(house.request(b'{"a":%d}' % number))
        assert (await wire.answer()).status == 204
        taken += ordinary(house) == before
    assert taken == 2
    await wire.send(house.request(b'{"m":"%b"}' % (b"x" * 70_000)))
    assert (await wire.answer()).status == 413


async def test_a_body_that_comes_in_pieces_takes_the_short_way(house: House) -> None:
    wire = await house.connect()
    body = b'{"m":"%b"}' % (b"x" * 60_000)
    request = house.request(body)
    await wire.send(request)
    assert (await wire.answer()).status == 204
    before = ordinary(house)
    for start in range(0, len(request), 8_000):
        await wire.send(request[start : start + 8_000])
        await asyncio.sleep(0)
    assert (await wire.answer()).status == 204
    assert ordinary(house) == before
    assert house.records() == [{"m": "x" * 60_000}] * 2


async def test_the_body_of_a_known_head_may_not_come_too_slowly_either(open_house: Open) -> None:
    house = await open_house(body_seconds=0.1)
    wire = await house.connect()
    request = house.request(b'{"a":1}', Origin=PAGE)
    await wire.send(request)
    assert (await wire.answer()).status == 204
    await wire.send(request[:-1])
    answer = await wire.answer()
    assert (answer.status, answer.error, answer.allows) == (408, "too_slow", PAGE)
    assert await wire.ended()
    assert house.rejected() == {"too_slow": 1}


async def test_a_client_that_goes_away_in_the_body_of_a_known_head_is_counted(house: House) -> None:
    wire = await house.connect()
    request = house.request(b'{"a":1}')
    await wire.send(request)
    assert (await wire.answer()).status == 204
    await wire.send(request[:-1])
    while all(connection.idle for connection in house.collector.connections):
        await asyncio.sleep(0)
    wire.writer.transport.abort()
    while house.collector.connections:
        await asyncio.sleep(0)
    assert house.rejected() == {"incomplete": 1}
    assert house.records() == [{"a": 1}]


CROWD = """
import selectors, socket, sys
port, request = int(sys.argv[1]), sys.argv[2].encode("latin-1")
ready = selectors.DefaultSelector()
left = {socket.create_connection(("127.0.0.1", port)): 40 for _ in range(64)}
for connection in left:
    ready.register(connection, selectors.EVENT_READ)
    connection.sendall(request)
while left:
    for key, _ in ready.select():
        connection = key.fileobj
        assert connection.recv(4096).startswith(b"HTTP/1.1 204")
        left[connection] -= 1
        if left[connection]:
            connection.sendall(request)
        else:
            del left[connection]
            ready.unregister(connection)
            connection.close()
"""


async def test_clients_that_send_as_soon_as_they_are_answered_take_the_short_way_also_beside_many_others(
    open_house: Open,
) -> None:
    house = await open_house(log_bytes=10_000_000)
    request = house.request(b'{"a":1}').decode("latin-1")
    crowd = await asyncio.create_subprocess_exec(sys.executable, "-c", CROWD, str(house.endpoint.port), request)
    assert await asyncio.wait_for(crowd.wait(), 60) == 0
    assert len(house.records()) == 64 * 40
    assert ordinary(house) <= 64  # each connection once, before the head is known


async def test_counts_that_are_written_hold_what_still_waits_for_its_turn(house: House) -> None:
    wire = await house.connect()
    request = house.request(b'{"password":"hunter2hunter2"}')
    await wire.send(request)
    assert (await wire.answer()).status == 204
    (connection,) = house.collector.connections
    connection.data_received(request)  # it came just before the end, and nothing runs between them
    written: list[CollectorFile] = []
    house.collector.flush(lambda change: written.append(change(CollectorFile())))
    assert [file.redacted for file in written] == [2]
    assert (await wire.answer()).status == 204


async def test_an_event_of_a_known_head_has_the_run_that_another_process_opened_meanwhile(house: House) -> None:
    wire = await house.connect()
    theirs = Journal(house.session)
    for number in range(1, 4):
        theirs.new_run(Steps("again", ("click",), "http"))
        for _ in range(2):
            await wire.send(house.request(b'{"a":1}'))
            assert (await wire.answer()).status == 204
        lines = house.session.layout.log.read_bytes().splitlines()
        assert [orjson.loads(line)["_"]["run"] for line in lines] == [number] * 3
    theirs.close()


async def test_a_changed_rule_is_obeyed_by_heads_that_are_known(house: House) -> None:
    wire = await house.connect()
    origin = "http://app.test:8080"
    house.collector.obey(dataclasses.replace(CollectorFile(), allowed_origins=(origin,)))
    statuses: list[int] = []
    for number in range(4):
        if number == 2:
            house.collector.obey(CollectorFile())
        await wire.send(house.request(b'{"a":1}', Origin=origin))
        statuses.append((await wire.answer()).status)
    assert statuses == [204, 204, 403, 403]


async def test_what_the_disk_refuses_has_its_own_answer_and_the_rest_is_stored(open_house: Open) -> None:
    house = await open_house(log_bytes=1_000)
    wires = [await house.connect() for _ in range(8)]
    for number, wire in enumerate(wires):
        await wire.send(house.request(b'{"location":"%d"}' % number))
        await wire.answer()
    for number, wire in enumerate(wires):
        await wire.send(house.request(b'{"location":"%d","pad":"%b"}' % (number, b"x" * 100)))
    statuses = Counter([(await wire.answer()).status for wire in wires])
    assert set(statuses) == {204, 507}
    assert len([record for record in house.records() if "pad" in record]) == statuses[204]


def test_it_is_switched_off_by_one_setting(session: Session) -> None:
    off = Settings.from_environment({"DEBUGLOOP_HOME": str(session.settings.home), "DEBUGLOOP_FAST_PATH": "0"})
    assert not off.fast_path
