"""Fuzz a real collector for some minutes: it must live, never answer 500, and leave only whole lines on file.

    python tests/fuzz/collector.py --seconds 600

Requests are built from pieces that nearly are requests, cut anywhere, and sent over several connections. A failure
prints the bytes that led to it; hypothesis makes them short first.
"""

from __future__ import annotations

import argparse
import errno
import itertools
import os
import re
import socket
import sys
import tempfile
import time
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from debugloop.ingest import daemon
from debugloop.session import collector_file
from debugloop.session import session as sessions
from debugloop.session.endpoint import Endpoint
from debugloop.session.follow import LineReader
from debugloop.session.journal import Journal
from debugloop.session.session import Session
from debugloop.settings import Settings

BATCH = 400
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")
KNOWN = (204, 202, 400, 403, 404, 405, 408, 413, 415, 421, 431, 503, 507, 100)


def strategies(known: Endpoint) -> st.SearchStrategy[bytes]:
    """Streams of bytes that are requests, nearly requests, or nothing of the kind."""
    path = known.path.encode()
    token = st.text("abcdefABCDEF-_ \t:;,/\"'\\\x00\x7f\xe9\u2028", max_size=12).map(lambda text: text.encode())
    target = st.sampled_from(
        [path, path + b"?x", b"//", b"*", b"/", path + b"%2f", b"http://localhost" + path, b"\x00"]
    )
    method = st.sampled_from([b"POST", b"OPTIONS", b"GET", b"HEAD", b"PUT", b"post", b"CONNECT", b"PRI"])
    header = st.sampled_from(
        [
            b"Host: localhost", b"Host: 127.0.0.1:1", b"Host: evil.example", b"host:localhost", b"Host: [::1]",
            b"Origin: http://localhost:3000", b"Origin: null", b"Origin: http://localhost@evil.example",
            b"Content-Encoding: gzip", b"Content-Encoding: deflate", b"Content-Encoding: br", b"Expect: 100-continue",
            b"Transfer-Encoding: chunked", b"Connection: close", b"Connection: upgrade", b"Upgrade: websocket",
            b"Content-Type: application/json", b"Content-Type: text/plain", b"Content-Length: 5", b"Content-Length: -1",
            b"Content-Length: 99999999999", b"Access-Control-Request-Headers: x", b"X: " + b"y" * 20_000,
        ]
    )  # fmt: skip
    text = st.recursive(
        st.sampled_from(
            [b"1", b'"x"', b"NaN", b"1e999", b'"\\ud800"', b"null", b'"\xff"', b"[", b"}", b"", b"\xef\xbb\xbf"]
        ),
        lambda inner: st.lists(inner, max_size=3).flatmap(
            lambda parts: st.sampled_from(
                [b"[" + b",".join(parts) + b"]", b'{"a":' + b"".join(parts) + b"}", b"\n".join(parts)]
            )
        ),
        max_leaves=6,
    )
    body = (
        text
        | st.binary(max_size=60)
        | st.sampled_from([b"[" * 30_000, b"x" * 70_000, b'{"a":"' + b"z" * 65_000 + b'"}'])
    )

    def request(
        method: bytes, target: bytes, headers: list[bytes], extra: list[bytes], body: bytes, honest: bool
    ) -> bytes:
        lines = [b"%b %b HTTP/1.1" % (method, target), *headers, *extra]
        if honest:
            lines.append(b"Content-Length: %d" % len(body))
        return b"\r\n".join((*lines, b"", b"")) + body

    built = st.builds(
        request, method, target, st.lists(header, max_size=4), st.lists(token, max_size=1), body, st.booleans()
    )
    good = body.map(lambda body: request(b"POST", path, [b"Host: localhost"], [], body, honest=True))
    return st.lists(good | built | st.binary(max_size=40), min_size=1, max_size=5).map(b"".join)


def speak(known: Endpoint, stream: bytes, cuts: list[int]) -> bytes:
    """Send a stream in pieces, half-close, and read all that is said."""
    places = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    heard = b""
    with socket.create_connection((known.host, known.port), timeout=30) as wire:
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for start, end in itertools.pairwise(places):
                wire.sendall(stream[start:end])
            wire.shutdown(socket.SHUT_WR)
            while data := wire.recv(65_536):
                heard += data
        except ConnectionError:
            pass
        except OSError as error:  # it was closed before this side could half-close
            if error.errno != errno.ENOTCONN:
                raise
    return heard


def check_file(session: Session) -> int:
    """Every line on file is a record; gives how many there are."""
    data = session.layout.log.read_bytes()
    assert not data or data.endswith(b"\n")
    rows = LineReader(session.settings).feed(data)
    bad = [row for row in rows if row.malformed]
    assert not bad, bad[:3]
    return len(rows)


def main() -> None:
    """Fuzz until the time is over; an assertion ends it with the input that failed."""
    options = argparse.ArgumentParser(description="Fuzz a real collector.")
    options.add_argument("--seconds", type=int, default=600)
    arguments = options.parse_args()
    deadline = time.monotonic() + arguments.seconds
    with tempfile.TemporaryDirectory() as name:
        os.environ["DEBUGLOOP_HOME"] = name
        os.environ["DEBUGLOOP_HEAD_SECONDS"] = os.environ["DEBUGLOOP_BODY_SECONDS"] = "1"
        session = sessions.start(Settings.from_environment(), Path(name))
        known = daemon.ensure(session)
        pid = collector_file.load(session.layout).pid
        counts = {"requests": 0, "records": 0, "rounds": 0}

        @settings(
            max_examples=BATCH,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much),
        )
        @given(strategies(known), st.lists(st.integers(0, 100_000), max_size=4))
        def trial(stream: bytes, cuts: list[int]) -> None:
            heard = speak(known, stream, cuts)
            statuses = list(map(int, STATUS.findall(heard)))
            assert set(statuses) <= set(KNOWN), statuses
            assert known.token.encode() not in heard
            assert collector_file.load(session.layout).pid == pid
            counts["requests"] += len(statuses)

        try:
            while time.monotonic() < deadline:
                seed(counts["rounds"])(trial)()
                counts["records"] += check_file(session)
                journal = Journal(session)
                journal.clear()
                journal.close()
                counts["rounds"] += 1
            assert collector_file.running(session.layout)
            sys.stdout.write(f"no failure: {counts['requests']:,} answers, {counts['records']:,} records\n")
        finally:
            daemon.stop(session)


if __name__ == "__main__":
    main()
