"""``debugloop demo`` as a process: what it shows, what it leaves, and that it fails where it should."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support import GENEROUS, ROOT, clean_environment, require, until

pytestmark = pytest.mark.slow

PARTS = [
    *("Session", "Program", "Hypotheses", "Probes", "Run", "Evidence", "Verdicts"),
    *("Fix", "Run", "Compare", "Strip", "Scan", "Finish", "Done"),
]


class Place:
    """A home, a folder for temporary files and a PATH of their own, so that what is left can be seen."""

    def __init__(self, folder: Path) -> None:
        self.home, self.temporary = folder / "h", folder / "t"
        self.home.mkdir(exist_ok=True)
        self.temporary.mkdir()
        self.environment = clean_environment(self.home, TMPDIR=str(self.temporary))

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "debugloop", "demo", *arguments]

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            env={**self.environment, **environment},
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=GENEROUS,
            check=False,
        )

    def left(self) -> list[str]:
        """Files and processes of the demo that are still there."""
        files = [str(path) for folder in (self.home, self.temporary) for path in folder.rglob("*")]
        return files + [line for line in processes() if str(self.temporary) in line]


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("d"))


def processes() -> list[str]:
    return subprocess.run(
        ["ps", "-eo", "pid,args", "-ww"], capture_output=True, text=True, check=True
    ).stdout.splitlines()


def without_browser(folder: Path) -> str:
    """A PATH on which there is no browser."""
    tools = folder / "bin"
    tools.mkdir()
    return str(tools)


def parts(story: str) -> list[str]:
    return re.findall(r"^([A-Z][a-z]+) ", story, re.MULTILINE)


@pytest.mark.parametrize("browser", ["chromium", "none"])
def test_it_goes_through_the_whole_loop_and_leaves_nothing(browser: str, place: Place, tmp_path: Path) -> None:
    path: Mapping[str, str] = {}
    if browser == "none":
        path = {"PATH": without_browser(tmp_path)}
    else:
        require("chromium")
    began = time.monotonic()
    told = place.run(**path)
    assert time.monotonic() - began < GENEROUS
    assert (told.returncode, told.stderr) == (0, "")
    assert [part for part in parts(told.stdout) if part != "Browser"] == PARTS
    assert ("headless Chromium follows them:" in told.stdout) == (browser == "chromium")
    assert ("a stand-in sends the requests" in told.stdout) == (browser == "none")
    assert "Add beside Mug: the page shows 12.50" in told.stdout
    assert "Add beside Tea: the page shows 12504.00" in told.stdout
    assert "Add beside Tea: the page shows 16.50" in told.stdout
    assert re.search(r"H3  confirmed by 1:\d: two strings", told.stdout)
    assert "3 probes removed from cart.js, server.py" in told.stdout
    assert "\x1b" not in told.stdout
    assert not re.search("[0-9a-f]{64}", told.stdout)
    assert max(map(len, told.stdout.splitlines())) <= 110
    assert place.left() == []


def test_with_json_it_tells_only_what_it_came_to(place: Place, tmp_path: Path) -> None:
    told = place.run("--json", PATH=without_browser(tmp_path))
    answer = json.loads(told.stdout)
    assert (told.returncode, told.stderr) == (0, "")
    assert answer["runs"] == [
        {"run": 1, "totals": ["12.50", "12504.00"], "events": 6},
        {"run": 2, "totals": ["12.50", "16.50"], "events": 6},
    ]
    assert answer["verdicts"] == {"H1": "rejected", "H2": "rejected", "H3": "confirmed"}
    assert (answer["probes"], answer["leftovers"]) == (3, 0)
    assert place.left() == []


def test_a_browser_that_does_not_work_is_told_and_replaced(place: Place, tmp_path: Path) -> None:
    tools = Path(without_browser(tmp_path))
    (tools / "chromium").write_text("#!/bin/sh\nexit 1\n")
    (tools / "chromium").chmod(0o755)
    told = place.run(PATH=f"{tools}:/bin")
    assert told.returncode == 0
    assert "chromium does not work here: the browser ended; a stand-in" in " ".join(told.stdout.split())
    assert place.left() == []


@pytest.mark.parametrize(
    ("number", "moment"),
    [
        (signal.SIGINT, "Session"),
        (signal.SIGINT, "Probes"),
        (signal.SIGINT, "follows them"),
        (signal.SIGINT, "Verdicts"),
        (signal.SIGTERM, "follows them"),
        (signal.SIGHUP, "Strip"),
    ],
)
def test_whenever_it_is_interrupted_nothing_is_left(place: Place, number: signal.Signals, moment: str) -> None:
    # a socket that holds a few lines: the demo cannot run on to its end while this process has to wait for its turn
    ours, its = socket.socketpair()
    its.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    with subprocess.Popen(
        place.command(), env=place.environment, cwd=place.home, stdout=its.fileno(), stderr=subprocess.PIPE, text=True
    ) as demo:
        its.close()
        assert demo.stderr is not None
        told = b""
        while moment.encode() not in told:
            told += ours.recv(1) or pytest.fail(f"the demo ended before {moment!r}")
        demo.send_signal(number)
        while ours.recv(65_536):
            pass
        ours.close()
        assert "Traceback" not in demo.stderr.read()
        assert demo.wait(GENEROUS) == 128 + number
    assert place.left() == []


def test_evidence_that_is_not_as_it_should_be_fails_it(place: Place, tmp_path: Path) -> None:
    """A backend without the bug: what the demo says must come from what it sees."""
    wheel = installed(tmp_path)
    server = wheel / "debugloop/_examples/cart/server.py"
    good = server.read_text(encoding="utf-8")
    server.write_text(good.replace('"price_cents": row["price_cents"]', '"price_cents": float(row["price_cents"])'))
    told = place.run(PYTHONPATH=str(wheel), PATH=without_browser(tmp_path))
    assert told.returncode == 1
    assert "The demo did not go as it should: the page showed 12.50 and 16.50 in run 1" in told.stderr
    server.write_text(good.replace('{"sku": sku, **CATALOGUE[sku]}', '{**CATALOGUE[sku], "sku": "cup"}'))
    told = place.run(PYTHONPATH=str(wheel), PATH=str(tmp_path / "bin"))
    assert told.returncode == 1
    assert 'run 1 has no event of H1 with {"sku":"mug","price_cents":"1250"}; it has' in told.stderr
    server.write_text("raise SystemExit(row['price_cents'])")
    told = place.run(PYTHONPATH=str(wheel), PATH=str(tmp_path / "bin"))
    assert told.returncode == 1
    assert place.left() == []


def installed(folder: Path) -> Path:
    """Both packages as the wheel holds them."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=100)
    with zipfile.ZipFile(next((folder / "dist").glob("*.whl"))) as archive:
        archive.extractall(folder / "wheel")
    return folder / "wheel"


