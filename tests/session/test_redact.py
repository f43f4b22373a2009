from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugloop.session import collector_file, redact, runs
from debugloop.session.redact import Redactor
from debugloop.session.redaction_rules import KEY_WORDS
from debugloop.session.session import Session

TOKEN = "0123456789abcdef" * 4
MARK = re.compile(r"\[redacted:([a-z-]+) len=(\d+) #[0-9a-f]{4}\]")
SHAPES = {
    "bearer": "Bearer abcDEF123._~+/-==",
    "basic": "Authorization: Basic dXNlcjpwYXNzd29yZA==",
    "cookie": "Cookie: sid=abcdef; theme=dark",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    "aws-key": "AKIAIOSFODNN7EXAMPLE",
    "github-token": "ghp_" + "a1B2" * 9,
    "slack-token": "xoxb-123456789012-abcdef",
    "slack-webhook": "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXX",
    "stripe-key": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "private-key": "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
    "endpoint": f"http://127.0.0.1:9/debug/{TOKEN}",
}
MORE = ["ASIAIOSFODNN7EXAMPLE", "github_pat_" + "a1B2" * 9, "whsec_" + "a1B2" * 6, "rk_test_" + "a1B2" * 6]


def line(value: Any, **options: Any) -> str:
    redacted, count = Redactor(TOKEN).line(json.dumps(value, **options).encode())
    assert count == len(MARK.findall(redacted.decode()))
    return redacted.decode()


@pytest.mark.parametrize(
    "key",
    [
        "password", "Password", "user_password", "passwd", "secret", "clientSecret", "token", "accessToken",
        "access-token", "API_KEY", "apiKey", "x-api-key", "apikey", "privateKey", "Authorization", "cookie",
        "Set-Cookie", "JSESSIONID", "PHPSESSID", "connect.sid", "secrets.token", "token2",
    ],
)  # fmt: skip
def test_a_string_under_a_secrets_key_is_hidden(key: str) -> None:
    hidden = json.loads(line({key: "hunter2hunter2", "m": "x"}))
    assert MARK.fullmatch(hidden[key])
    assert " len=14 " in hidden[key]
    assert hidden["m"] == "x"


@pytest.mark.parametrize(
    "member",
    [
        {"max_tokens": 4096}, {"tokenCount": "123456789"}, {"tokenizer": "abcdefghij"}, {"tokens": "abcdefghij"},
        {"password": True}, {"password": None}, {"password": ""}, {"password": "short12"},
        {"passwordLength": "eight or so"},
        {"sessionId": "debug-session"}, {"key": "abcdefghij"}, {"monkey": "abcdefghij"}, {"secretary": "Ms Example"},
    ],
)  # fmt: skip
def test_what_is_no_secret_stays(member: dict[str, Any]) -> None:
    assert json.loads(line(member)) == member


def test_everything_under_a_secrets_key_is_hidden_and_what_follows_is_not() -> None:
    value = {"cookies": {"a": ["abcdefgh", {"b": "abcdefgh"}], "n": 12345678}, "after": "abcdefgh", "l": ["abcdefgh"]}
    hidden = json.loads(line(value))
    assert MARK.fullmatch(hidden["cookies"]["a"][0])
    assert MARK.fullmatch(hidden["cookies"]["a"][1]["b"])
    assert (hidden["cookies"]["n"], hidden["after"], hidden["l"]) == (12345678, "abcdefgh", ["abcdefgh"])


@pytest.mark.parametrize(("kind", "text"), SHAPES.items())
def test_what_looks_like_a_credential_is_hidden_inside_any_text(kind: str, text: str) -> None:
    for options in ({}, {"ensure_ascii": False}, {"separators": (",", ":")}):
        hidden = json.loads(line({"m": f"before {text} after"}, **options))["m"]
        assert hidden.startswith("before ")
        assert kind in MARK.findall(hidden)[0]
        if kind != "cookie":  # a header goes on to the end of its line
            assert hidden.endswith(" after")


