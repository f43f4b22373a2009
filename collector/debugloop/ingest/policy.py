"""Content security policies: whether a page may send to the collector, and what its policy would have to say instead.

Only what decides about a request is read: ``connect-src``, else ``default-src`` (CSP Level 3, 6.7.2).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from html.parser import HTMLParser
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

_HOST: Final = re.compile(
    r"(?:(?P<scheme>[a-z][a-z0-9+.-]*)://)?(?P<host>\*|(?:\*\.)?[a-z0-9_.-]+|\[[0-9a-f:.]+\])"
    r"(?::(?P<port>[0-9]{1,5}|\*))?(?P<path>/[^?#]*)?",
    re.IGNORECASE,
)
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_PORTS: Final = {"http": 80, "https": 443}


class Policy(NamedTuple):
    """One policy as the page has it. ``where``: the name of the header, or ``meta``."""

    where: str
    text: str


class Forbidden(NamedTuple):
    """A policy that keeps a page from sending: the directive that does, and what it would have to be."""

    where: str
    directive: str
    instead: str


def forbidding(policies: Iterable[Policy], page: str, address: str) -> list[Forbidden]:
    """The policies of a page (its URL) that forbid it to send to ``address`` (a whole URL)."""
    at, target = urlsplit(page), urlsplit(address)
    origin = f"{target.scheme}://{target.netloc}"
    found: list[Forbidden] = []
    for where, text in policies:
        for one in text.split(","):  # a header may hold several policies
            name, sources = _deciding(one)
            if name and not any(_allows(source, at, target) for source in sources):
                kept = [source for source in sources if source.lower() != "'none'"]
                instead = " ".join(("connect-src", *kept, origin))
                found.append(Forbidden(where, " ".join((name, *sources)), instead))
    return found


def policies_in(html: str) -> list[Policy]:
    """The policies that a document sets by itself."""
    reader = _Metas()
    with suppress(AssertionError):  # what the parser makes of some broken documents; what stood before it is found
        reader.feed(html)
    return [Policy("meta", text) for text in reader.found]


class _Metas(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "meta" and (named.get("http-equiv") or "").strip().lower() == "content-security-policy":
            self.found.append(named.get("content") or "")


def _deciding(policy: str) -> tuple[str, list[str]]:
    directives: dict[str, list[str]] = {}
    for words in map(str.split, policy.split(";")):
        if words:
            directives.setdefault(words[0].lower(), words[1:])  # of two with one name the first counts
    name = next((name for name in ("connect-src", "default-src") if name in directives), "")
    return name, directives.get(name, [])


def _allows(source: str, page: SplitResult, target: SplitResult) -> bool:
    if source.lower() == "'self'":
        return (page.scheme, page.hostname, _port(page)) == (target.scheme, target.hostname, _port(target))
    if source == "*":
        return True
    if _SCHEME.fullmatch(source):
        return source[:-1].lower() == target.scheme
    match = _HOST.fullmatch(source)
    return match is not None and all(_agreements(match, page, target))


def _agreements(source: re.Match[str], page: SplitResult, target: SplitResult) -> Iterator[bool]:
    scheme = (source["scheme"] or page.scheme).lower()
    yield scheme == target.scheme
    host = source["host"].lower()
    yield host in {"*", f"[{target.hostname}]", target.hostname}
    port = source["port"]
    yield port == "*" or int(port or _PORTS.get(target.scheme, 0)) == _port(target)
    path = source["path"] or "/"
    yield target.path.startswith(path) if path.endswith("/") else target.path == path


def _port(url: SplitResult) -> int:
    return url.port or _PORTS.get(url.scheme, 0)
