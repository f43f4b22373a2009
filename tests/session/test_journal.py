from __future__ import annotations

import dataclasses
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from debugloop.errors import LockBusy, RunNotFound, SessionFinished, SessionGone, WriteFailed
from debugloop.session import runs, state
from debugloop.session.journal import Journal
from debugloop.session.locks import hold
from debugloop.session.records import Steps
from debugloop.session.session import Session
from debugloop.session.state import Cut
from debugloop.settings import Settings

STEPS = Steps("Cart", ("open", "press"))


def records(session: Session, run: int | None = None) -> list[dict[str, Any]]:
    return [
        row.record() | ({"malformed": row.malformed} if row.malformed else {}) for row in runs.read(session, run)[1]
    ]


def smaller(session: Session, **limits: Any) -> Session:
    return Session(session.layout, dataclasses.replace(session.settings, **limits))


def append_directly(session: Session, data: bytes) -> None:
    with session.layout.log.open("ab", buffering=0) as log:
        log.write(data)


def test_a_record_is_stored_as_it_came_with_time_and_run(session: Session) -> None:
    journal = Journal(session)
    assert journal.append([b'{"n":1.10}', b"{}"]) == []
    first, second = session.layout.log.read_bytes().splitlines()
    assert first.startswith(b'{"n":1.10,"_":{"observed":"20')
    assert orjson.loads(first)["_"]["run"] == 0
    assert list(orjson.loads(second)) == ["_"]


def test_a_writer_that_finds_a_torn_line_starts_a_fresh_one(session: Session) -> None:
    append_directly(session, b'{"a":')
    Journal(session).append([b'{"b":1}'])
    assert [row.malformed for row in runs.read(session)[1]] == ["torn", None]


def test_what_does_not_fit_under_the_cap_is_named_and_the_rest_is_stored(session: Session) -> None:
    journal = Journal(smaller(session, log_bytes=300))
    long, short = b'{"m":"' + b"x" * 200 + b'"}', b'{"m":1}'
    assert journal.append([long, long, short]) == [1, 2] or journal.append([short]) == []
    assert session.layout.log.stat().st_size <= 300
    assert journal.append([long]) == [0]


def test_the_cap_is_over_what_programs_appended_too(session: Session) -> None:
    append_directly(session, b'{"m":"' + b"x" * 500 + b'"}\n')
    assert Journal(smaller(session, log_bytes=400)).append([b"{}"]) == [0]


def test_clear_empties_in_place_keeps_the_steps_and_an_appender_keeps_its_descriptor(session: Session) -> None:
    journal = Journal(session)
    journal.new_run(STEPS)
    journal.append([b'{"m":1}'])
    with session.layout.log.open("ab", buffering=0) as appender:
        journal.clear()
        appender.write(b'{"m":2}\n')
    found = records(session)
    assert [found[0]["steps"], found[1]["m"]] == [["open", "press"], 2]
    assert session.state().clears == {"1": 1}
    assert session.state().run == 1


def test_clear_before_any_steps_leaves_an_empty_log(session: Session) -> None:
    journal = Journal(session)
    journal.append([b"{}"])
    journal.clear()
    assert session.layout.log.read_bytes() == b""
    journal.clear()
    assert session.state().clears == {"0": 2}


def test_a_new_run_archives_the_old_one_only_if_it_had_events(session: Session) -> None:
    journal = Journal(session)
    assert journal.new_run(STEPS) == 1
    assert journal.new_run(STEPS) == 2
    append_directly(session, b'{"m":"direct"}\n{"torn":')
    assert journal.new_run(STEPS) == 3
    assert runs.kept(session) == [2, 3]
    assert [row.malformed for row in runs.read(session, 2)[1]] == [None, None, "torn"]
    assert runs.count_events(runs.read(session, 2)[1]) == 2
    assert [row.steps for row in runs.read(session)[1]] == [True]
    with pytest.raises(RunNotFound, match="2, 3"):
        runs.read(session, 1)


