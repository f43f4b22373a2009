"""Content security policies, held equal to what a real browser makes of them in tests/e2e/test_page_policy.py."""

from __future__ import annotations

import pytest

from debugloop.ingest.policy import Forbidden, Policy, forbidding, policies_in

PAGE = "http://localhost:3000/cart"
TARGET = "http://127.0.0.1:21759/debug/5e"


def forbids(*policies: str, page: str = PAGE) -> list[Forbidden]:
    return forbidding([Policy("header", text) for text in policies], page, TARGET)


@pytest.mark.parametrize(
    "policy",
    [
        "",
        "script-src 'self'",
        "connect-src *",
        "connect-src http:",
        "connect-src 'self' http://127.0.0.1:21759",
        "connect-src http://127.0.0.1:*",
        "connect-src 127.0.0.1:21759",
        "connect-src http://127.0.0.1:21759/debug/",
        "CONNECT-SRC HTTP://127.0.0.1:21759",
        "default-src 'none'; connect-src *",
        "connect-src *; connect-src 'none'",
    ],
)
def test_a_policy_that_lets_events_out_is_no_hindrance(policy: str) -> None:
    assert forbids(policy) == []


@pytest.mark.parametrize(
    ("policy", "directive", "instead"),
    [
        ("connect-src 'self'", "connect-src 'self'", "connect-src 'self' http://127.0.0.1:21759"),
        ("connect-src 'none'", "connect-src 'none'", "connect-src http://127.0.0.1:21759"),
        ("connect-src", "connect-src", "connect-src http://127.0.0.1:21759"),
        ("default-src 'self' https:", "default-src 'self' https:", "connect-src 'self' https: http://127.0.0.1:21759"),
        ("connect-src http://localhost:*", "connect-src http://localhost:*", None),
        ("connect-src http://127.0.0.1", "connect-src http://127.0.0.1", None),
        ("connect-src https://127.0.0.1:21759", "connect-src https://127.0.0.1:21759", None),
        ("connect-src http://127.0.0.1:21759/api/", "connect-src http://127.0.0.1:21759/api/", None),
        ("connect-src 'nonce-abc' ws:", "connect-src 'nonce-abc' ws:", None),
        ("img-src *;\tconnect-src  'self' ; font-src *", "connect-src 'self'", None),
    ],
)
def test_a_policy_that_does_not_is_named_with_what_it_would_have_to_say(
    policy: str, directive: str, instead: str | None
) -> None:
    (found,) = forbids(policy)
    assert found.directive == directive
    if instead:
        assert found.instead == instead
    assert forbids(found.instead) == []


def test_every_policy_of_a_page_has_its_say() -> None:
    assert [each.directive for each in forbids("connect-src *, connect-src 'self'", "default-src 'none'")] == [
        "connect-src 'self'",
        "default-src 'none'",
    ]


def test_a_page_of_the_same_origin_is_itself() -> None:
    assert forbids("connect-src 'self'", page="http://127.0.0.1:21759/") == []
    assert forbids("connect-src 127.0.0.1:21759", page="https://localhost/") != []


def test_policies_of_a_document_are_found_wherever_it_sets_them() -> None:
    html = """<html><head><title>x</title>
      <META HTTP-EQUIV='Content-Security-Policy' content="connect-src 'self'">
      <meta http-equiv="refresh" content="5"><meta http-equiv="content-security-policy">"""
    assert policies_in(html) == [Policy("meta", "connect-src 'self'"), Policy("meta", "")]


@pytest.mark.parametrize(
    "source", ["http://127.0.0.1:" + "9" * 5_000, "a" * 100_000, "*:*:*", "'", "http://[::1]:x", ":"]
)
def test_what_is_no_source_allows_nothing(source: str) -> None:
    assert len(forbids(f"connect-src {source}")) == 1


def test_a_document_that_breaks_the_parser_keeps_what_stood_before() -> None:
    html = """<meta http-equiv="content-security-policy" content="connect-src 'none'"><![foo[ bar"""
    assert policies_in(html) == [Policy("meta", "connect-src 'none'")]
