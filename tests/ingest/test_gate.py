from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugloop.errors import InvalidOrigin
from debugloop.ingest.gate import (
    Head,
    Rules,
    cors_headers,
    exact_origin,
    judge,
    normal_origin,
    origin_allowed,
    preflight_headers,
    split_target,
)

PATH = "/debug/" + "ab" * 32
RULES = Rules(PATH)
GOOD = Head("POST", PATH, ("127.0.0.1:5000",), length=10)


def judged(**changes: Any) -> str | None:
    refusal = judge(dataclasses.replace(GOOD, **changes), RULES).refusal
    return refusal.code if refusal else None


def test_a_post_to_the_secret_path_may_be_read() -> None:
    judgement = judge(GOOD, RULES)
    assert (judgement.refusal, judgement.origin, judgement.encoding) == (None, None, "identity")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST:3000", "localhost:", "[::1]:8080"])
def test_a_local_name_with_any_port_is_the_right_host(host: str) -> None:
    assert judged(hosts=(host,)) is None


@pytest.mark.parametrize(
    "hosts",
    [
        ("evil.example:5000",),
        ("localhost.evil.example",),
        ("127.0.0.1.evil.example",),
        ("user@localhost",),
        ("localhost@evil.example",),
        ("localhost:80x",),
        ("localhost.",),
        ("app.localhost",),
        ("0.0.0.0",),  # noqa: S104 -- a name to refuse
        ("127.0.0.2",),
        ("::1",),
        ("",),
        (),
        ("localhost", "localhost"),
        ("localhost\n",),
    ],
)
def test_any_other_host_is_refused(hosts: tuple[str, ...]) -> None:
    assert judged(hosts=hosts) == "wrong_host"


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost",
        "http://localhost:5173",
        "https://localhost:8443",
        "http://127.0.0.1:3000",
        "http://[::1]:3000",
        "http://tenant.app.localhost:3000",
        "https://a.localhost",
        "HTTP://LocalHost:80",
    ],
)
def test_pages_of_this_machine_are_allowed(origin: str) -> None:
    judgement = judge(dataclasses.replace(GOOD, origins=(origin,)), RULES)
    assert judgement.refusal is None
    assert judgement.origin == origin


REFUSED_ORIGINS = [
    "null",
    "file://",
    "",
    "http://",
    "localhost:3000",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "http://evil.example",
    "http://localhost@evil.example",
    "http://evil.example@localhost",
    "http://evillocalhost",
    "http://.localhost",
    "http://a..localhost",
    "http://localhost.",
    "http://a.localhost.",
    "http://localhost:99999",
    "http://localhost:",
    "http://localhost/",
    "http://localhost?",
    "http://localhost#",
    "http://localhost\\evil.example",
    "http://localhost, http://evil.example",
    "http://localhost http://evil.example",
    "http://localhost\r\nX: y",
    "http://localhost\x00",
    "http://locаlhost",
    "http://192.168.1.10:3000",
    "http://10.0.0.1",
    "http://127.0.0.2",
    "http://127.1",
    "http://2130706433",
    "http://[::ffff:127.0.0.1]",
    "http://[::1%25lo]",
    "http://myapp.test:8080",
    "ftp://localhost",
    "ws://localhost",
    "chrome-extension://abcdefghij",
    "javascript://localhost",
]


@pytest.mark.parametrize("origin", REFUSED_ORIGINS)
def test_every_other_origin_is_refused(origin: str) -> None:
    judgement = judge(dataclasses.replace(GOOD, origins=(origin,)), RULES)
    assert judgement.refusal is not None
    assert judgement.refusal.code == "origin_refused"
    assert judgement.origin is None


def test_two_origins_in_one_request_are_refused() -> None:
    refusal = judge(dataclasses.replace(GOOD, origins=("http://localhost", "http://localhost")), RULES).refusal
    assert refusal is not None
    assert (refusal.code, refusal.mend) == ("origin_refused", "send one Origin header")


@given(st.text(max_size=40))
def test_whatever_surrounds_a_local_name_makes_it_another(extra: str) -> None:
    for origin in (f"http://localhost{extra}", f"http://{extra}localhost", f"{extra}http://localhost"):
        if origin_allowed(origin):
            scheme, _, rest = origin.lower().partition("://")
            host, _, port = rest.partition(":")
            assert scheme in {"http", "https"}
            assert host == "localhost" or host.endswith(".localhost")
            assert not set(host) & set("@/?#\\ \r\n\t%")
            assert port == "" or (port.isascii() and port.isdigit())