def test_records_carry_the_run_that_another_process_opened(session: Session) -> None:
    mine, theirs = Journal(session), Journal(session)
    mine.append([b"{}"])
    theirs.new_run(STEPS)
    mine.append([b"{}"])
    assert [record["_"] for record in records(session)][-1]["run"] == 1


def test_a_finished_session_opens_no_run(session: Session) -> None:
    session.update(mode="build")
    with pytest.raises(SessionFinished):
        Journal(session).new_run(STEPS)


def test_archives_together_stay_under_their_limit_and_cited_runs_go_last(session: Session) -> None:
    noise = random.Random(7)
    journal = Journal(smaller(session, archive_bytes=20_000))
    (session.layout.hypotheses).write_bytes(
        b'{"version":1,"hypotheses":[{"id":"H1","text":"x","verdict":"open",'
        b'"citations":[{"run":1,"line":2,"clears":0}]}]}'
    )
    session.layout.hypotheses.chmod(0o600)
    journal.new_run(STEPS)
    for _ in range(6):
        journal.append([b'{"m":"%b"}' % noise.randbytes(3000).hex().encode() for _ in range(2)])
        journal.new_run(STEPS)
    kept = session.layout.archived_runs()
    assert 1 in kept
    assert 6 in kept
    assert 2 not in kept
    assert sum(session.layout.run_archive(run).stat().st_size for run in kept) <= 20_000


@pytest.mark.parametrize("cut_at", ["planned", "emptied", "half the steps", "all the steps", "events after the steps"])
def test_a_crash_in_the_middle_of_a_new_run_loses_nothing(session: Session, cut_at: str) -> None:
    journal = Journal(session)
    journal.new_run(STEPS)
    journal.append([b'{"m":"old"}'])
    before = session.layout.log.read_bytes()
    journal.new_run(Steps("Next", ("again",)))
    steps_line = session.layout.log.read_bytes()
    observed = orjson.loads(steps_line)["_"]["observed"]
    state.save(
        session.layout, dataclasses.replace(session.state(), cut=Cut(len(before), before[:4096].hex(), observed))
    )
    contents = {
        "planned": before + b'{"m":"new"}\n',
        "emptied": b'{"m":"new"}\n',
        "half the steps": b"",
        "all the steps": steps_line + b'{"m":"new"}\n',
        "events after the steps": steps_line + b'{"m":"new"}\n{"m":"newer"}\n',
    }
    session.layout.log.write_bytes(contents[cut_at])
    Journal(session).append([b'{"m":"last"}'])
    found = records(session)
    assert found[0]["steps"] == ["again"]
    assert [record["m"] for record in found[1:]] == {
        "half the steps": ["last"],
        "events after the steps": ["new", "newer", "last"],
    }.get(cut_at, ["new", "last"])
    assert session.state().cut is None
    assert [record.get("m") for record in records(session, 1)] == [None, "old"]


def test_a_deleted_log_is_made_again_and_a_deleted_session_is_said(session: Session) -> None:
    journal = Journal(session)
    journal.append([b'{"m":1}'])
    session.layout.log.unlink()
    journal.append([b'{"m":2}'])
    assert [record["m"] for record in records(session)] == [2]
    replaced = session.layout.directory / "new"
    replaced.write_bytes(b'{"m":3}\n')
    replaced.replace(session.layout.log)
    journal.append([b'{"m":4}'])
    assert [record["m"] for record in records(session)] == [3, 4]
    shutil.rmtree(session.layout.directory)
    with pytest.raises(SessionGone):
        journal.append([b"{}"])
    journal.close()


def test_a_writer_does_not_wait_for_ever_for_the_lock(session: Session) -> None:
    impatient = Session(session.layout, dataclasses.replace(session.settings, lock_seconds=0.05))
    with hold(session.layout.journal_lock), pytest.raises(LockBusy):
        Journal(impatient).append([b"{}"])


