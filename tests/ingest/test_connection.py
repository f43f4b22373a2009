from __future__ import annotations

import asyncio
import io
import logging

import pytest
from aiohttp import ClientSession, web

from debugloop.session.collector_file import CollectorFile
from tests.ingest.house import PAGE, House, Open


async def test_events_of_one_connection_stand_in_the_order_they_were_sent(house: House) -> None:
    wire = await house.connect()
    await wire.send(b"".join(house.request(b'{"n":%d}' % number) for number in range(100)))
    assert [(await wire.answer()).status for _ in range(100)] == [204] * 100
    assert [record["n"] for record in house.records()] == list(range(100))


async def test_a_body_that_comes_after_its_head_holds_up_no_request_behind_it(house: House) -> None:
    wire = await house.connect()
    request = house.request(b"{}", target="/")
    before = house.collector.seen
    await wire.send(request[:-2])
    while house.collector.seen == before:  # until the head was judged
        await asyncio.sleep(0)
    await wire.send(request[-2:] + request * 40)
    assert [(await wire.answer()).status for _ in range(41)] == [404] * 41


async def test_a_refused_event_keeps_its_connection_open(house: House) -> None:
    wire = await house.connect()
    for body, status in ((b'{"a":', 400), (b'{"m":"' + b"x" * 70_000 + b'"}', 413), (b'{"a":1}', 204)):
        await wire.send(house.request(body))
        assert (await wire.answer()).status == status


async def test_a_request_that_comes_byte_by_byte_is_stored(house: House) -> None:
    wire = await house.connect()
    for byte in house.request(b'{"a":1}'):
        await wire.send(bytes((byte,)))
    assert (await wire.answer()).status == 204


async def test_chunked_bodies_are_stored_and_counted_by_their_bytes(house: House) -> None:
    wire = await house.connect()
    head = house.request(Content_Length=None, Transfer_Encoding="chunked", Origin=PAGE)
    await wire.send(head + b'5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n')
    assert (await wire.answer()).status == 204
    await wire.send(head + b'6\r\n{"m":"\r\n' + b"".join(b"1000\r\n" + b"x" * 4_096 + b"\r\n" for _ in range(17)))
    answer = await wire.answer()
    assert (answer.status, answer.error, answer.allows) == (413, "too_large", PAGE)
    await wire.send(b'2\r\n"}\r\n0\r\n\r\n' + house.request(b'{"b":2}'))
    assert (await wire.answer()).status == 204
    assert house.records() == [{"a": 1}, {"b": 2}]


async def test_eight_megabytes_are_answered_413_after_all_of_it_was_sent(house: House) -> None:
    async with (
        ClientSession() as client,
        client.post(house.endpoint.url, data=io.BytesIO(b"x" * 8_000_000)) as response,
    ):
        assert response.status == 413
        assert "65,536" in (await response.json())["message"]


async def test_a_body_is_asked_for_when_its_head_is_good(house: House) -> None:
    wire = await house.connect()
    request = house.request(b'{"a":1}', Expect="100-continue")
    await wire.send(request[:-7])
    assert await asyncio.wait_for(wire.reader.readuntil(b"\r\n\r\n"), 30) == b"HTTP/1.1 100 Continue\r\n\r\n"
    await wire.send(request[-7:])
    assert (await wire.answer()).status == 204


async def test_a_body_that_came_already_is_not_asked_for(house: House) -> None:
    assert (await house.ask(b'{"a":1}', Expect="100-continue")).status == 204