@pytest.mark.parametrize(
    ("origin", "flag"),
    [
        ("http://myapp.test:8080", "--allow-origin http://myapp.test:8080"),
        ("null", "--allow-origin null"),
        ("file://", "--allow-origin file://"),
        ("HTTPS://Shop.Example:443", "--allow-origin https://shop.example"),
        ("chrome-extension://abcdefghij", "--allow-origin chrome-extension://abcdefghij"),
    ],
)
def test_a_refused_origin_is_told_the_flag_that_would_allow_exactly_it(origin: str, flag: str) -> None:
    refusal = judge(dataclasses.replace(GOOD, origins=(origin,)), RULES).refusal
    assert refusal is not None
    assert refusal.mend == f"debugloop start {flag}"
    assert flag in refusal.message
    allowed = Rules(PATH, frozenset({exact_origin(flag.split()[1])}))
    assert judge(dataclasses.replace(GOOD, origins=(origin,)), allowed).refusal is None


def test_an_origin_that_could_harm_a_shell_is_not_put_into_a_command() -> None:
    refusal = judge(dataclasses.replace(GOOD, origins=("http://x;rm -rf ~",)), RULES).refusal
    assert refusal is not None
    assert refusal.mend is None
    assert "rm" not in refusal.message


@pytest.mark.parametrize("other", ["http://myapp.test", "https://myapp.test:8080", "http://a.myapp.test:8080"])
def test_an_origin_that_was_added_allows_no_other(other: str) -> None:
    rules = Rules(PATH, frozenset({"http://myapp.test:8080"}))
    assert judge(dataclasses.replace(GOOD, origins=(other,)), rules).refusal is not None


@pytest.mark.parametrize(
    ("given_text", "exact"),
    [
        ("http://myapp.test:8080", "http://myapp.test:8080"),
        ("http://MyApp.test:80/", "http://myapp.test"),
        (" https://a.example:443 ", "https://a.example"),
        ("null", "null"),
        ("file://", "file://"),
        ("vscode-webview://1a2b", "vscode-webview://1a2b"),
    ],
)
def test_allow_origin_takes_one_exact_origin(given_text: str, exact: str) -> None:
    assert exact_origin(given_text) == exact
    assert normal_origin(exact) == exact


@pytest.mark.parametrize(
    "text", ["*", "", "myapp.test", "http://*.test", "http://a.test/path", "http://u@a.test", "http://a b"]
)
def test_allow_origin_refuses_what_is_no_exact_origin(text: str) -> None:
    with pytest.raises(InvalidOrigin, match="is no origin"):
        exact_origin(text)


@pytest.mark.parametrize("path", [PATH, "/", "//", "*", "/debug/", "/favicon.ico"])
def test_options_is_a_preflight_at_any_path(path: str) -> None:
    judgement = judge(dataclasses.replace(GOOD, method="OPTIONS", target=path, origins=("http://localhost:1",)), RULES)
    assert judgement.preflight
    assert judgement.refusal is None


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "//",
        "/debug",
        "/debug/",
        "/debug/" + "ab" * 31 + "ac",
        PATH[:-1],
        PATH + "0",
        PATH + "/",
        "/" + PATH,
        PATH.upper(),
        PATH.replace("a", "%61"),
        PATH + "%00",
        "/../" + PATH,
        "*",
        "/débug",
        "/\udcff",
        "",
    ],
)
def test_any_other_path_is_not_found(target: str) -> None:
    assert judged(target=target) == "not_found"


@pytest.mark.parametrize("target", [PATH + "?", PATH + "?a=b/../c", PATH + "#x", f"http://localhost:1{PATH}?q"])
def test_the_query_does_not_matter(target: str) -> None:
    assert judged(target=target) is None


def test_a_target_with_a_host_is_judged_by_that_host_too() -> None:
    assert judged(target=f"http://evil.example{PATH}") == "wrong_host"
    assert judged(target=f"http://localhost@evil.example{PATH}") == "wrong_host"
    assert split_target("HTTP://LOCALHOST") == ("LOCALHOST", "/")


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE", "post", "PROPFIND"])
def test_any_other_method_is_not_allowed(method: str) -> None:
    assert judged(method=method) == "method_not_allowed"


