"""A collector in the test's own loop, and a client that speaks bytes."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

from debugloop.ingest.server import Collector
from debugloop.session import runs
from debugloop.session.collector_file import CollectorFile
from debugloop.session.endpoint import Endpoint
from debugloop.session.session import Session

PAGE = "http://localhost:3000"


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def error(self) -> str:
        assert self.body.endswith(b"\n")
        assert self.body.count(b"\n") == 1
        value = orjson.loads(self.body)
        assert value["message"]
        return str(value["error"])

    @property
    def allows(self) -> str | None:
        """The origin whose page may read this answer."""
        if self.headers.get("access-control-allow-credentials") != "true":
            return None
        assert "Origin" in self.headers["vary"]
        return self.headers["access-control-allow-origin"]


class Wire:
    """One connection, in bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, *, to: str = "POST") -> Answer:
        head = (await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), 30)).decode().split("\r\n")
        headers = dict(_header(line) for line in head[1:] if line)
        length = 0 if to == "HEAD" else int(headers.get("content-length", "0"))
        return Answer(int(head[0].split()[1]), headers, await self.reader.readexactly(length))

    async def ended(self) -> bool:
        """Whether the server closes, with nothing more said."""
        return await asyncio.wait_for(self.reader.read(), 30) == b""

    def close(self) -> None:
        self.writer.close()


def _header(line: str) -> tuple[str, str]:
    name, _, value = line.partition(": ")
    return name.lower(), value


@dataclass
class House:
    """A running collector as a test sees it."""

    session: Session
    endpoint: Endpoint
    collector: Collector
    gone: list[bool] = field(default_factory=list[bool])
    wires: list[Wire] = field(default_factory=list[Wire])

    async def connect(self, *, window: int | None = None) -> Wire:
        """A new connection; ``window``: bytes that may wait to be read by the client."""
        connection = socket.socket()
        connection.setblocking(False)  # noqa: FBT003 -- its only argument
        if window:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        await asyncio.get_running_loop().sock_connect(connection, (self.endpoint.host, self.endpoint.port))
        wire = Wire(*await asyncio.open_connection(sock=connection))
        self.wires.append(wire)
        return wire

    def request(
        self, body: bytes = b"", *, method: str = "POST", target: str | None = None, **headers: str | None
    ) -> bytes:
        """A request as bytes; a header that is None is left away."""
        fields = {"Host": f"localhost:{self.endpoint.port}", "Content-Length": str(len(body))}
        for name, value in headers.items():
            fields.pop(name.replace("_", "-"), None)
            if value is not None:
                fields[name.replace("_", "-")] = value
        lines = [f"{method} {target or self.endpoint.path} HTTP/1.1", *(f"{name}: {fields[name]}" for name in fields)]
        return "\r\n".join((*lines, "", "")).encode("utf-8", "surrogateescape") + body

    async def ask(self, body: bytes = b"", *, method: str = "POST", **more: Any) -> Answer:
        """One request on a connection of its own."""
        wire = await self.connect()
        await wire.send(self.request(body, method=method, **more))
        return await wire.answer(to=method)

    def records(self) -> list[dict[str, Any]]:
        """The rows of the log without what the server added."""
        added = {"_", "timestamp"}
        return [
            {key: value for key, value in row.record().items() if key not in added}
            for row in runs.read(self.session)[1]
        ]

    def rejected(self) -> dict[str, int]:
        """Counts by reason."""
        file = CollectorFile()

        def update(change: Callable[[CollectorFile], CollectorFile]) -> None:
            nonlocal file
            file = change(CollectorFile())

        self.collector.flush(update)
        return file.rejected


Open = Callable[..., Awaitable[House]]