async def test_a_body_is_never_asked_for_with_a_wrong_token(house: House) -> None:
    wire = await house.connect()
    request = house.request(b'{"a":1}', target="/debug/" + "0" * 64, Expect="100-continue")
    await wire.send(request[:-7])
    assert (await wire.answer()).status == 404
    assert await wire.ended()


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(200)),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"hello\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -3\r\n\r\n",
        b"POST / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"POST /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST http:///x HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nX : y\r\n\r\n",
    ],
)
async def test_what_is_no_http_is_told_so_and_the_connection_ends(
    house: House, data: bytes, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    wire = await house.connect()
    await wire.send(data)
    answer = await wire.answer()
    assert (answer.status, answer.error) == (400, "not_http")
    assert await wire.ended()
    assert house.rejected() == {"not_http": 1}
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""
    assert [record for record in caplog.records if record.name != "asyncio"] == []


@pytest.mark.parametrize("hosts", [0, 2])
async def test_a_request_that_names_no_host_or_two_is_misdirected(house: House, hosts: int) -> None:
    wire = await house.connect()
    await wire.send(b"POST / HTTP/1.1\r\n" + b"Host: localhost\r\n" * hosts + b"\r\n")
    answer = await wire.answer()
    assert (answer.status, answer.error, answer.allows) == (421, "wrong_host", None)
    assert await wire.ended()
    assert house.rejected() == {"wrong_host": 1}


async def test_a_page_can_read_that_its_request_was_no_http(house: House) -> None:
    wire = await house.connect()
    await wire.send(house.request(b"{}", Origin=PAGE, Content_Length="-3"))
    answer = await wire.answer()
    assert (answer.status, answer.error, answer.allows) == (400, "not_http", PAGE)


@pytest.mark.parametrize("cut", [None, 20, 80, -25])
async def test_what_came_whole_before_garbage_is_stored_and_answered(house: House, cut: int | None) -> None:
    wire = await house.connect()
    sent = house.request(b'{"a":1}') + b"\x00garbage, no HTTP\r\n\r\n"
    for piece in (sent[:cut], sent[cut:]) if cut else (sent,):
        await wire.send(piece)
        await asyncio.sleep(0)
    assert [(await wire.answer()).status for _ in range(2)] == [204, 400]
    assert await wire.ended()
    assert house.records() == [{"a": 1}]


async def test_a_client_that_says_all_it_has_to_say_and_half_closes_is_answered(house: House) -> None:
    for _ in range(3):  # the ordinary way, then the short one
        wire = await house.connect()
        await wire.send(house.request(b'{"a":1}'))
        wire.writer.write_eof()
        assert (await wire.answer()).status == 204
        assert await wire.ended()
    wire = await house.connect()
    await wire.send(house.request(b'{"b":1}')[:-1])
    wire.writer.write_eof()
    assert await wire.ended()
    assert len(house.records()) == 3


async def test_a_chunk_without_a_size_is_no_http(house: House) -> None:
    wire = await house.connect()
    await wire.send(house.request(Content_Length=None, Transfer_Encoding="chunked") + b"zz\r\n")
    answer = await wire.answer()
    assert (answer.status, answer.error) == (400, "not_http")
    assert await wire.ended()


@pytest.mark.parametrize("pieces", [1, 7])
@pytest.mark.parametrize("many", [False, True], ids=["one header", "many headers"])
async def test_a_head_over_the_limit_is_431_in_one_piece_or_many(house: House, pieces: int, many: bool) -> None:
    cookies = {f"X-{number}": "y" * 20 for number in range(700)} if many else {"Cookie": "x" * 17_000}
    request = house.request(b"{}", **{"Origin": PAGE} | cookies)
    wire = await house.connect()
    size = len(request) // pieces + 1
    for start in range(0, len(request), size):
        await wire.send(request[start : start + size])
        await asyncio.sleep(0)
    answer = await wire.answer()
    assert (answer.status, answer.error, answer.allows) == (431, "head_too_large", PAGE)
    assert house.rejected() == {"head_too_large": 1}


async def test_a_head_of_the_limit_is_accepted_with_any_number_of_headers(house: House) -> None:
    plain = len(house.request(X_Fill=""))
    assert (await house.ask(X_Fill="x" * (16_384 - plain))).status == 400  # empty body
    assert (await house.ask(X_Fill="x" * (16_385 - plain))).status == 431
    assert (await house.ask(b"{}", **{f"X-{number}": "" for number in range(1_000)})).status == 204


async def test_a_request_line_of_100_kilobytes_is_431_and_the_collector_lives(house: House) -> None:
    wire = await house.connect()
    await wire.send(b"GET /" + b"x" * 100_000)
    answer = await wire.answer()
    assert (answer.status, answer.error) == (431, "head_too_large")
    assert await wire.ended()
    assert (await house.ask(b"{}")).status == 204


async def test_a_head_that_comes_too_slowly_is_given_up(open_house: Open) -> None:
    house = await open_house(head_seconds=0.1)
    wire = await house.connect()
    await wire.send(house.request(b"{}", Origin=PAGE)[: -len("\r\n{}")])
    answer = await wire.answer()
    assert (answer.status, answer.error, answer.allows) == (408, "too_slow", PAGE)
    assert await wire.ended()
    assert house.rejected() == {"too_slow": 1}


async def test_a_second_head_that_comes_too_slowly_is_given_up(open_house: Open) -> None:
    house = await open_house(head_seconds=0.1)
    wire = await house.connect()
    await wire.send(house.request(b"{}"))
    assert (await wire.answer()).status == 204
    await wire.send(b"\r\nPOST ")
    assert (await wire.answer()).status == 408
    assert await wire.ended()


async def test_a_connection_that_never_says_anything_is_closed_silently(open_house: Open) -> None:
    house = await open_house(head_seconds=0.1)
    wire = await house.connect()
    assert await wire.ended()
    assert house.rejected() == {}


async def test_a_connection_between_two_requests_is_not_hurried(open_house: Open) -> None:
    house = await open_house(head_seconds=0.05)
    wire = await house.connect()
    for _ in range(2):
        await wire.send(house.request(b"{}"))
        assert (await wire.answer()).status == 204
        await asyncio.sleep(0.2)  # the absence of a timer has no event to wait for


async def test_a_body_that_comes_too_slowly_is_given_up(open_house: Open) -> None:
    house = await open_house(body_seconds=0.1)
    wire = await house.connect()
    await wire.send(house.request(b'{"a":1}', Origin=PAGE)[:-1])
    answer = await wire.answer()
    assert (answer.status, answer.error, answer.allows) == (408, "too_slow", PAGE)
    assert await wire.ended()
    assert house.records() == []


async def test_a_client_that_does_not_read_its_answers_is_dropped(open_house: Open) -> None:
    house = await open_house(body_seconds=0.2)
    reader, writer = await asyncio.open_connection(house.endpoint.host, house.endpoint.port, limit=1)
    writer.transport.set_write_buffer_limits(1 << 30)
    requests = house.request(b"{}", target="/") * 1_000
    while not writer.transport.is_closing():
        writer.write(requests)
        await asyncio.sleep(0.01)
    writer.close()
    with pytest.raises(ConnectionError):
        await writer.wait_closed()
    assert not reader.at_eof()
    assert (await house.ask(b"{}")).status == 204


async def test_a_client_that_reads_late_gets_all_its_answers_before_that_to_a_bad_head(house: House) -> None:
    wire = await house.connect(window=4_096)
    count = 40_000
    bad_head = b"GET / HTTP/1.1\r\nX: " + b"x" * 600_000
    sending = asyncio.create_task(wire.send(house.request(b"{}", target="/") * count + bad_head))
    answered = quiet = 0
    while quiet < 20:  # until the server waits for its answers to be read
        before, answered = answered, answered + house.rejected().get("not_found", 0)
        quiet = quiet + 1 if 0 < answered == before else 0
        await asyncio.sleep(0.005)
    assert answered < count
    assert [(await wire.answer()).status for _ in range(count + 1)] == [404] * count + [431]
    await sending
    assert await wire.ended()


async def test_connections_past_the_limit_are_told_so(open_house: Open) -> None:
    house = await open_house(connections=2)
    kept = [await house.connect() for _ in range(2)]
    for wire in kept:
        await wire.send(house.request(b"{}")[:-1])
    while not all(not connection.idle for connection in house.collector.connections):
        await asyncio.sleep(0)
    answer = await house.ask(b"{}", Origin=PAGE)
    assert (answer.status, answer.error, answer.allows) == (503, "too_many_connections", PAGE)
    await kept[0].send(b"}")
    assert (await kept[0].answer()).status == 204
    assert (await house.ask(b"{}")).status == 204


async def test_the_connection_that_was_idle_longest_gives_way_to_a_new_one(open_house: Open) -> None:
    house = await open_house(connections=3)
    wires = [await house.connect() for _ in range(3)]
    for wire in wires:
        await wire.send(house.request(b"{}"))
        assert (await wire.answer()).status == 204
    await wires[0].send(house.request(b"{}"))
    assert (await wires[0].answer()).status == 204
    await wires[2].send(house.request(b"{}")[:-1])  # busy, and older than the first
    await wires[0].send(house.request(b"{}")[:30])
    assert (await house.ask(b"{}", Connection="close")).status == 204
    assert await wires[1].ended()
    for wire, rest in ((wires[0], house.request(b"{}")[30:]), (wires[2], b"}")):
        await wire.send(rest)
        assert (await wire.answer()).status == 204
    assert house.rejected() == {}


async def test_a_client_that_goes_away_in_mid_body_is_counted_and_stores_nothing(house: House) -> None:
    wire = await house.connect()
    await wire.send(house.request(b'{"a":1}')[:-1])
    while not house.collector.connections:
        await asyncio.sleep(0)
    wire.writer.transport.abort()
    while house.collector.connections:
        await asyncio.sleep(0)
    while (rejected := house.rejected()) == {}:
        await asyncio.sleep(0)
    assert rejected == {"incomplete": 1}
    assert house.records() == []


async def test_old_clients_are_served(house: House) -> None:
    wire = await house.connect()
    await wire.send(house.request(b'{"a":1}').replace(b"HTTP/1.1", b"HTTP/1.0"))
    assert (await wire.answer()).status == 204
    assert await wire.ended()
    wire = await house.connect()
    await wire.send(f"POST {house.endpoint.path} HTTP/1.0\r\nContent-Length: 2\r\n\r\n{{}}".encode())
    assert (await wire.answer()).status == 421


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_an_upgrade_is_not_made(house: House, method: str) -> None:
    wire = await house.connect()
    await wire.send(house.request(b"{}", method=method, Connection="Upgrade", Upgrade="websocket"))
    assert (await wire.answer()).status == (204 if method == "POST" else 405)
    await wire.send(house.request(b"{}"))
    assert (await wire.answer()).status == 204


async def test_a_tunnel_is_not_opened(house: House) -> None:
    wire = await house.connect()
    await wire.send(b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert (await wire.answer()).status == 404


async def test_nothing_of_aiohttp_is_left_to_say(house: House) -> None:
    """aiohttp's own words for errors are never used; should a version rename its hooks, this tells."""
    assert web.RequestHandler.handle_error is not None
    answer = await house.ask(b"{}", target="/")
    assert answer.headers["server"] == "debugloop"
    assert CollectorFile().rejected == {}