def test_it_works_from_the_wheel_whose_program_is_that_of_the_examples(place: Place, tmp_path: Path) -> None:
    wheel = installed(tmp_path)
    shipped = {path.name: path.read_bytes() for path in (wheel / "debugloop/_examples/cart").iterdir()}
    example = ROOT / "examples/cart"
    assert shipped == {path.name: path.read_bytes() for path in example.iterdir() if path.is_file()}
    told = place.run("--json", PYTHONPATH=str(wheel), PATH=without_browser(tmp_path))
    assert told.returncode == 0, told.stderr
    assert place.left() == []


def test_without_a_terminal_a_person_cannot_be_asked(place: Place) -> None:
    told = place.run("--panel")
    assert told.returncode == 1
    assert "this process has no terminal" in told.stderr
    assert place.left() == []


def test_a_folder_for_temporary_files_within_a_repository_is_refused(place: Place, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", place.temporary.parent], check=True)
    told = place.run(PATH=without_browser(tmp_path))
    assert told.returncode == 1
    assert "set TMPDIR to another one" in told.stderr
    assert place.left() == []


def test_on_a_terminal_it_is_coloured_unless_that_is_unwanted(place: Place, tmp_path: Path) -> None:
    path = without_browser(tmp_path)
    assert "\x1b[1mHypotheses\x1b[0m" in on_a_terminal(place, PATH=path, TERM="xterm")
    assert "\x1b" not in on_a_terminal(place, PATH=path, TERM="xterm", NO_COLOR="1")
    assert "\x1b" not in on_a_terminal(place, PATH=path, TERM="dumb")


def on_a_terminal(place: Place, **environment: str) -> str:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        place.command(), env={**place.environment, **environment}, cwd=place.home, stdout=follower, stdin=follower
    ) as demo:
        os.close(follower)
        told = b""
        while select.select((leader,), (), (), GENEROUS)[0]:
            try:
                part = os.read(leader, 65_536)
            except OSError:  # what Linux says at the end of a terminal
                break
            if not part:
                break
            told += part
        os.close(leader)
        assert demo.wait(GENEROUS) == 0
    return told.decode()


