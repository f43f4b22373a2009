from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from debugloop.probes import traces
from debugloop.session.endpoint import Endpoint

TOKEN = "0123456789abcdef" * 4
ENDPOINT = Endpoint(23456, TOKEN)
DIRECTORY = Path("/home/ann/.local/state/debugloop/sessions/shop-1a2b/s1")
OURS = [*traces.endpoint_traces(ENDPOINT), *traces.session_traces("s1", DIRECTORY)]
ALL = [*OURS, *traces.other_traces()]


def kinds(text: str | bytes, wanted: list[traces.Trace] | None = None) -> list[tuple[int, str]]:
    data = text.encode() if isinstance(text, str) else text
    return [(hit.line, hit.kind) for hit in traces.look([data], ALL if wanted is None else wanted)]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (f"fetch('{ENDPOINT.url}')", "endpoint"),
        (f"fetch('http://localhost:23456/debug/{TOKEN}?a=1')", "endpoint"),
        ("fetch('http://127.0.0.1:23456/debug/' + secret)", "endpoint"),
        (f"fetch(`http://127.0.0.1:${{port}}/debug/{TOKEN}`)", "endpoint"),
        (f"collector = {{port: 23456, token: '{TOKEN}'}}", "port_and_token"),
        (f"collector = ('{TOKEN}', 23456)", "port_and_token"),
        (f"SECRET={TOKEN}", "token"),
        (f"SECRET={TOKEN} PORT=123456", "token"),
        ("x = '#region debugloop s1/1'", "marker"),
        ("f();  // # endregion  debugloop\ts1/imports", "marker"),
        (f"LOG={DIRECTORY}/debug.jsonl", "log_path"),
        ("LOG=~/.local/state/debugloop/sessions/shop-1a2b/s1/debug.jsonl", "log_path"),
        ('{"log": "\\/x\\/sessions\\/shop-1a2b\\/s1\\/debug.jsonl"}', "log_path"),
        (f"cd {DIRECTORY}", "log_path"),
        ("# #region debugloop s10/1", "other_session"),
        ("  /* #endregion debugloop s.2/x-y */ ", "other_session"),
        ("// #region debugloop", "foreign_marker"),
        ("// #region agent log", "foreign_marker"),
        ("# #region debug log", "foreign_marker"),
        ("<!-- DEBUG-START -->", "foreign_marker"),
        ("//#region debug log - connection received", "foreign_marker"),
        ("{/* #endregion agent log */}", "foreign_marker"),
        ("  // #region debug-cad45c flicker", "foreign_marker"),
        ("-- DEBUG-END", "foreign_marker"),
        ("# DEBUG-MODE: BEGIN 7f", "foreign_marker"),
        ("// DEBUG_HYP_1_START", "foreign_marker"),
        ("fetch('http://127.0.0.1:7242/ingest/2ac6e9c9-06f0-4608-b169-f542fc938805')", "foreign_endpoint"),
        ('{"message":"x","_":{"observed":"2026-01-01T00:00:00.000Z","run":1}}', "debug_log"),
    ],
)
def test_a_trace_is_found_and_named(line: str, kind: str) -> None:
    assert kinds(f"\n{line}\nx\n") == [(2, kind)]
    assert kinds(f"\r\n\r\n{line}") == [(3, kind)]
    assert kinds(f"ü\n{line}\n".encode("utf-16")) == [(2, kind)]


@pytest.mark.parametrize(
    "line",
    [
        "port = 23456",
        f"sha256 = {TOKEN[:-1]}e",
        "fetch('http://127.0.0.1:123456/debug/')",
        "fetch('http://127.0.0.1:234567/debug/')",
        f"{DIRECTORY}0/debug.jsonl",
        f"{DIRECTORY}.old/debug.jsonl",
        f"{DIRECTORY}-old/debug.jsonl",
        "x = '#region debugloop s2/1'",
        "region debugloop of the docs",
        "x = '#region agent log'",
        "echo DEBUG-START",
        "// #region debug logging",
        "#region Debug Logging",
        "// #region debug",
        "// DEBUG_HYPOTHESIS = 1",
        "http://127.0.0.1:9200/ingest/pipelines",
        "// #region debuglooper",
    ],
)
def test_what_only_looks_like_a_trace_is_none(line: str) -> None:
    assert kinds(f"{line}\n") == []


def test_only_our_own_traces_are_looked_for_unless_all_are_wanted() -> None:
    text = "// #region debugloop s2/1\n// #region agent log\n// #region debugloop s1/1\n"
    assert kinds(text, OURS) == [(3, "marker")]
    assert kinds(text) == [(1, "other_session"), (2, "foreign_marker"), (3, "marker")]


def test_a_line_is_told_once_under_its_weightiest_name() -> None:
    assert kinds(f"// #region debugloop s1/1 {ENDPOINT.url} {TOKEN} {DIRECTORY}\n" * 2) == [
        (1, "endpoint"),
        (2, "endpoint"),
    ]


def blocks(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@pytest.mark.parametrize("size", [1, 7, 64, 4096])
def test_the_blocks_in_which_content_comes_make_no_difference(size: int) -> None:
    data = f"a\n{'x' * 90}{ENDPOINT.url}{'y' * 90}\nb\n# #region debugloop s1/1\n".encode()
    assert [(hit.line, hit.kind) for hit in traces.look(blocks(data, size), ALL)] == [(2, "endpoint"), (4, "marker")]


def test_an_endless_line_is_looked_at_in_parts_and_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "_LONGEST", 2000)
    monkeypatch.setattr(traces, "_OVERLAP", 200)
    data = f"1\n{'x' * 1950}{ENDPOINT.url}{'y' * 5000}{TOKEN}\nz\n{TOKEN}".encode()
    hits = traces.look(blocks(data, 64), ALL)
    assert [(hit.line, hit.kind) for hit in hits] == [(2, "endpoint"), (4, "token")]


@pytest.mark.parametrize("before", range(0, 200, 7))
def test_no_cut_lets_a_token_show(before: int) -> None:
    line = f"{TOKEN}{'-' * before}{ENDPOINT.url} {TOKEN}{'-' * before}{TOKEN.upper()}"
    (hit,) = traces.look([line.encode()], ALL)
    assert len(hit.text) <= 200
    for size in range(24, 65):
        for at in range(64 - size + 1):
            assert TOKEN[at : at + size] not in hit.text.lower()


def test_what_is_shown_is_the_part_around_the_trace() -> None:
    (hit,) = traces.look([b"x" * 5000 + b"HERE #region debugloop s1/1 THERE" + b"y" * 5000], ALL)
    assert "HERE #region debugloop s1/1 THERE" in hit.text
    assert len(hit.text) == 160


def test_bytes_that_are_no_text_are_shown_as_such() -> None:
    (hit,) = traces.look([b"\xff\xfa #region debugloop s1/1\n"], ALL)
    assert hit.text.endswith("#region debugloop s1/1")
    assert "\ufffd" in hit.text


def test_a_session_without_directory_or_endpoint_is_known_by_its_markers() -> None:
    assert kinds("# #region debugloop s1/1\n", traces.session_traces("s1", None)) == [(1, "marker")]
