"""What the panel's tests share: a panel of a real session driven by Textual's pilot, and its screen as text."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from debugloop.session.journal import Journal
from debugloop.session.records import Steps
from debugloop.session.state import now_ms
from debugloop_overlay import languages
from debugloop_overlay.app import Panel
from debugloop_overlay.watcher import Watcher
from tests.support import GENEROUS

if TYPE_CHECKING:
    from textual import events
    from textual.app import App
    from textual.pilot import Pilot
    from textual.widget import Widget

    from debugloop.session.session import Session
    from debugloop_overlay.languages.words import Words

STEPS = Steps("The total is wrong", ("Open the cart", "Add one apple, then one pear", "Look at the total"))


def publish(session: Session, steps: Steps = STEPS) -> int:
    """Open a run, as the agent does; gives its number."""
    journal = Journal(session)
    try:
        return journal.new_run(steps)
    finally:
        journal.close()


def append(session: Session, *records: Mapping[str, object] | bytes) -> None:
    """Append lines directly, as a backend does: records, or bytes as they are."""
    lines = [record if isinstance(record, bytes) else orjson.dumps(record) for record in records]
    with session.layout.log.open("ab", buffering=0) as log:
        log.write(b"".join(line + b"\n" for line in lines))


def screen_of(app: App[Any]) -> str:
    """The screen as a terminal would have it, line by line."""
    strips = app.screen._compositor.render_strips()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] -- Textual's own pictures come from here
    return "\n".join(strip.text.rstrip() for strip in strips)


def wheel(kind: type[events.MouseEvent], widget: Widget) -> events.MouseEvent:
    """One step of the wheel over a widget."""
    return kind(widget, 1, 1, 0, 1, button=0, shift=False, meta=False, ctrl=False)


class Driven:
    """A panel that runs, and its pilot."""

    def __init__(self, panel: Panel, pilot: Pilot[None]) -> None:
        self.panel = panel
        self.pilot = pilot

    @property
    def screen(self) -> str:
        return screen_of(self.panel)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, found: Callable[[], object], what: str = "") -> None:
        """Let the panel run until ``found()`` is true."""
        deadline = time.monotonic() + GENEROUS
        while not found():
            if time.monotonic() > deadline:
                pytest.fail(f"{what or 'the event'} did not come; the screen is:\n{self.screen}")
            await asyncio.sleep(0.01)
            await self.pilot.pause()

    async def sees(self, *texts: str) -> None:
        await self.until(lambda: all(text in self.screen for text in texts), f"{texts} on the screen")


@asynccontextmanager
async def driven(
    session: Session,
    size: tuple[int, int] = (80, 24),
    language: str = "en",
    *,
    popup: bool = False,
    words: Words | None = None,
    clock: Callable[[], int] = now_ms,
) -> AsyncGenerator[Driven]:
    """Open the panel of a session without a terminal."""
    watcher = Watcher(session)
    watcher.start()
    panel = Panel(watcher, words or languages.load(language), popup=popup, clock=clock)
    try:
        async with panel.run_test(size=size) as pilot:
            yield Driven(panel, pilot)
    finally:
        watcher.stop()