class Tmux:
    """A tmux server of its own with one window, in which the demo runs."""

    def __init__(self, place: Place, *, inside: bool) -> None:
        self.socket = place.temporary.parent / "s"
        unset = [] if inside else ["env", "-u", "TMUX"]
        command = [*unset, *place.command("--panel")]
        env = {**place.environment, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        shell = " ".join(command) + f"; echo ended with $? > {place.temporary.parent}/ended; cat"
        start = ["tmux", "-S", str(self.socket), "-f", os.devnull, "new-session", "-d", "-x", "110", "-y", "50", shell]
        subprocess.run(start, env=env, cwd=place.home, check=True)

    def run(self, *arguments: str) -> str:
        command = ["tmux", "-S", str(self.socket), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def panes(self) -> list[str]:
        return self.run("list-panes", "-s", "-F", "#{pane_id}").split()

    def screen(self, pane: str) -> str:
        return self.run("capture-pane", "-p", "-J", "-S", "-200", "-t", pane)


@pytest.mark.parametrize("inside", [True, False], ids=["split", "foreground"])
def test_with_a_panel_a_person_presses_the_buttons(place: Place, inside: bool) -> None:
    require("tmux")
    tmux = Tmux(place, inside=inside)
    try:
        first = tmux.panes()[0]

        def panel() -> str:
            return next((pane for pane in tmux.panes() if pane != first), "") if inside else first

        until(lambda: panel() and "DEBUG LOGS" in tmux.screen(panel()), what="the panel")
        until(lambda: "types=" in tmux.screen(panel()), what="the events")
        until(
            lambda: (tmux.run("send-keys", "-t", panel(), "r"), "with the fix" in tmux.screen(panel()))[1], what="run 2"
        )
        until(lambda: "sum=1650" in tmux.screen(panel()) or "1650" in tmux.screen(panel()), what="the events of run 2")
        tmux.run("send-keys", "-t", panel(), "Right")
        ended = place.temporary.parent / "ended"

        def resolve() -> bool:
            if panel():
                tmux.run("send-keys", "-t", panel(), "Enter")
                tmux.run("send-keys", "-t", panel(), "y")
            return ended.exists()

        until(resolve, what="the end")
        until(lambda: ended.read_text() != "")
        assert ended.read_text() == "ended with 0\n"
        until(lambda: "Done" in tmux.screen(first), what="the story")
        assert tmux.panes() == [first]
    finally:
        tmux.run("kill-server")
    assert place.left() == []


def test_a_panel_that_is_closed_too_early_ends_the_demo(place: Place) -> None:
    require("tmux")
    tmux = Tmux(place, inside=False)
    try:
        pane = tmux.panes()[0]
        ended = place.temporary.parent / "ended"
        until(lambda: "types=" in tmux.screen(pane), what="the events")
        until(lambda: (tmux.run("send-keys", "-t", pane, "Escape"), ended.exists() and ended.read_text())[1])
        assert ended.read_text() == "ended with 1\n"
        until(lambda: "the panel was closed before Reproduced was pressed" in tmux.screen(pane))
    finally:
        tmux.run("kill-server")
    assert place.left() == []
