"""Whether an event can reach the log: of the collector, and of one page, what hinders it and what mends that."""

from __future__ import annotations

import http.client
import ssl
import time
import urllib.error
import urllib.request
from contextlib import suppress
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlsplit

from debugloop.errors import PageUnreadable
from debugloop.evidence.visible import visible
from debugloop.ingest.gate import normal_origin, origin_allowed, origin_refused
from debugloop.ingest.policy import Policy, forbidding, policies_in
from debugloop.session import collector_file, endpoint, files

if TYPE_CHECKING:
    from debugloop.session.session import Session

_SECONDS: Final = 5.0
_PAGE_BYTES: Final = 1 << 20
"""Of a page, what is searched for a policy; one that counts stands at its head."""
_LATEST: Final = 3
_HEADER: Final = "Content-Security-Policy"


def hindrances(session: Session) -> list[str]:
    """What keeps events from the log of a session, a sentence each; the last refusals, too."""
    layout = session.layout
    address = endpoint.load(layout)
    collector = collector_file.load(layout)
    if address is None or not collector_file.running(layout):
        return ["The collector does not run. `debugloop start` brings it back on the same address."]
    found: list[str] = []
    if not _answers(address.port):
        found.append(f"Nothing answers on port {address.port}. `debugloop stop`, then `debugloop start`.")
    log = files.signature(layout.log)
    if log and log[2] >= session.settings.log_bytes:
        found.append("The log is full. `debugloop clear` empties it.")
    mended = {each.mend: each for each in collector.latest if each.mend}
    for each in list(mended.values())[-_LATEST:]:
        origin = f" from {visible(each.origin)}" if each.origin else ""
        found.append(f"An event{origin} was refused ({each.code}). Mend it: {visible(each.mend or '')}.")
    return found


def hindrances_of_page(session: Session, page: str) -> list[str]:
    """What keeps a page from sending to the collector. Fetches it; raises PageUnreadable."""
    address = endpoint.load(session.layout)
    if address is None:
        return []
    at, policies = _fetch(page)
    found: list[str] = []
    origin = normal_origin(f"{urlsplit(at).scheme}://{urlsplit(at).netloc}")
    allowed = frozenset(collector_file.load(session.layout).allowed_origins)
    if origin is not None and not origin_allowed(origin, allowed):
        found.append(visible(origin_refused(origin).message))
    for where, directive, instead in forbidding(policies, at, address.url):
        found.append(
            f"The page's policy ({where}) forbids it to send: `{visible(directive)}`. While you debug let it say "
            f"`{visible(instead)}`, and undo that at the end."
        )
    return found


def _beginning(answer: http.client.HTTPResponse) -> bytes:
    """What comes of a page in some seconds: some never end, and their policy has come by then."""
    deadline = time.monotonic() + _SECONDS
    read = b""
    with suppress(OSError, http.client.HTTPException):
        while len(read) < _PAGE_BYTES and time.monotonic() < deadline and (piece := answer.read1(_PAGE_BYTES)):
            read += piece
    return read


def _answers(port: int) -> bool:
    """Whether the collector answers on its port; what it is asked is a preflight, which counts nothing."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
    try:
        connection.request("OPTIONS", "/")
        return connection.getresponse().getheader("Server") == "debugloop"
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _fetch(page: str) -> tuple[str, list[Policy]]:
    """Where a page is after all redirections, and its policies."""
    try:
        scheme, _ = urlsplit(page).scheme, urlsplit(page).port
    except ValueError as error:
        raise PageUnreadable(page, str(error)) from error
    if scheme not in {"http", "https"}:
        raise PageUnreadable(page, "it is no address that begins with http:// or https://")
    unchecked = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # a development server has a certificate of its own making
    unchecked.check_hostname = False
    unchecked.verify_mode = ssl.CERT_NONE
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=unchecked)
    )
    try:
        request = urllib.request.Request(page, headers={"Accept": "text/html"})  # noqa: S310 -- its scheme was looked at
        answer = opener.open(request, timeout=_SECONDS)
    except urllib.error.HTTPError as error:  # a page all the same
        answer = cast("http.client.HTTPResponse", error)
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise PageUnreadable(page, str(getattr(reason, "strerror", None) or reason).lower()) from error
    with answer:
        html = _beginning(answer).decode("utf-8", "replace")
        headers = [Policy(_HEADER, text) for text in answer.headers.get_all(_HEADER) or []]
        return answer.url, [*headers, *policies_in(html)]
