from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from debugloop.ingest import daemon
from debugloop.session import collector_file, runs
from debugloop.session.endpoint import Endpoint
from debugloop.session.session import Session
from tests.e2e.chromium import visit
from tests.support import until


@pytest.fixture
def known(session: Session, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("DEBUGLOOP_LOG_BYTES", "400000")
    yield daemon.ensure(session)
    daemon.stop(session)


def records(session: Session) -> list[dict[str, Any]]:
    return [row.record() for row in runs.read(session)[1]]


def found_of(session: Session, key: str) -> list[Any]:
    return [record[key] for record in records(session) if key in record]


def complete(session: Session, key: str, count: int) -> Callable[[], bool]:
    return lambda: len(found_of(session, key)) >= count


HEADERS = """{"content-type": "application/json", "baggage": "a=b", "traceparent": "00-" + "1".repeat(32) + "-01-01",
  "sentry-trace": "x", "x-debug-session-id": "y"}"""

EVENTS = f"""
  document.cookie = "a=b";
  const found = {{}};
  found.fetch = await post({{kind: "fetch"}}, {{headers: {HEADERS}, credentials: "include"}});
  found.text = navigator.sendBeacon(url, JSON.stringify({{kind: "text"}}));
  found.blob = navigator.sendBeacon(url, new Blob([JSON.stringify({{kind: "blob"}})], {{type: "application/json"}}));
  let chain = Promise.resolve();
  for (let n = 0; n < 50; n++) chain = chain.then(() => post({{burst: n}}));
  await chain;
  found.parallel = await Promise.all([...Array(60).keys()].map(n =>
    post({{parallel: n, fill: "x".repeat(2000)}}, {{keepalive: true}}).then(answer => answer[0])));
  tell(found);
"""


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "tenant.app.localhost"])
def test_every_event_of_a_local_page_lands_once_and_in_order(
    session: Session, known: Endpoint, tmp_path: Path, host: str
) -> None:
    with visit(host, EVENTS, known.url, tmp_path / "profile") as page:
        until(complete(session, "kind", 3))
    found = page.found
    assert (found["fetch"], found["text"], found["blob"]) == ([204, ""], True, True)
    assert sorted(found_of(session, "kind")) == ["blob", "fetch", "text"]
    assert found_of(session, "burst") == list(range(50))
    # keepalive posts share a budget of 64 KiB in the browser, which refuses some itself; all others land
    sent = [number for number, answer in enumerate(found["parallel"]) if answer != "TypeError"]
    assert {found["parallel"][number] for number in sent} == {204}
    assert sorted(found_of(session, "parallel")) == sent
    assert [row.malformed for row in runs.read(session)[1] if row.malformed] == []
    assert collector_file.load(session.layout).rejected == {}


def test_a_page_reads_why_an_event_was_refused(session: Session, known: Endpoint, tmp_path: Path) -> None:
    script = """
      const found = {};
      found.path = await status(other, {method: "POST", body: "{}"});
      found.method = await status(url, {method: "PUT", body: "{}"});
      found.record = await status(url, {method: "POST", body: '{"a":'});
      found.steps = await post({type: "reproduction_steps", steps: ["a"]});
      found.large = await status(url, {method: "POST", body: "x".repeat(8000000)});
      found.encoding = await post({}, {headers: {"content-encoding": "br"}});
      let n = 0;  // as many locations: flood control would keep one from filling the log
      do { found.full = await post({location: `${n++}`, fill: "x".repeat(60000)}); } while (found.full[0] === 204);
      tell(found);
    """
    wrong = dataclasses.replace(known, token="0" * 64)
    with visit("localhost", script, known.url, tmp_path / "profile", other=wrong.url) as page:
        found = page.found
    assert {name: answer[0] for name, answer in found.items()} == {
        "path": 404,
        "method": 405,
        "record": 400,
        "steps": 400,
        "large": 413,
        "encoding": 415,
        "full": 507,
    }
    assert "65,536" in found["large"][1]
    assert session.state().run == 0


def test_a_page_of_a_foreign_origin_gets_no_event_in_and_is_reported(
    session: Session, known: Endpoint, tmp_path: Path
) -> None:
    script = """
      const found = {};
      found.cors = await post({kind: "cors"});
      found.json = await post({kind: "json"}, {headers: {"content-type": "application/json"}});
      found.opaque = await post({kind: "opaque"}, {mode: "no-cors"});
      navigator.sendBeacon(url, JSON.stringify({kind: "beacon"}));
      found.rebound = await status(other, {method: "POST", body: "{}", mode: "no-cors"});
      tell(found);
    """
    rebound = known.url.replace(known.host, "evil.example")
    with visit("evil.example", script, known.url, tmp_path / "profile", other=rebound) as page:
        (refused,) = until(lambda: _counts(session, origin_refused=4, wrong_host=1))
    assert [page.found[kind][0] for kind in ("cors", "json", "opaque")] == ["TypeError", "TypeError", 0]
    assert {each.origin for each in refused.latest} == {page.origin}
    assert f"debugloop start --allow-origin {page.origin}" in {each.mend for each in refused.latest}
    assert records(session) == []


def _counts(session: Session, **least: int) -> list[collector_file.CollectorFile]:
    file = collector_file.load(session.layout)
    return [file] if all(file.rejected.get(code, 0) >= count for code, count in least.items()) else []


def test_a_sandboxed_frame_is_refused_as_null(session: Session, known: Endpoint, tmp_path: Path) -> None:
    script = """
      const frame = document.createElement("iframe");
      frame.sandbox = "allow-scripts";
      frame.srcdoc = `<script>fetch(${JSON.stringify(url)}, {method: "POST", body: "{}"})
        .catch(() => 0).then(() => parent.postMessage("done", "*"))<\\/script>`;
      addEventListener("message", () => tell({}));
      document.documentElement.append(frame);
    """
    with visit("localhost", script, known.url, tmp_path / "profile"):
        (refused,) = until(lambda: _counts(session, origin_refused=1))
    assert refused.latest[-1].mend == "debugloop start --allow-origin null"
    assert records(session) == []


def test_a_page_whose_origin_was_allowed_gets_its_events_in(session: Session, known: Endpoint, tmp_path: Path) -> None:
    script = """
      let answer;
      do { answer = await post({kind: "allowed"}); } while (answer[0] !== 204);
      tell(answer);
    """

    def allow(origin: str) -> None:
        collector_file.update(
            session.layout, session.settings, lambda file: dataclasses.replace(file, allowed_origins=(origin,))
        )

    with visit("myapp.test", script, known.url, tmp_path / "profile", meanwhile=allow) as page:
        assert page.found == [204, ""]
    assert found_of(session, "kind") == ["allowed"]


def test_events_of_reloads_and_of_a_second_tab_are_all_kept_in_order(
    session: Session, known: Endpoint, tmp_path: Path
) -> None:
    script = """
      const load = Number(sessionStorage.load || 0);
      sessionStorage.load = load + 1;
      addEventListener("pagehide", () => navigator.sendBeacon(url, JSON.stringify({left: load})));
      await post({load});
      if (load < 2) return location.reload();
      const frame = document.createElement("iframe");
      if (self === top) { frame.src = "/frame"; document.documentElement.append(frame); }
      else tell({});
    """
    with visit("localhost", script, known.url, tmp_path / "profile"):
        until(complete(session, "left", 2))
    assert found_of(session, "load") == [0, 1, 2, 3]
    assert sorted(found_of(session, "left"))[:2] == [0, 1]
