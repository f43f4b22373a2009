"""The probe for pages, in a real Chromium: whatever the page is about, the event comes and the page does not notice."""

from __future__ import annotations

import json
from pathlib import Path

from debugloop.ingest import daemon
from debugloop.session.endpoint import Endpoint
from debugloop.session.session import Session
from tests.e2e.chromium import visit
from tests.e2e.collectors import heard
from tests.support import cli


def probe(session: Session, data: str) -> str:
    settings = session.settings
    workspace = Path(session.state().workspace)
    told = cli("snippet", "javascript", "--data", data, "--json", home=settings.home, cwd=workspace)
    text: str = json.loads(told.stdout)["text"]
    return f"\n{text}"


def test_values_of_a_page_are_readable_and_its_globals_are_as_they_were(
    session: Session, known: Endpoint, tmp_path: Path
) -> None:
    script = f"""
      const node = document.createElement("p"); node.id = "x";
      const before = Object.keys(window).length, list = [window, document];
      {probe(session, "node, typeof list[0], new Uint8Array(2), location, document.title")}
      tell({{more: Object.keys(window).length - before}});
    """
    with visit("localhost", script, known.url, tmp_path / "profile") as page:
        [event] = heard(session, 1)
    assert page.found == {"more": 0}
    data = event["data"]
    assert data["node"] == "<p id=x>"
    assert data["typeof list[0]"] == "object"
    assert data["new Uint8Array(2)"] == [0, 0]
    assert data["location"]["[type]"] == "Location"
    assert data["document.title"] == "page"


def test_a_probe_in_the_script_of_a_page_ends_no_script(session: Session, known: Endpoint, tmp_path: Path) -> None:
    workspace = Path(session.state().workspace)
    (workspace / "a.html").write_text("<script>\nconst total = '105';\ntell(total);\n</script>\n")
    words = ("instrument", "a.html:3", "--message", "</script><!-- <script>", "--data", "total, '<!--'")
    assert cli(*words, home=session.settings.home, cwd=workspace).returncode == 0
    script = (workspace / "a.html").read_text().removeprefix("<script>").rpartition("</script>")[0]
    with visit("localhost", script, known.url, tmp_path / "profile") as page:
        [event] = heard(session, 1)
    assert page.found == "105"
    assert (event["message"], event["data"]) == ("</script><!-- <script>", {"total": "105", "'<!--'": "<!--"})


def test_an_event_of_a_page_that_is_going_away_comes(session: Session, known: Endpoint, tmp_path: Path) -> None:
    script = f"""
      if (location.hash) return tell("gone");
      addEventListener("pagehide", () => {{ {probe(session, "'leaving'")} }});
      location.href = "/other#x";
    """
    with visit("localhost", script, known.url, tmp_path / "profile") as page:
        [event] = heard(session, 1)
    assert page.found == "gone"
    assert event["data"] == {"'leaving'": "leaving"}


def test_a_page_that_mocks_fetch_is_heard_and_its_mock_is_not_called(
    session: Session, known: Endpoint, tmp_path: Path
) -> None:
    script = f"""
      const real = fetch; let calls = 0;
      window.fetch = () => {{ calls++; }};
      {probe(session, "1")}
      const beacon = navigator.sendBeacon; navigator.sendBeacon = () => false;
      {probe(session, "2")}
      window.fetch = real;
      tell({{calls}});
    """
    with visit("localhost", script, known.url, tmp_path / "profile") as page:
        heard(session, 1)
    # without a beacon there is only fetch: what a mock of it gives breaks nothing
    assert page.found == {"calls": 1}


def test_a_worker_is_heard(session: Session, known: Endpoint, tmp_path: Path) -> None:
    worker = probe(session, "typeof window") + "\npostMessage('done');"
    script = f"""
      const code = new Blob([{json.dumps(worker)}]);
      new Worker(URL.createObjectURL(code)).onmessage = (message) => tell(message.data);
    """
    with visit("localhost", script, known.url, tmp_path / "profile") as page:
        [event] = heard(session, 1)
    assert page.found == "done"
    assert event["data"] == {"typeof window": "undefined"}


def test_a_dead_collector_changes_nothing(session: Session, known: Endpoint, tmp_path: Path) -> None:
    text = probe(session, "1")
    daemon.stop(session)
    script = f"{text.replace('navigator.sendBeacon(url, line)', 'false')}\nsetTimeout(() => tell('fine'), 300);"
    with visit("localhost", script, known.url, tmp_path / "profile") as page:
        assert page.found == "fine"