FULL = """
import pathlib, resource, signal, sys
from debugloop.errors import WriteFailed
from debugloop.session.journal import Journal
from debugloop.session.layout import Layout
from debugloop.session.session import Session
from debugloop.settings import Settings
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
session = Session(Layout(pathlib.Path(sys.argv[1])), Settings(home=pathlib.Path(sys.argv[2])))
journal = Journal(session)
limits = resource.getrlimit(resource.RLIMIT_FSIZE)
journal.append([b'{"m":"before"}'])
resource.setrlimit(resource.RLIMIT_FSIZE, (session.layout.log.stat().st_size + 40, limits[1]))
for _ in range(2):
    try:
        journal.append([b'{"m":"' + b"x" * 200 + b'"}'])
    except WriteFailed as error:
        print(error.code)
resource.setrlimit(resource.RLIMIT_FSIZE, limits)
journal.append([b'{"m":"after"}'])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_FSIZE as a full disk")
def test_a_disk_that_fills_and_recovers_leaves_no_torn_line(session: Session) -> None:
    command = [sys.executable, "-B", "-c", FULL, str(session.layout.directory), str(session.settings.home)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["write_failed", "write_failed"]
    assert [record["m"] for record in records(session)] == ["before", "after"]


def test_a_refused_write_names_the_file_and_stores_nothing(session: Session, settings: Settings) -> None:
    journal = Journal(session)
    journal.append([b"{}"])
    read_only = os.open(session.layout.log, os.O_RDONLY)
    os.dup2(read_only, journal._log)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    with pytest.raises(WriteFailed, match="debug.jsonl"):
        journal.append([b"{}"])
    os.close(read_only)


WRITER = """
import os, pathlib, sys
from debugloop.session.journal import Journal
from debugloop.session.layout import Layout
from debugloop.session.session import Session
from debugloop.settings import Settings
session = Session(Layout(pathlib.Path(sys.argv[1])), Settings(home=pathlib.Path(sys.argv[2])))
name, direct, journal = sys.argv[3], int(sys.argv[3]) % 2, Journal(session)
log = os.open(session.layout.log, os.O_WRONLY | os.O_APPEND)
for number in range(200):
    line = b'{"w":%b,"n":%d,"pad":"%b"}' % (name.encode(), number, b"x" * (5000 if number % 50 == 0 else 10))
    if direct:
        os.write(log, line + b"\\n")
    else:
        assert journal.append([line]) == []
"""


def test_sixteen_processes_at_once_lose_and_tear_nothing(session: Session) -> None:
    command = [sys.executable, "-c", WRITER, str(session.layout.directory), str(session.settings.home)]
    writers = [subprocess.Popen([*command, str(number)]) for number in range(16)]
    assert [writer.wait(timeout=100) for writer in writers] == [0] * 16
    found = records(session)
    assert len(found) == 16 * 200
    for number in range(16):
        assert [record["n"] for record in found if record["w"] == number] == list(range(200))


def test_kill_at_any_moment_leaves_whole_lines(session: Session) -> None:
    program = WRITER.replace("range(200)", "range(10**9)").replace(
        "assert journal.append([line]) == []", "journal.append([line]); print(number, flush=True)"
    )
    command = [sys.executable, "-c", program, str(session.layout.directory), str(session.settings.home), "2"]
    for _ in range(3):
        Journal(session).clear()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            told = [int(writer.stdout.readline()) for _ in range(300)]
            writer.send_signal(signal.SIGKILL)
            told += [int(line) for line in writer.stdout.read().split()]
        assert [record["n"] for record in records(session)][: len(told)] == told


def test_an_archive_that_is_damaged_is_named(session: Session) -> None:
    journal = Journal(session)
    journal.append([b"{}"])
    journal.new_run(STEPS)
    path: Path = session.layout.run_archive(0)
    path.write_bytes(b"no gzip")
    with pytest.raises(Exception, match="0.jsonl.gz is damaged"):
        runs.read(session, 0)
