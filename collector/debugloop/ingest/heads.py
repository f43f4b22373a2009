"""The heads of requests that were judged and let in, remembered by their exact bytes.

Whatever differs in a single byte, but for the digits of the length, is judged again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from debugloop.ingest import answers
from debugloop.ingest.connection import LENGTH
from debugloop.ingest.intake import Outcome

if TYPE_CHECKING:
    from aiohttp import web

    from debugloop.settings import Settings

HEAD_END: Final = b"\r\n\r\n"
_HEADS: Final = 1_024
"""Heads that are remembered; a client that traces its requests has a new one each time."""
_HEAD_BYTES: Final = 4_096
_CONNECTIONS: Final = frozenset({"keep-alive", "close"})


class KnownHead:
    """A head that was judged and let in, and the answers that it has within one second."""

    __slots__ = ("_date", "_sampled", "_stored", "close", "origin")

    def __init__(self, origin: str | None, *, close: bool) -> None:
        self.origin = origin
        self.close = close
        """Whether the connection ends with the answer."""
        self._date = ""
        self._stored = self._sampled = b""

    def answer(self, outcome: Outcome, date: str) -> bytes:
        """The whole response to an event that was stored or sampled."""
        if date != self._date:
            self._date = date
            self._stored = answers.whole(self.origin, date, Outcome.STORED, close=self.close)
            self._sampled = answers.whole(self.origin, date, Outcome.SAMPLED, close=self.close)
        return self._stored if outcome is Outcome.STORED else self._sampled


class KnownHeads:
    """The heads that are known until the rules change."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._heads: dict[bytes, KnownHead] = {}
        """By their bytes without the digits of the length."""
        self._seen: dict[bytes, tuple[KnownHead, int]] = {}
        """By their bytes, with their lengths: clients repeat themselves, and need not be taken apart again."""

    def forget(self) -> None:
        """The rules changed: every head is to be judged again."""
        self._heads.clear()
        self._seen.clear()

    def known(self, head: bytes) -> tuple[KnownHead, int] | bytes:
        """What is known of a head and the length that it says, or the head as it may be worth remembering."""
        seen = self._seen.get(head)
        if seen is not None:
            return seen
        found = LENGTH.search(head) if len(HEAD_END) <= len(head) <= _HEAD_BYTES else None
        if found is None:
            return b""
        plain = head[: found.start(1)] + head[found.end(1) :]
        known = self._heads.get(plain)
        length = int(found[1])
        if known is None or length > self._settings.request_bytes:
            return plain
        if len(self._seen) >= _HEADS:
            self._seen.clear()
        seen = self._seen[head] = (known, length)
        return seen

    def learn(self, head: bytes, request: web.BaseRequest, origin: str | None, length: int | None) -> None:
        """A request was let in, and its body comes as it is: remember its head if that is ordinary."""
        line = f"POST {request.raw_path} HTTP/1.1\r\n".encode("utf-8", "surrogateescape")
        if length is None or not head.startswith(line) or head.count(b"\n") != head.count(b"\r\n"):
            return
        headers = request.headers
        if not self._settings.fast_path or "Expect" in headers or "Upgrade" in headers:
            return
        if "Transfer-Encoding" in headers or headers.get("Connection", "keep-alive").lower() not in _CONNECTIONS:
            return
        if len(self._heads) >= _HEADS:  # the oldest gives way
            del self._heads[next(iter(self._heads))]
        self._heads[head] = KnownHead(origin, close=not request.keep_alive)
