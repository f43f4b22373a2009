"""The probe for pages wherever code of a page runs, and through real minifiers: it is heard from all of it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from debugloop.session import runs
from debugloop.session.endpoint import Endpoint
from debugloop.session.session import Session
from tests.e2e.chromium import visit
from tests.support import cli, require, until


def probe(session: Session, *arguments: str) -> str:
    workspace = Path(session.state().workspace)
    told = cli("snippet", "javascript", "--json", *arguments, home=session.settings.home, cwd=workspace)
    text: str = json.loads(told.stdout)["text"]
    return f"\n{text}"


def said(session: Session, count: int) -> dict[str, Any]:
    """What each probe was told, by its message, once so many events came."""

    def rows() -> list[dict[str, Any]]:
        found = [row.record() for row in runs.read(session)[1]]
        return found if len(found) >= count else []

    return {event["message"]: event.get("data") for event in until(rows)}


def test_it_is_heard_from_everywhere_a_page_runs_code(session: Session, known: Endpoint, tmp_path: Path) -> None:
    def code(message: str, data: str) -> str:
        return json.dumps(probe(session, "--message", message, "--data", data)).replace("</", "<\\/")

    script = f"""
      const where = text => new Blob([text], {{type: "text/javascript"}});
      const put = (owner, text) => {{
        const script = owner.document.createElement("script");
        script.textContent = text; owner.document.documentElement.append(script); }};
      const module = document.createElement("script");
      module.type = "module"; module.textContent = {code("module", "typeof this")};
      document.documentElement.append(module);
      put(window, "'use strict'; (function () {{" + {code("strict", "typeof this")} + "}})()");
      put(window, "window.async = async function* () {{" + {code("generator", "7")} + "}}; async().next();");
      const frame = document.createElement("iframe"); document.documentElement.append(frame);
      put(frame.contentWindow, {code("iframe", "location.href")});
      const opened = window.open("about:blank");
      put(opened, {code("opened", "location.href")});
      new Worker(URL.createObjectURL(where({code("worker", "typeof importScripts")})));
      new Worker(URL.createObjectURL(where({code("module worker", "typeof this")})), {{type: "module"}});
      new SharedWorker(URL.createObjectURL(where({code("shared worker", "typeof onconnect")})));
      Promise.resolve().then(() => new Function({code("function", "1")})());
      tell("put");
    """
    with visit("localhost", script, known.url, tmp_path / "profile"):
        heard = said(session, 9)
    assert heard == {
        "module": {"typeof this": "undefined"},
        "strict": {"typeof this": "undefined"},
        "generator": {"7": 7},
        "iframe": {"location.href": "about:blank"},
        "opened": {"location.href": "about:blank"},
        "worker": {"typeof importScripts": "function"},
        "module worker": {"typeof this": "undefined"},
        "shared worker": {"typeof onconnect": "object"},
        "function": {"1": 1},
    }


def test_it_is_heard_from_a_service_worker_and_from_the_page_that_this_answers_for(
    session: Session, known: Endpoint, tmp_path: Path
) -> None:
    worker = (
        f"self.oninstall = () => self.skipWaiting();"
        f"self.onactivate = event => event.waitUntil(clients.claim());"
        f"self.onfetch = event => {{ if (/debug|found/.test(event.request.url)) return;"
        f"event.respondWith(new Response(''))}};{probe(session, '--message', 'worker', '--data', 'typeof clients')}"
    )
    script = f"""
      await navigator.serviceWorker.register("/worker.js");
      await new Promise(done => navigator.serviceWorker.controller ? done()
        : navigator.serviceWorker.addEventListener("controllerchange", done));
      {probe(session, "--message", "page", "--data", "navigator.serviceWorker.controller.scriptURL.slice(-10)")}
      tell(await (await fetch("/anything")).text());
    """
    with visit("localhost", script, known.url, tmp_path / "profile", files={"/worker.js": worker}):
        heard = said(session, 2)
    assert heard == {
        "worker": {"typeof clients": "object"},
        "page": {"navigator.serviceWorker.controller.scriptURL.slice(-10)": "/worker.js"},
    }


MINIFIERS = {
    "esbuild": ("esbuild", "--minify", "--target=es2017"),
    "esbuild bundle": ("esbuild", "--minify", "--bundle", "--format=iife", "--target=es2017"),
    "terser": ("terser", "--compress", "passes=2,unsafe=true", "--mangle", "toplevel=true", "--"),
}


@pytest.mark.parametrize("minifier", MINIFIERS)
def test_it_survives_a_minifier(minifier: str, session: Session, known: Endpoint, tmp_path: Path) -> None:
    source = tmp_path / "app.js"
    source.write_text(
        f"'use strict';{probe(session, '--capture')}\n"
        f"function total(prices) {{ let sum = 0; for (const price of prices) sum += price;"
        f"{probe(session, '--message', 'sum', '--data', 'sum, prices')} return sum; }}\n"
        "console.warn('total', total([1, 2]));\n"
    )
    tool, *arguments = MINIFIERS[minifier]
    # where Debian keeps what its terser wants, for a Node that is not Debian's
    environment = {**os.environ, "NODE_PATH": "/usr/share/nodejs"}
    made = subprocess.run(
        [require(tool), *arguments, source], env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert "#region" not in made
    with visit("localhost", f"(0, eval)({json.dumps(made)}); tell('ran');", known.url, tmp_path / "profile") as page:
        assert page.found == "ran"
        heard = said(session, 2)
    assert heard == {"console.warn": {"arguments": ["total", 3]}, "sum": {"sum": 3, "prices": [1, 2]}}


def test_a_page_whose_policy_forbids_it_goes_on(session: Session, known: Endpoint, tmp_path: Path) -> None:
    script = f"""
      const meta = document.createElement("meta"); meta.httpEquiv = "Content-Security-Policy";
      meta.content = "connect-src 'self'"; document.head.append(meta);
      document.addEventListener("securitypolicyviolation", event => tell(event.effectiveDirective));
      {probe(session, "--data", "1")}
    """
    with visit("localhost", script, known.url, tmp_path / "profile") as page:
        assert page.found == "connect-src"
