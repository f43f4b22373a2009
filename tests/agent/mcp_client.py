"""The official client on a server in this process, and what a program and a person do meanwhile."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp.client.client import Client

from debugloop.agent.mcp_server import server_of
from debugloop.agent.tools import Bench
from debugloop.session.session import Session, in_folder
from debugloop.settings import Settings

SEEN = {"hypothesisId": "H1", "location": "cart.py:3", "message": "added"}


class Agent:
    """A client, and what it was told."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, /, **arguments: Any) -> Any:
        """The structure of the answer, which the client has held against its schema."""
        result = await self.client.call_tool(tool, arguments)
        [content] = result.content
        assert not result.is_error, content
        assert content.type == "text"
        assert len(content.text.encode()) <= arguments.get("max_bytes", 16_384)
        return result.structured_content

    async def refused(self, tool: str, /, **arguments: Any) -> Any:
        result = await self.client.call_tool(tool, arguments)
        [content] = result.content
        assert result.is_error
        assert content.type == "text"
        return json.loads(content.text)


@asynccontextmanager
async def an_agent(settings: Settings, folder: Path, mode: str = "auto") -> AsyncGenerator[Agent]:
    bench = Bench(settings, folder, os.environ)
    async with Client(server_of(bench), mode=mode) as client:
        yield Agent(client)


def only_session(settings: Settings, workspace: Path) -> Session:
    [session] = in_folder(settings, workspace)
    return session


def append(session: Session, *records: dict[str, Any] | bytes) -> None:
    with session.layout.log.open("ab") as log:
        for record in records:
            log.write((record if isinstance(record, bytes) else json.dumps(record).encode()) + b"\n")
