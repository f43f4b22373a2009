from __future__ import annotations

import gzip
import shutil
import zlib
from typing import Any

import orjson
import pytest

from debugloop.errors import WriteFailed
from debugloop.session import state
from tests.ingest.house import PAGE, House, Open

STEPS = b'{"type":"reproduction_steps","steps":["open","press"]}'


async def test_a_record_is_answered_204_and_stands_in_the_log(house: House) -> None:
    answer = await house.ask(b'{"message":"hi"}')
    assert (answer.status, answer.body) == (204, b"")
    assert "content-length" not in answer.headers
    assert house.records() == [{"message": "hi"}]
    assert house.rejected() == {}


async def test_the_server_adds_when_it_saw_a_record_and_in_which_run(house: House) -> None:
    await house.ask(b'{"_":{"run":9}}')
    line = orjson.loads(house.session.layout.log.read_bytes())
    assert line["_client"] == {"run": 9}
    assert line["_"]["run"] == 0
    assert line["_"]["observed"].endswith("Z")
    assert abs(line["timestamp"] - state.now_ms()) < 60_000


@pytest.mark.parametrize("size", [1_000, 20_000])
async def test_a_secret_is_hidden_in_records_of_any_size(house: House, size: int) -> None:
    secret = "hunter2" * 5
    await house.ask(orjson.dumps({"before": "x" * size, "password": secret, "after": "y" * size}))
    (record,) = house.records()
    assert record["password"].startswith("[redacted:password len=35 #")
    assert secret.encode() not in house.session.layout.log.read_bytes()


async def refusal_of(house: House, code: str) -> tuple[int, str]:
    """The status and code of one request that is refused for ``code``."""
    big = b'{"m":"' + b"x" * 65_536 + b'"}'
    requests: dict[str, Any] = {
        "not_found": {"target": "/debug/" + "0" * 64},
        "method_not_allowed": {"method": "GET"},
        "unsupported_encoding": {"Content_Encoding": "br"},
        "too_large": {"body": big},
        "bad_record": {"body": b'{"a":'},
        "log_full": {"body": b'{"m":"' + b"x" * 5_000 + b'"}'},
        "head_too_large": {"Cookie": "x" * 17_000},
    }
    request: dict[str, Any] = {"body": b"{}", "Origin": PAGE, **requests[code]}
    answer = await house.ask(**request)
    assert answer.allows == PAGE
    return answer.status, answer.error


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("not_found", 404),
        ("method_not_allowed", 405),
        ("unsupported_encoding", 415),
        ("too_large", 413),
        ("bad_record", 400),
        ("log_full", 507),
        ("head_too_large", 431),
    ],
)
async def test_a_page_can_read_why_its_event_was_refused_and_it_is_counted(
    open_house: Open, code: str, status: int
) -> None:
    house = await open_house(log_bytes=2_000)
    assert await refusal_of(house, code) == (status, code)
    assert house.rejected() == {code: 1}
    assert house.records() == []


async def test_an_answer_without_an_origin_is_for_no_page(house: House) -> None:
    for answer in (await house.ask(b"{}"), await house.ask(b"{}", target="/")):
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert answer.headers["vary"] == "Origin"


async def test_a_stored_event_of_a_page_is_readable_by_it(house: House) -> None:
    assert (await house.ask(b"{}", Origin=PAGE)).allows == PAGE


@pytest.mark.parametrize(
    ("code", "status", "headers"),
    [
        ("wrong_host", 421, {"Host": "evil.example:5000"}),
        ("origin_refused", 403, {"Origin": "https://evil.example"}),
        ("origin_refused", 403, {"Origin": "null"}),
        ("origin_refused", 403, {"Origin": "http://bücher.localhost"}),
    ],
)
async def test_strangers_are_refused_and_cannot_read_why(
    house: House, code: str, status: int, headers: dict[str, str]
) -> None:
    answer = await house.ask(b'{"a":1}', Content_Type="text/plain", **headers)
    assert (answer.status, answer.error) == (status, code)
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert house.records() == []
    assert house.rejected() == {code: 1}


async def test_a_forwarded_port_under_localhost_works(house: House) -> None:
    assert (await house.ask(b"{}", Host="localhost:18080")).status == 204


async def test_a_preflight_is_answered_at_any_path(house: House) -> None:
    for target in (None, "/elsewhere"):
        answer = await house.ask(
            method="OPTIONS",
            target=target,
            Origin=PAGE,
            Access_Control_Request_Method="POST",
            Access_Control_Request_Headers="content-type,traceparent",
            Access_Control_Request_Private_Network="true",
        )
        assert answer.status == 204
        assert answer.allows == PAGE
        assert answer.headers["access-control-allow-headers"] == "content-type,traceparent"
        assert answer.headers["access-control-allow-private-network"] == "true"


async def test_a_preflight_of_a_stranger_is_refused(house: House) -> None:
    answer = await house.ask(method="OPTIONS", Origin="https://evil.example", Access_Control_Request_Method="POST")
    assert answer.status == 403


async def test_odd_targets_are_answered(house: House) -> None:
    wire = await house.connect()
    for target, status in (("//", 404), ("*", 204), ("/%00", 404), (house.endpoint.path + "?q", 204)):
        await wire.send(house.request(b"{}", method="OPTIONS" if target == "*" else "POST", target=target))
        assert (await wire.answer()).status == status


async def test_a_method_that_is_not_allowed_is_told_those_that_are(house: House) -> None:
    assert (await house.ask(method="GET")).headers["allow"] == "POST, OPTIONS"
    head = await house.ask(method="HEAD")
    assert (head.status, head.body) == (405, b"")


