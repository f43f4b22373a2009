"""Make the README's pictures of the panel: a real panel over a real session, its clock standing still.

python docs/pictures/make.py
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from debugloop.session.session import Session

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))  # started as a script, for docs.pictures

from docs.pictures.svg import picture  # noqa: E402

from debugloop.session import endpoint, ledger, runs  # noqa: E402
from debugloop.session import session as sessions  # noqa: E402
from debugloop.session.endpoint import Endpoint  # noqa: E402
from debugloop.session.journal import Journal  # noqa: E402
from debugloop.session.locks import hold  # noqa: E402
from debugloop.session.records import Steps  # noqa: E402
from debugloop.settings import Settings  # noqa: E402
from debugloop_overlay import languages  # noqa: E402
from debugloop_overlay.app import Panel  # noqa: E402
from debugloop_overlay.history import Tally  # noqa: E402
from debugloop_overlay.watcher import Watcher  # noqa: E402

SIZE = (96, 26)
STEPS = {
    "en": Steps("The total is wrong", ("Open the cart", "Add an apple, then a pear", "Look at the total")),
    "zh": Steps("总价不对", ("打开购物车", "先加一个苹果，再加一个梨", "看总价")),
}
HYPOTHESES = {
    "en": ("The price reaches the sum as text", "The cart is shared between tabs", "The discount is taken twice"),
    "zh": ("价格以文本形式参与求和", "多个标签页共用购物车", "折扣被计算了两次"),
}
_START = 1_764_532_800_000
EVENTS = (
    ("H1", "cart.js:12", "add", "debug", {"name": "apple", "price": "5"}),
    ("H2", "tabs.js:30", "cart opened", "info", {"tab": 1, "items": 0}),
    ("H1", "cart.js:12", "add", "debug", {"name": "pear", "price": "10"}),
    ("H1", "cart.js:31", "sum so far", "warn", {"sum": "0510", "type": "string"}),
    ("H3", "discount.js:8", "discount", "info", {"before": "0510", "rate": 0}),
    ("H1", "cart.js:42", "total", "error", {"total": "0510", "expected": 15}),
)


def debugged(home: Path, language: str) -> Session:
    """A session in which a wrong total was just reproduced."""
    workspace = home / "shop"
    workspace.mkdir(mode=0o700)
    session = sessions.start(Settings(home=home), workspace, session_id="shop")
    endpoint.save(session.layout, Endpoint(4711, "0" * 64))
    for text in HYPOTHESES[language]:
        ledger.add(session, text)
    journal = Journal(session)
    journal.new_run(STEPS[language])
    journal.close()
    ledger.set_verdict(session, "H2", "rejected", [(1, 3)])
    names = ("hypothesisId", "location", "message", "level", "data")
    lines = [
        {**dict(zip(names, event, strict=True)), "timestamp": _START + 180 * number}
        for number, event in enumerate(EVENTS)
    ]
    with session.layout.log.open("ab", buffering=0) as log:
        log.write(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    return session


def began(session: Session) -> int:
    """When its run began."""
    tally = Tally()
    tally.add(runs.read(session)[1])
    return tally.began or 0


async def drawn(session: Session, language: str) -> str:
    """The panel of the session while the agent waits for the person."""
    watcher = Watcher(session)
    started = began(session)
    panel = Panel(watcher, languages.load(language), clock=lambda: started + 42_500)
    with ExitStack() as held:
        held.enter_context(hold(session.layout.collector_lock))
        held.enter_context(hold(session.layout.agent_lock))
        watcher.start()
        try:
            async with panel.run_test(size=SIZE) as pilot:
                deadline = time.monotonic() + 60
                text = ""
                while EVENTS[-1][1] not in text or "4711" not in text:
                    if time.monotonic() > deadline:
                        raise TimeoutError(text)
                    await asyncio.sleep(0.05)
                    await pilot.pause()
                    text = picture(panel, "DEBUG LOGS")
                return text
        finally:
            watcher.stop()


def made(language: str) -> str:
    """One picture, as text."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(drawn(debugged(Path(folder), language), language))


if __name__ == "__main__":
    for code in languages.LANGUAGES:
        (HERE / f"panel-{code}.svg").write_text(made(code), encoding="utf-8")