@pytest.mark.parametrize("text", MORE)
def test_the_other_shapes_of_an_issuer_are_hidden_too(text: str) -> None:
    assert MARK.fullmatch(json.loads(line({"m": text}))["m"])


def test_a_credential_written_in_escapes_is_hidden_too() -> None:
    redacted, count = Redactor(TOKEN).line(b'{"m":"\\u0042earer abcdef\\/ghijkl","\\u0070assword":"hunter2hunter2"}')
    assert count == 2
    assert b"abcdef" not in redacted


def test_equal_secrets_are_seen_to_be_equal_within_a_session_only() -> None:
    one = json.loads(line({"token": "abcdefghij", "a": {"secret": "abcdefghij"}, "password": "different123"}))
    tail = {name: MARK.sub("", value)[-6:] or value[-6:] for name, value in one.items() if isinstance(value, str)}
    assert tail["token"] == one["a"]["secret"][-6:]
    assert tail["token"] != tail["password"]
    assert Redactor("f" * 64).line(b'{"token":"abcdefghij"}') != Redactor(TOKEN).line(b'{"token":"abcdefghij"}')


def test_nothing_else_of_the_record_changes() -> None:
    record = (
        b'{"n": 1.10,  "big":123456789012345678901234567890, "a":1,"a":2,"password" : "hunter2hunter2" ,"u":"\\u00e9"}'
    )
    redacted, count = Redactor(TOKEN).line(record)
    assert count == 1
    assert MARK.sub("hunter2hunter2", redacted.decode()).encode() == record


def test_what_was_redacted_is_not_redacted_again() -> None:
    for text in (*SHAPES.values(), *MORE):
        once = line({"password": "hunter2hunter2", "m": text})
        assert Redactor(TOKEN).line(once.encode()) == (once.encode(), 0)


KEYS = st.sampled_from(["message", "data", "user", "a", *("".join(words) for words in KEY_WORDS), "api_key"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from([*SHAPES.values(), *MORE]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.booleans())
def test_a_record_keeps_its_form_and_redaction_is_final(value: dict[str, Any], ascii_only: bool) -> None:
    record = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "replace")
    redacted, count = Redactor(TOKEN).line(record)
    assert form(orjson.loads(redacted)) == form(orjson.loads(record))
    assert Redactor(TOKEN).line(redacted) == (redacted, 0)
    assert count or redacted == record
    text = redacted.decode()
    assert not any(secret in text for secret in MORE)


def form(value: Any) -> object:
    if isinstance(value, dict):
        return {key: form(inner) for key, inner in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return [form(inner) for inner in items]
    return type(value).__name__


@given(VALUES, KEYS)
def test_the_search_ahead_passes_over_nothing_that_would_be_hidden(value: Any, key: str) -> None:
    redactor = Redactor(TOKEN)
    record = json.dumps({key: value}).encode()
    everywhere = redactor._walk(record, redactor._shapes)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    assert redactor.line(record) == everywhere


def test_whole_words_make_a_secrets_key() -> None:
    found = {
        key: redact.kind_of_key(key) for key in ("userAPIKey", "HTTPAuthorization", "tokenType", "a.b.secret[0]", "")
    }
    assert found == {
        "userAPIKey": "api-key",
        "HTTPAuthorization": "authorization",
        "tokenType": None,
        "a.b.secret[0]": "secret",
        "": None,
    }


def test_lines_that_a_program_appended_by_itself_are_redacted_when_read(session: Session) -> None:
    with session.layout.log.open("ab") as log:
        log.write(b'{"password":"hunter2hunter2"}\nBearer abcdefghijkl is torn\n{"m":1}\n')
    first, second, third = runs.read(session)[1]
    assert MARK.fullmatch(first.record()["password"])
    assert second.malformed == "not_json"
    assert MARK.search(second.text)
    assert third.raw == b'{"m":1}'
    collector_file.update(session.layout, session.settings, lambda file: replace(file, redact=False))
    assert runs.read(session)[1][0].record()["password"] == "hunter2hunter2"