async def test_the_limit_of_a_body_is_its_last_accepted_size(house: House) -> None:
    body = b'{"m":"' + b"x" * (65_536 - 8) + b'"}'
    assert len(body) == 65_536
    assert (await house.ask(body)).status == 204
    assert (await house.ask(body + b" ")).status == 413
    assert len(house.records()) == 1


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("identity", bytes)],
)
async def test_packed_bodies_are_stored(house: House, encoding: str, pack: Any) -> None:
    assert (await house.ask(pack(b'{"a":1}'), Content_Encoding=encoding)).status == 204
    assert house.records() == [{"a": 1}]


async def test_a_packed_bomb_is_too_large_and_a_broken_pack_is_bad(house: House) -> None:
    bomb = await house.ask(gzip.compress(b"0" * 50_000_000), Content_Encoding="gzip", Origin=PAGE)
    assert (bomb.status, bomb.error, bomb.allows) == (413, "too_large", PAGE)
    broken = await house.ask(b'{"a":1}', Content_Encoding="gzip", Origin=PAGE)
    assert (broken.status, broken.error, broken.allows) == (400, "bad_record", PAGE)
    assert "byte" in broken.body.decode()
    assert house.records() == []


async def test_a_batch_is_told_what_of_it_was_stored(house: House) -> None:
    answer = await house.ask(b'{"a":1}\n{oops\n{"c":3}\n')
    assert answer.status == 400
    body = orjson.loads(answer.body)
    assert (body["error"], body["stored"]) == ("bad_record", 2)
    assert body["rejected"] == [{"index": 1, "error": "bad_record"}]
    assert house.records() == [{"a": 1}, {"c": 3}]
    assert house.rejected() == {"bad_record": 1}


async def test_of_a_batch_that_passes_the_cap_what_fits_is_stored(open_house: Open) -> None:
    house = await open_house(log_bytes=400)
    long = b'{"m":"' + b"x" * 300 + b'"}'
    answer = await house.ask(b'{"a":1}\n' + long + b"\n{oops\n" + b'{"b":2}')
    assert answer.status == 507
    body = orjson.loads(answer.body)
    assert (body["error"], body["stored"]) == ("log_full", 2)
    assert body["rejected"] == [{"index": 1, "error": "log_full"}, {"index": 2, "error": "bad_record"}]
    assert house.records() == [{"a": 1}, {"b": 2}]
    assert house.rejected() == {"log_full": 1, "bad_record": 1}


async def test_steps_open_a_run_that_holds_only_them(house: House) -> None:
    await house.ask(b'{"a":1}')
    assert (await house.ask(STEPS)).status == 204
    now = house.session.state()
    assert (now.run, now.steps and now.steps.source) == (1, "http")
    assert [record["steps"] for record in house.records()] == [["open", "press"]]


@pytest.mark.parametrize("body", [STEPS, b'{"a":1}\n' + STEPS, b'{"type":"reproduction_steps","steps":[]}'])
async def test_steps_of_a_page_in_a_batch_or_invalid_change_nothing(house: House, body: bytes) -> None:
    answer = await house.ask(body, **({"Origin": PAGE} if body == STEPS else {}))
    assert (answer.status, answer.error) == (400, "bad_record")
    assert house.session.state().run == 0
    assert house.records() == []


async def test_a_finished_session_opens_no_run(house: House) -> None:
    house.session.update(mode="build")
    answer = await house.ask(STEPS)
    assert (answer.status, answer.error) == (400, "bad_record")


async def test_a_disk_that_refuses_is_500_and_then_works_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise WriteFailed(house.session.layout.log, "no space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("debugloop.session.journal.Journal._write", refuse)
        answer = await house.ask(b'{"a":1}\n{"b":2}', Origin=PAGE)
        assert (answer.status, answer.error, answer.allows) == (500, "write_failed", PAGE)
        assert orjson.loads(answer.body)["stored"] == 0
        assert (await house.ask(b'{"a":1}')).status == 500
    assert (await house.ask(b'{"a":1}')).status == 204
    assert house.records() == [{"a": 1}]
    assert house.rejected() == {"write_failed": 3}


async def test_a_deleted_session_is_said_and_ends_the_collector(house: House) -> None:
    assert (await house.ask(b'{"a":1}')).status == 204
    shutil.rmtree(house.session.layout.directory)
    answer = await house.ask(b'{"b":2}', Origin=PAGE)
    assert (answer.status, answer.error, answer.allows) == (404, "session_gone", PAGE)
    assert house.gone == [True]
    assert not house.session.layout.directory.exists()


async def test_a_log_that_was_deleted_alone_is_made_again(house: House) -> None:
    assert (await house.ask(b'{"a":1}')).status == 204
    house.session.layout.log.unlink()
    assert (await house.ask(b'{"b":2}')).status == 204
    assert house.records() == [{"b": 2}]


async def test_a_log_that_may_not_be_written_is_500(house: House) -> None:
    house.session.layout.log.unlink()
    house.session.layout.log.symlink_to("/etc/passwd")
    answer = await house.ask(b'{"a":1}')
    assert (answer.status, answer.error) == (500, "write_failed")


async def test_an_error_of_our_own_is_answered_quietly_and_the_collector_lives(
    house: House, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("debugloop.ingest.server.parse", None)
        answer = await house.ask(b'{"a":1}', Origin=PAGE)
    assert (answer.status, answer.error, answer.allows) == (503, "internal_error", PAGE)
    assert house.rejected() == {"internal_error": 1}
    assert (await house.ask(b'{"a":1}')).status == 204
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""
