"""The probe that captures what goes wrong anywhere in a page, in a real Chromium: all is told, nothing is changed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from debugloop.session.endpoint import Endpoint
from debugloop.session.session import Session
from tests.e2e.chromium import visit
from tests.e2e.collectors import heard
from tests.support import cli, require


def capture(session: Session) -> str:
    workspace = Path(session.state().workspace)
    told = cli("snippet", "javascript", "--capture", "--json", home=session.settings.home, cwd=workspace)
    text: str = json.loads(told.stdout)["text"]
    return f"\n{text}"


PAGE = """
  %s
  const seen = [], late = [];
  window.foreseen = true;
  addEventListener("unhandledrejection", event => late.push("rejection " + event.reason));
  addEventListener("error", event => late.push("error " + event.message));
  const gone = "http://127.0.0.1:9/gone";
  seen.push("console " + console.error("one", {two: 2}, new Error("three")) + " " + console.warn("four"));
  const request = address => new Promise(done => {
    const xhr = new XMLHttpRequest(); xhr.open("PUT", address);
    xhr.onloadend = () => done("xhr " + xhr.status + " " + xhr.responseText.length); xhr.send("x"); });
  seen.push(await request("/found?missing"));
  seen.push(await request(gone));
  seen.push("fetch " + (await fetch("/found?missing", {method: "PUT"})).status);
  seen.push(await fetch(gone).catch(error => String(error)));
  try { await fetch("http://["); } catch (error) { seen.push(error.name); }
  fetch(gone);
  setTimeout(() => { null.field; });
  history.pushState({}, "", "/next");
  location.hash = "there";
  while (late.length < 2) await new Promise(done => setTimeout(done, 20));
  seen.push(...late.sort());
  const tapped = [fetch, console.error, XMLHttpRequest.prototype.send, history.pushState, Function.prototype.toString];
  for (const each of tapped)
    seen.push(each.toString() + Function.prototype.toString.call(each) + each.name + each.length);
  seen.push(Object.keys(console).join(), Object.keys(window).length);
  seen.push(JSON.stringify(Object.getOwnPropertyDescriptor(window, "fetch")));
  tell(seen);
"""


def test_what_goes_wrong_is_told_and_the_page_sees_what_it_saw_without(
    session: Session, known: Endpoint, tmp_path: Path
) -> None:
    with visit("localhost", PAGE % "", known.url, tmp_path / "without") as page:
        expected = page.found
    assert "error Uncaught TypeError: Cannot read properties of null (reading 'field')" in expected
    with visit("localhost", PAGE % capture(session), known.url, tmp_path / "with") as page:
        events = heard(session, 13)
        assert page.found == expected

    told = [(event["level"], event["message"]) for event in events]
    assert set(told) >= {
        ("error", "console.error"),
        ("warn", "console.warn"),
        ("error", "XMLHttpRequest failed"),
        ("error", "fetch failed"),
        ("error", "uncaught error"),
        ("error", "unhandled rejection"),
        ("info", "navigation"),
    }
    data = {event["message"]: event["data"] for event in reversed(events)}
    one, two, three = data["console.error"]["arguments"]
    assert (one, two, three["message"]) == ("one", {"two": 2}, "three")
    assert "null" in data["uncaught error"]["message"]
    assert data["unhandled rejection"]["reason"]["name"] == "TypeError"
    requests = {
        (event["data"]["method"], event["data"]["url"].partition("?")[0], event["data"]["status"])
        for event in events
        if event["message"].endswith(" failed")
    }
    gone = "http://127.0.0.1:9/gone"
    assert requests == {("PUT", "/found", 501), ("PUT", gone, 0), ("GET", gone, 0), ("GET", "http://[", 0)}
    # each is a request of its own: no order between them is promised
    by = {event["data"]["by"] for event in events if event["message"] == "navigation"}
    assert by == {"pushState", "popstate", "hashchange"}


def test_it_stands_once_however_often_its_module_is_loaded_and_is_quiet_about_its_own_address(
    session: Session, known: Endpoint, tmp_path: Path
) -> None:
    text = capture(session)
    script = f"""
      {text} {text}
      navigator.sendBeacon = () => false;
      console.error("once");
      await fetch(url, {{method: "POST", body: '{{"message": "own"}}'}});
      await fetch(url + "0", {{method: "POST", body: "x"}}).catch(() => 0);
      tell("done");
    """
    with visit("localhost", script, known.url, tmp_path / "profile"):
        events = heard(session, 3)
    assert sorted(event["message"] for event in events) == ["console.error", "fetch failed", "own"]


def test_a_page_that_mocks_fetch_before_or_after_it_is_as_it_was(
    session: Session, known: Endpoint, tmp_path: Path
) -> None:
    script = f"""
      const mock = Object.assign(() => "no promise", {{calls: 0}}), seen = [];
      window.fetch = mock;
      {capture(session)}
      seen.push(fetch("/x"), fetch.calls);
      window.fetch = async () => {{ throw new RangeError("mocked"); }};
      seen.push(await fetch("/y").catch(error => error.name));
      const frame = document.documentElement.appendChild(document.createElement("iframe"));
      frame.contentWindow.fetch("/found", {{method: "POST", body: JSON.stringify(seen)}});
    """
    with visit("localhost", script, known.url, tmp_path / "profile") as page:
        assert page.found == ["no promise", 0, "RangeError"]


def test_in_node_it_does_nothing(home: Path, workspace: Path) -> None:
    cli("start", home=home, cwd=workspace)
    path = workspace / "a.mjs"
    path.write_text("console.error(String(console.error));\n")
    before = path.read_bytes()
    expected = subprocess.run([require("node"), path], capture_output=True, check=True)
    ran = cli("instrument", "a.mjs:1", "--capture", "--hypothesis", "H1", home=home, cwd=workspace)
    assert ran.returncode == 0, ran.stderr
    found = subprocess.run([require("node"), path], capture_output=True, check=True)
    assert (found.stdout, found.stderr) == (expected.stdout, expected.stderr)
    assert cli("logs", home=home, cwd=workspace).stdout == ""
    assert cli("strip", home=home, cwd=workspace).returncode == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["instrument", "a.py:1", "--capture"], "There is none for python"),
        (["instrument", "a.js:1", "--capture", "--data", "x"], "It takes no --message, --data or --level."),
        (["snippet", "go", "--capture"], "There is none for go"),
    ],
    ids=str,
)
def test_what_it_cannot_do_is_refused(arguments: list[str], said: str, home: Path, workspace: Path) -> None:
    cli("start", home=home, cwd=workspace)
    for name in ("a.py", "a.js"):
        (workspace / name).write_text("x\n")
    ran = cli(*arguments, "--json", home=home, cwd=workspace)
    told = json.loads(ran.stderr)
    assert (ran.returncode, told["error"]) == (2, "invalid_capture")
    assert said in told["message"]
