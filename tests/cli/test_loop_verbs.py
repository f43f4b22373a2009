"""hypothesis, steps, wait and logs: what they print, to programs and to people."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from debugloop.session import actions
from debugloop.session.layout import Layout
from debugloop.session.session import Session
from tests.cli.processes import script
from tests.support import clean_environment

if TYPE_CHECKING:
    from debugloop.settings import Settings
    from tests.cli.conftest import Debugloop

RECORD = b'{"hypothesisId":"H1","location":"cart.js:12","message":"add","data":{"price":1.10,"n":1e999,"n":2}}'


@pytest.fixture
def started(debugloop: Debugloop, settings: Settings) -> Session:
    return Session(Layout(Path(debugloop("start", "--session", "s1", "--json").answer["directory"])), settings)


def log(session: Session, *lines: bytes) -> None:
    with session.layout.log.open("ab") as file:
        file.writelines(line + b"\n" for line in lines)


# -- hypothesis ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("started")
def test_the_ledger_is_written_judged_and_listed(debugloop: Debugloop, started: Session) -> None:
    assert "There are no hypotheses yet" in debugloop("hypothesis", "list").err
    assert debugloop("hypothesis", "add", "the tax is \x1b[1madded twice").out == "H1  the tax is \\x1b[1madded twice\n"
    added = debugloop("hypothesis", "add", "the cache is stale", "--id", "cache", "--json").answer
    assert added == {"id": "cache", "text": "the cache is stale", "verdict": "open", "citations": [], "stale": []}
    log(started, RECORD)

    assert debugloop("hypothesis", "set", "H1", "confirmed", "--cite", "0:1").code == 0
    listed = debugloop("hypothesis", "list", "--json").answer
    assert [(each["id"], each["verdict"], each["citations"]) for each in listed] == [
        ("H1", "confirmed", ["0:1"]),
        ("cache", "open", []),
    ]
    debugloop("clear")
    assert "confirmed    the tax is \\x1b[1madded twice  [0:1 (stale)]" in debugloop("hypothesis", "list").out


# -- steps ---------------------------------------------------------------------------------------------


def test_steps_open_a_run_and_tell_what_became_of_an_unread_press(debugloop: Debugloop, started: Session) -> None:
    published = debugloop("steps", "--title", "Wrong total", "Open the cart", "Add two items", "--json").answer
    assert {key: published[key] for key in ("session", "run", "title", "steps", "source", "retired")} == {
        "session": "s1",
        "run": 1,
        "title": "Wrong total",
        "steps": ["Open the cart", "Add two items"],
        "source": "cli",
        "retired": [],
    }
    log(started, RECORD)
    actions.press(started, "reproduced")
    debugloop("stop")

    again = debugloop("steps", "Open the cart")

    assert again.code == 0
    assert "it serves again, on the same address" in again.err
    assert "Press 1 (Reproduced, run 1) had not been read; the new steps retired it." in again.err
    assert again.out.startswith("Run 2 is open. Tell the person to follow the steps")


def test_the_first_steps_tell_when_no_probe_was_put_in(debugloop: Debugloop, started: Session, workspace: Path) -> None:
    (workspace / "a.py").write_text("total = 1\n")

    without = debugloop("steps", "Run it")
    debugloop("start", "--new", "--session", "s2")
    debugloop("instrument", "a.py:1", "--session", "s2")
    probed = debugloop("steps", "Run it", "--session", "s2")

    assert "No probe was put in yet, so unless you wrote some by hand: `debugloop instrument " in without.out
    assert "No probe" not in probed.out


def test_steps_refuse_over_an_unread_resolved(debugloop: Debugloop, started: Session) -> None:
    debugloop("steps", "Open the cart")
    actions.press(started, "resolved")

    refused = debugloop("steps", "Open the cart", "--json")

    assert (refused.code, refused.error["error"]) == (1, "unread_resolved")
    assert "press 1, run 1" in refused.error["message"]


# -- wait ----------------------------------------------------------------------------------------------


def test_wait_says_pending_with_exit_code_3(debugloop: Debugloop, started: Session) -> None:
    debugloop("steps", "Open the cart")
    log(started, RECORD, b'{"message":"untagged"}')

    ran = debugloop("wait", "--timeout", "0", "--json")
    assert ran.code == 3
    assert {key: ran.answer[key] for key in ("status", "press", "note", "run", "events")} == {
        "status": "pending",
        "press": None,
        "note": None,
        "run": 1,
        "events": 2,
    }
    text = debugloop("wait", "--timeout", "0")
    assert text.code == 3
    assert text.out.startswith("Pending.\nEvents so far by hypothesis: H1: 1, (no hypothesis): 1.\n")


def test_wait_gives_the_press_its_note_and_the_evidence(debugloop: Debugloop, started: Session) -> None:
    debugloop("steps", "Open the cart")
    log(started, RECORD)
    actions.press(started, "reproduced", "105 where\x1b[31m 15 was due")

    ran = debugloop("wait", "--timeout", "0", "--json")
    assert ran.code == 0
    answer = ran.answer
    assert (answer["status"], answer["press"], answer["run"], answer["events"]) == ("reproduced", 1, 1, 1)
    assert answer["note"] == "105 where\x1b[31m 15 was due"
    assert answer["evidence"]["hypotheses"][0]["locations"][0]["location"] == "cart.js:12"
    assert RECORD in ran.out.encode()

    text = debugloop("wait", "--timeout", "0").out
    assert text.startswith("Reproduced: press 1, run 1.\nThe person's note: 105 where\\x1b[31m 15 was due\n")
    assert '| 1:2  {"hypothesisId":"H1"' in text
    assert "`--after 1` acknowledges this press." in text
    assert debugloop("wait", "--timeout", "0", "--after", "1").code == 3


def test_wait_tells_that_the_collector_had_to_be_brought_back(debugloop: Debugloop, started: Session) -> None:
    debugloop("stop")

    assert "it serves again" in debugloop("wait", "--timeout", "0").err
    assert debugloop("wait", "--timeout", "0").err == ""
    assert started.state().mode == "debug"


# -- logs ----------------------------------------------------------------------------------------------


def test_logs_splices_records_as_they_were_written(debugloop: Debugloop, started: Session) -> None:
    log(started, RECORD, b'{"torn":', b'{"m":"\xc2\x9b31m \xe2\x80\xae"}')

    ran = debugloop("logs", "--json")

    first, second, third = ran.out.splitlines()
    assert first.encode() == b'{"line":1,"run":0,"record":' + RECORD + b"}"
    assert json.loads(second) == {"line": 2, "run": 0, "malformed": "torn", "text": '{"torn":'}
    assert third == r'{"line":3,"run":0,"record":{"m":"\u009b31m \u202e"}}'


def test_logs_shows_hostile_text_as_text(debugloop: Debugloop, started: Session) -> None:
    log(started, b'{"message":"\\u001b]52;c;aGk=\\u0007","location":"\xc2\x9b31m"}', b"\x1b[2J torn")

    out = debugloop("logs").out

    assert "\x1b" not in out
    assert "\x9b" not in out
    assert "\\x1b]52;c;aGk=\\x07" in out


def test_logs_filters(debugloop: Debugloop, started: Session) -> None:
    log(
        started,
        RECORD,
        b'{"hypothesisId":"H2","level":"warn","location":"tax.py:3","message":"Taxed"}',
        b'{"message":"plain"}',
    )

    def lines(*arguments: str) -> list[int]:
        return [json.loads(line)["line"] for line in debugloop("logs", "--json", *arguments).out.splitlines()]

    assert lines() == [1, 2, 3]
    assert lines("--hypothesis", "h2") == [2]
    assert lines("--level", "WARNING") == [2]
    assert lines("--min-level", "info") == [1, 2, 3]
    assert lines("--min-level", "warn") == [2]
    assert lines("--filter", "taxed") == [2]
    assert lines("--filter", "-taxed") == [1, 3]
    assert lines("--filter", "/^(H2|pl)/") == [2, 3]
    assert lines("--location", "cart") == [1]
    assert lines("--text", "1.10") == [1]
    assert lines("--text", "taxed") == [2]
    assert lines("--after", "1", "--text", "a") == [2, 3]
    assert lines("--hypothesis", "H9") == []


def test_logs_reads_an_earlier_run(debugloop: Debugloop, started: Session) -> None:
    debugloop("steps", "Open")
    log(started, RECORD)
    debugloop("steps", "Open")

    assert '"run":1,"record":' + RECORD.decode() in debugloop("logs", "--run", "1", "--json").out
    assert debugloop("logs", "--text", "price").out == ""


def test_a_limit_bounds_rows_and_bytes_and_tells_how_to_go_on(debugloop: Debugloop, started: Session) -> None:
    log(started, *(b'{"n":%d}' % number for number in range(1, 31)))

    ran = debugloop("logs", "--limit", "10")
    assert len(ran.out.splitlines()) == 10
    assert ran.err == "20 more; go on with --after 10.\n"
    assert debugloop("logs", "--limit", "10", "--after", "10", "--json").error == {"more": 10, "after": 20}
    assert debugloop("logs", "--limit", "10", "--after", "20").err == ""

    log(started, *(b'{"stack":"%b"}' % (b"s" * 6_000) for _ in range(5)), b'{"stack":"%b"}' % (b"s" * 60_000))
    bounded = debugloop("logs", "--limit", "100", "--after", "30", "--json")
    assert len(bounded.out) <= started.settings.answer_bytes
    assert bounded.error == {"more": 4, "after": 32}
    huge = debugloop("logs", "--limit", "100", "--after", "35", "--json")
    assert huge.answer["cut"] > 60_000
    assert huge.answer["record"]["stack"].endswith("… (60,000 characters)")
    text = debugloop("logs", "--limit", "100", "--after", "35")
    assert len(text.out) <= started.settings.answer_bytes
    assert len(debugloop("logs", "--after", "30").out) > 90_000


def test_logs_gives_a_digest(debugloop: Debugloop, started: Session) -> None:
    log(started, *[RECORD] * 2_000)

    ran = debugloop("logs", "--digest", "--json")
    assert len(ran.out) <= started.settings.answer_bytes
    assert '"times":2000' in ran.out
    assert "(2000 times)" in debugloop("logs", "--digest").out


def test_reading_logs_acknowledges_what_wait_returned(debugloop: Debugloop, started: Session) -> None:
    debugloop("steps", "Open")
    actions.press(started, "reproduced")
    assert debugloop("wait", "--timeout", "0").code == 0

    debugloop("logs")

    assert debugloop("wait", "--timeout", "0").code == 3


def test_logs_follows_through_clear_and_new_runs_until_the_session_ends(
    debugloop: Debugloop, started: Session, home: Path, workspace: Path
) -> None:
    log(started, b'{"n":1}', b'{"skip":1}')
    with subprocess.Popen(
        script(["logs", "--follow", "--text", "n"]),
        cwd=workspace,
        env=clean_environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr

        def line() -> str:
            assert process.stdout
            return process.stdout.readline().strip()

        assert line().endswith("n=1")
        log(started, b'{"n":2}')
        assert line().endswith("n=2")
        debugloop("clear")
        assert process.stderr.readline() == "Run 0 was cleared.\n"
        log(started, b'{"n":3}')
        assert line().startswith("0:1")
        debugloop("steps", "One n")
        assert process.stderr.readline() == "Run 1 began.\n"
        assert line().startswith("1:1")
        started.update(mode="build")
        with started.layout.log.open("r+b") as emptied:
            emptied.truncate(0)
        assert process.wait(timeout=60) == 0
        assert process.stderr.read().endswith("The session is finished.\n")


def test_following_a_session_that_is_deleted_ends_with_a_sentence(
    debugloop: Debugloop, started: Session, home: Path, workspace: Path
) -> None:
    log(started, b'{"n":1}')
    with subprocess.Popen(
        script(["logs", "--follow"]),
        cwd=workspace,
        env=clean_environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        debugloop("stop")
        debugloop("sessions", "delete", "s1")
        assert process.wait(timeout=60) == 1
        assert "was deleted" in process.stderr.read()


def test_a_start_names_the_next_probe_that_is_free(debugloop: Debugloop, started: Session, workspace: Path) -> None:
    (workspace / "a.py").write_text("total = 1\n")
    first = debugloop("start").out
    debugloop("instrument", "a.py:1")
    again = debugloop("start").out

    assert f"#region debugloop {started.id}/1\n" in first
    assert f"#region debugloop {started.id}/2\n" in again
