"""debug-endpoint.json: the address that stands in the code under test, kept for as long as the session."""

from __future__ import annotations

import errno
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from debugloop.errors import CorruptFile, NoFreePort, PortTaken
from debugloop.session import files

if TYPE_CHECKING:
    import socket

    from debugloop.session.layout import Layout

HOST: Final = "127.0.0.1"
"""The only address a collector binds: not ``localhost``, which may mean ::1 first."""
BACKLOG: Final = 512
_LOWEST: Final = 10_240
_EPHEMERAL: Final = 32_768  # Linux's default; macOS begins at 49,152
_TRIES: Final = 200
_PORTS: Final = 65_536
_TOKEN = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, repr=False)
class Endpoint:
    """Where a session's events are POSTed. ``token`` is 256 random bits as hex: show ``masked`` instead."""

    port: int
    token: str
    host: str = HOST

    @property
    def path(self) -> str:
        return f"/debug/{self.token}"

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}{self.path}"

    @property
    def masked(self) -> str:
        return f"http://{self.host}:{self.port}/debug/…"

    def __repr__(self) -> str:
        # tracebacks and test reports print this
        return f"Endpoint({self.masked})"


def load(layout: Layout) -> Endpoint | None:
    """The session's endpoint, or None before the first start and after ``finish``. Raises CorruptFile."""
    value = files.read_json(layout.endpoint)
    return None if value is None else _endpoint(layout, value)


def former(layout: Layout) -> list[Endpoint]:
    """The endpoints that this session had before: their URLs are dead, but may still stand in the code."""
    value = files.read_json(layout.endpoint) or {}
    listed: object = value.get("former", [])
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in cast("list[object]", listed)):
        raise CorruptFile(layout.endpoint, "the former endpoints are wrong")
    return [_endpoint(layout, item) for item in cast("list[dict[str, Any]]", listed)]


def _endpoint(layout: Layout, value: dict[str, Any]) -> Endpoint:
    host, port, token = value.get("host"), value.get("port"), value.get("token")
    if host != HOST or type(port) is not int or not 0 < port < _PORTS:
        raise CorruptFile(layout.endpoint, "host or port is missing or wrong")
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise CorruptFile(layout.endpoint, "the token is missing or wrong")
    return Endpoint(port, token)


def save(layout: Layout, endpoint: Endpoint) -> None:
    """Persist the endpoint, and remember the one it takes the place of. The caller holds the collector lock."""
    old = load(layout)
    before = [*former(layout), *([old] if old and old != endpoint else [])]
    more = {"former": [asdict(each) for each in before]} if before else {}
    files.write_json(layout.endpoint, {**asdict(endpoint), **more})


def delete(layout: Layout) -> None:
    """Forget the endpoint: its URL is dead for ever."""
    layout.endpoint.unlink(missing_ok=True)


def bind(port: int) -> socket.socket:
    """Listen on a port of localhost. Raises PortTaken; nobody is ended and no other port is tried."""
    # every verb reads the endpoint, and few open a socket or make a token: 10 ms less for those that do not
    import socket

    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        # connections of the collector before this one may still be closing
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno in {errno.EADDRINUSE, errno.EACCES}:
            raise PortTaken(port) from error
        raise
    return listener


def new() -> tuple[Endpoint, socket.socket]:
    """A fresh endpoint and its listening socket, on a random free port below the ephemeral range.

    Below it, because the system gives ports of that range to any client, which would take ours while the
    collector is down. Raises NoFreePort.
    """
    import random
    import secrets

    high = _ephemeral_start() - 1
    for _ in range(_TRIES):
        port = random.SystemRandom().randint(_LOWEST, high)
        try:
            listener = bind(port)
        except PortTaken:
            continue
        return Endpoint(port, secrets.token_hex(32)), listener
    raise NoFreePort(_LOWEST, high)


def _ephemeral_start() -> int:
    try:
        start = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return _EPHEMERAL
    return start if start > _LOWEST + _TRIES else _EPHEMERAL