@pytest.mark.parametrize(
    ("values", "encoding"),
    [
        ((), "identity"),
        (("",), "identity"),
        (("identity",), "identity"),
        (("GZIP",), "gzip"),
        (("x-gzip",), "gzip"),
        ((" deflate ",), "deflate"),
        (("identity, gzip",), "gzip"),
        (("identity", "deflate"), "deflate"),
    ],
)
def test_gzip_and_deflate_may_be_unpacked(values: tuple[str, ...], encoding: str) -> None:
    assert judge(dataclasses.replace(GOOD, encodings=values), RULES).encoding == encoding


@pytest.mark.parametrize(
    "values", [("br",), ("zstd",), ("compress",), ("gzip, gzip",), ("gzip", "deflate"), ("gzip;q=1",)]
)
def test_any_other_encoding_is_unsupported(values: tuple[str, ...]) -> None:
    assert judged(encodings=values) == "unsupported_encoding"


def test_a_declared_length_over_the_limit_is_refused_before_the_body_comes() -> None:
    assert judged(length=65_536) is None
    assert judged(length=65_537) == "too_large"
    assert judged(length=None) is None


def test_the_checks_come_in_the_order_of_the_contract() -> None:
    wrong = dataclasses.replace(
        GOOD, hosts=("evil.example",), origins=("null",), method="OPTIONS", target="/x", encodings=("br",), length=10**9
    )
    order: list[str] = []
    for mend in (
        {"hosts": ("localhost",)},
        {"origins": ("http://localhost",)},
        {"method": "GET"},
        {"target": PATH},
        {"method": "POST"},
        {"encodings": ()},
        {"length": 1},
    ):
        judgement = judge(wrong, RULES)
        order.append(judgement.refusal.code if judgement.refusal else "preflight")
        wrong = dataclasses.replace(wrong, **mend)
    assert order == [
        "wrong_host",
        "origin_refused",
        "preflight",
        "not_found",
        "method_not_allowed",
        "unsupported_encoding",
        "too_large",
    ]
    assert judge(wrong, RULES).refusal is None


def test_every_answer_to_an_allowed_origin_can_be_read_by_its_page() -> None:
    assert cors_headers("http://localhost:3000") == {
        "Access-Control-Allow-Origin": "http://localhost:3000",
        "Access-Control-Allow-Credentials": "true",
        "Vary": "Origin",
    }
    assert cors_headers(None) == {"Vary": "Origin"}


def test_a_preflight_is_granted_what_it_asks_for() -> None:
    asked = "content-type, baggage, traceparent, sentry-trace, x-debug-session-id"
    head = dataclasses.replace(GOOD, method="OPTIONS", asked_method="POST", asked_headers=asked)
    headers = preflight_headers(head, "http://localhost:3000")
    assert headers["Access-Control-Allow-Methods"] == "POST"
    assert headers["Access-Control-Allow-Headers"] == asked
    assert headers["Access-Control-Max-Age"] == "7200"
    assert headers["Allow"] == "POST, OPTIONS"
    assert "Access-Control-Allow-Private-Network" not in headers
    assert "Access-Control-Allow-Local-Network" not in headers


def test_private_and_local_network_access_is_granted_to_allowed_origins_only() -> None:
    head = dataclasses.replace(GOOD, method="OPTIONS", asked_private=True, asked_local=True)
    granted = preflight_headers(head, "http://localhost:3000")
    assert granted["Access-Control-Allow-Private-Network"] == "true"
    assert granted["Access-Control-Allow-Local-Network"] == "true"
    assert not [name for name in preflight_headers(head, None) if name.startswith("Access-Control")]


@pytest.mark.parametrize("asked", ["a\r\nX-Evil: 1", "é", "\udcff", "", "x" * 5_000])
def test_a_preflight_gives_back_no_header_that_would_break_its_answer(asked: str) -> None:
    head = dataclasses.replace(GOOD, method="OPTIONS", asked_method=asked, asked_headers=asked)
    headers = preflight_headers(head, "http://localhost:3000")
    assert headers["Access-Control-Allow-Methods"] == "POST, OPTIONS"
    assert "Access-Control-Allow-Headers" not in headers
