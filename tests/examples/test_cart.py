"""The cart: its backend as a program, its page in a browser, and the bug between the two."""

from __future__ import annotations

import http.client
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from debugloop.demo.browser import Chromium
from debugloop.demo.visitor import StandIn, Visitor
from tests.support import GENEROUS, ROOT, require


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[str]:
    """The address of a running copy."""
    folder = shutil.copytree(ROOT / "examples/cart", tmp_path / "cart")
    with subprocess.Popen([sys.executable, "-B", "server.py"], cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.send_signal(signal.SIGINT)
        assert server.wait(GENEROUS) == 0


@pytest.fixture(params=["chromium", "stand-in"])
def visitor(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Visitor]:
    if request.param == "stand-in":
        yield StandIn()
        return
    chromium = Chromium(require("chromium"), tmp_path / "browser")
    try:
        chromium.attach()
        yield chromium
    finally:
        chromium.close()


def ask(url: str, method: str, path: str, body: object = None) -> tuple[int, Any]:
    connection = http.client.HTTPConnection(url.removeprefix("http://").rstrip("/"), timeout=GENEROUS)
    connection.request(method, path, json.dumps(body) if body is not None else None)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, json.loads(text) if "json" in (answer.headers["Content-Type"] or "") else text


def test_the_total_is_right_for_one_item_and_wrong_for_two(shop: str, visitor: Visitor) -> None:
    visitor.open(shop)
    assert [visitor.add("mug"), visitor.add("tea")] == ["12.50", "12504.00"]
    visitor.open(shop)
    assert visitor.add("pot") == "29.00"


def test_the_backend_answers_what_the_page_asks(shop: str) -> None:
    assert ask(shop, "GET", "/")[1].startswith("<!doctype html>")
    assert ask(shop, "GET", "/api/catalogue")[1]["mug"]["name"] == "Mug"
    assert ask(shop, "POST", "/api/lines", {"sku": "tea"}) == (201, {"sku": "tea", "name": "Tea", "price_cents": "400"})
    assert ask(shop, "GET", "/server.py")[0] == 404
    assert ask(shop, "POST", "/elsewhere", {})[0] == 404
