from __future__ import annotations

import socket
from dataclasses import replace

import pytest

from debugloop.errors import CorruptFile, PortTaken
from debugloop.session import collector_file, endpoint
from debugloop.session.collector_file import CollectorFile, Rejection
from debugloop.session.locks import hold
from debugloop.session.session import Session


def test_a_new_endpoint_listens_below_the_ephemeral_range_with_256_random_bits(session: Session) -> None:
    made, listener = endpoint.new()
    other, second = endpoint.new()
    with listener, second:
        assert made.token != other.token
        assert made.url.startswith(f"http://127.0.0.1:{made.port}/debug/")
        assert 10_240 <= made.port < 32_768
        assert len(made.token) == 64
        with socket.create_connection((made.host, made.port), timeout=5):
            pass


def test_the_endpoint_persists_and_its_token_is_masked_when_shown(session: Session) -> None:
    made, listener = endpoint.new()
    listener.close()
    endpoint.save(session.layout, made)
    assert endpoint.load(session.layout) == made
    assert made.token not in f"{made} {made!r} {made.masked}"
    endpoint.delete(session.layout)
    assert endpoint.load(session.layout) is None


def test_a_port_that_a_foreign_program_holds_is_an_error_that_names_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as foreign:
        port = foreign.getsockname()[1]
        with pytest.raises(PortTaken, match=str(port)):
            endpoint.bind(port)


@pytest.mark.parametrize(
    "wrong",
    [
        b'"port":0',
        b'"port":"80"',
        b'"port":80',
        b'"port":80,"token":"x"',
        b'"port":80,"token":"%b","host":"0.0.0.0"' % (b"a" * 64),
    ],
)
def test_a_damaged_endpoint_is_named_and_never_replaced(session: Session, wrong: bytes) -> None:
    session.layout.endpoint.write_bytes(b'{"version":1,%b}' % wrong)
    with pytest.raises(CorruptFile, match="debug-endpoint.json"):
        endpoint.load(session.layout)


def test_collector_json_keeps_counts_rejections_and_flags(session: Session) -> None:
    assert collector_file.load(session.layout) == CollectorFile()
    told = Rejection("2026-01-01T00:00:00Z", "origin_refused", "http://x.test", 10, "--allow-origin http://x.test")
    full = CollectorFile(
        pid=7,
        started="2026",
        allowed_origins=("http://a.test",),
        redact=False,
        rejected={"origin_refused": 3},
        sampled=2,
        sampled_keys={"a.js:1": 2},
        redacted=1,
        latest=(told,),
    )
    collector_file.update(session.layout, session.settings, lambda _: full)
    assert collector_file.load(session.layout) == full
    collector_file.update(session.layout, session.settings, lambda old: replace(old, allowed_origins=()))
    assert collector_file.load(session.layout).rejected == {"origin_refused": 3}


@pytest.mark.parametrize(
    "wrong", [b'"latest":[{}]', b'"rejected":3', b'"sampled":"x"', b'"latest":[{"time":"","code":"","x":1}]']
)
def test_a_damaged_collector_json_is_named(session: Session, wrong: bytes) -> None:
    session.layout.collector.write_bytes(b'{"version":1,%b}' % wrong)
    with pytest.raises(CorruptFile, match="collector.json"):
        collector_file.load(session.layout)


def test_the_collector_runs_while_its_lock_is_held_whatever_the_pid_says(session: Session) -> None:
    collector_file.update(session.layout, session.settings, lambda old: replace(old, pid=1))
    assert not collector_file.running(session.layout)
    with hold(session.layout.collector_lock):
        assert collector_file.running(session.layout)


def test_an_endpoint_that_was_replaced_is_remembered(session: Session) -> None:
    made = [endpoint.Endpoint(20_000 + number, f"{number}" * 64) for number in range(3)]
    for each in (*made, made[2]):
        endpoint.save(session.layout, each)
    assert endpoint.load(session.layout) == made[2]
    assert endpoint.former(session.layout) == made[:2]
    session.layout.endpoint.write_bytes(session.layout.endpoint.read_bytes().replace(b'"former": [', b'"former": [3,'))
    with pytest.raises(CorruptFile):
        endpoint.former(session.layout)
