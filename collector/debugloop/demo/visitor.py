"""Who visits the page: a browser, or where there is none a stand-in that sends the same requests."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from debugloop.errors import DemoFailed
from debugloop.probes import markers

_SECONDS: Final = 5.0
_ADDRESS: Final = re.compile(rb'fetch\("([^"]+)"')
_EVENT: Final = re.compile(rb'hypothesisId: "([^"]+)", location: "([^"]+)", message: "([^"]+)"')


class Visitor(Protocol):
    """Opens the page and presses its buttons."""

    name: str

    def open(self, url: str) -> None:
        """Load the page, an empty cart in it."""
        ...

    def add(self, sku: str) -> str:
        """Press Add beside an item; gives the total that the page shows then."""
        ...

    def close(self) -> None:
        """Leave, with everything that was started for the visit."""
        ...


class StandIn:
    """Sends what the page sends, and reckons as the page's script does, for want of a browser to run it.

    The events come from the probes that stand in the script that is served: without them it sends none.
    """

    name = "a stand-in for a browser"

    def __init__(self) -> None:
        self._page = ""
        self._lines: list[dict[str, Any]] = []
        self._probes: dict[str, bytes] = {}

    def open(self, url: str) -> None:
        """Ask for what the page asks for as it loads."""
        self._page = url
        self._lines = []
        _request("GET", url)
        script = _request("GET", f"{url}cart.js")
        self._probes = dict(_probes(script))
        _request("GET", f"{url}api/catalogue")

    def add(self, sku: str) -> str:
        """Do what the button does."""
        line = json.loads(_request("POST", f"{self._page}api/lines", json.dumps({"sku": sku})))
        self._lines.append(line)
        self._send("2", {"sku": sku, "lines": len(self._lines)})
        prices = [line["price_cents"] for line in self._lines]
        total = prices[0]
        for price in prices[1:]:
            # JavaScript's +: two numbers are added, text is joined
            total = f"{total}{price}" if isinstance(total, str) or isinstance(price, str) else total + price
        types = ["string" if isinstance(price, str) else "number" for price in prices]
        self._send("3", {"types": types, "sum": total})
        return f"{float(total) / 100:.2f}"

    def close(self) -> None:
        """Nothing was started."""

    def _send(self, name: str, data: dict[str, Any]) -> None:
        text = self._probes.get(name, b"")
        address, event = _ADDRESS.search(text), _EVENT.search(text)
        if address and event:
            hypothesis, location, message = (part.decode() for part in event.groups())
            body = {"hypothesisId": hypothesis, "location": location, "message": message, "data": data}
            _request("POST", address[1].decode(), json.dumps(body), origin=self._page.rstrip("/"))


def _probes(script: bytes) -> Iterator[tuple[str, bytes]]:
    """The probes that stand in a script: the name of each and its text."""
    found = markers.find(script)
    for session in dict.fromkeys(marker.session for marker in found):
        for region in markers.judge(found, session)[0]:
            yield region.begin.name, script[region.begin.start : region.finish.end]


def _request(method: str, url: str, body: str | None = None, origin: str | None = None) -> bytes:
    """One request, straight to this machine whatever proxy is set."""
    parts = urlsplit(url)
    headers = {"Origin": origin} if origin else {}
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_SECONDS)
    try:
        connection.request(method, parts.path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
    except OSError as error:
        raise DemoFailed(f"nothing answers on port {parts.port} ({error})") from error
    finally:
        connection.close()
    if answer.status >= 300:  # noqa: PLR2004 -- HTTP
        raise DemoFailed(f"port {parts.port} answered {answer.status}: {content[:200].decode('utf-8', 'replace')}")
    return content
