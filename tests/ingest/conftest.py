"""A collector in the test's own loop, with limits of the test's choice."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import pytest

from debugloop.ingest.server import Collector
from debugloop.session import endpoint
from debugloop.session.session import Session
from tests.ingest.house import House, Open


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Every test on both loops that a collector may run on: they read, write and wake in another order."""
    loops: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {"asyncio": asyncio.new_event_loop}
    with suppress(ImportError):
        import uvloop

        loops["uvloop"] = uvloop.new_event_loop
    return loops


@pytest.fixture
async def open_house(session: Session) -> AsyncIterator[Open]:
    houses: list[tuple[House, asyncio.Server]] = []

    async def open_house(**limits: Any) -> House:
        limited = Session(session.layout, dataclasses.replace(session.settings, **limits))
        known, listener = endpoint.new()
        gone: list[bool] = []
        collector = Collector(limited, known, changed=lambda: None, gone=lambda: gone.append(True))
        server = await asyncio.get_running_loop().create_server(collector.connect, sock=listener)
        house = House(limited, known, collector, gone)
        houses.append((house, server))
        return house

    yield open_house
    for house, server in houses:
        server.close()
        for wire in house.wires:
            wire.close()
        house.collector.close()
    await asyncio.sleep(0)  # closed connections are lost a turn later


@pytest.fixture
async def house(open_house: Open) -> House:
    return await open_house()
