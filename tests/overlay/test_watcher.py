from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from debugloop.session import actions, endpoint
from debugloop.session.locks import hold, is_held
from debugloop_overlay.snapshot import Snapshot
from debugloop_overlay.watcher import Update, Watcher
from tests.overlay.house import STEPS, append, publish
from tests.support import until

if TYPE_CHECKING:
    from debugloop.session.session import Session


class Taken:
    """Everything that a watcher gave, put together as the panel does."""

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self.snapshot = Snapshot()
        self.lines: list[int] = []
        self.resets = 0

    def take(self) -> Update | None:
        update = self.watcher.take()
        if update:
            self.snapshot = update.snapshot
            if update.reset:
                self.resets += 1
                self.lines.clear()
            self.lines += [row.line for row in update.rows]
            if update.older:
                same = [row.line for row in update.older.same]
                self.lines[: len(same)] = [row.line for row in update.older.rows] + same
        return update

    def until(self, found: Callable[[], object]) -> None:
        until(lambda: self.take() is None and found(), what="the watcher's news")


@contextmanager
def watching(session: Session) -> Generator[Taken]:
    watcher = Watcher(session)
    watcher.start()
    try:
        yield Taken(watcher)
    finally:
        watcher.stop()


def test_it_tells_the_state_and_each_row_once(session: Session) -> None:
    publish(session)
    append(session, {"a": 1}, {"a": 2})
    with watching(session) as taken:
        taken.until(lambda: taken.lines == [1, 2, 3])
        assert (taken.snapshot.run, taken.snapshot.steps, taken.snapshot.collector) == (1, STEPS, "none")
        append(session, {"a": 3})
        taken.until(lambda: taken.lines == [1, 2, 3, 4])
        assert taken.snapshot.bytes == session.layout.log.stat().st_size
        publish(session)
        taken.until(lambda: taken.snapshot.run == 2 and taken.lines == [1])
        assert taken.resets == 1


def test_it_wakes_the_panel_once_for_all_that_is_outstanding(session: Session) -> None:
    woken = threading.Semaphore(0)
    watcher = Watcher(session)
    watcher.wake = woken.release
    watcher.start()
    try:
        assert woken.acquire(timeout=60)
        append(session, {"a": 1})
        until(lambda: watcher.session.layout.log.stat().st_size)
        assert not woken.acquire(blocking=False)
        assert watcher.take() is not None
        append(session, {"a": 2})
        assert woken.acquire(timeout=60)
    finally:
        watcher.stop()


def test_a_reset_voids_the_rows_that_were_not_taken_yet(session: Session) -> None:
    publish(session)
    append(session, {"a": 1})
    with watching(session) as taken:
        until(lambda: is_held(session.layout.panel_lock))  # it has read, and nobody took
        publish(session)
        taken.until(lambda: taken.snapshot.run == 2 and taken.lines == [1])


def test_it_waits_for_a_panel_that_is_far_behind(session: Session) -> None:
    with watching(session) as taken:
        append(session, *[{"message": "x" * 30}] * 100_000)
        until(lambda: taken.watcher.behind)
        first = taken.take()
        assert first is not None
        assert len(first.rows) < 100_000
        taken.until(lambda: len(taken.lines) == 100_000)


def numbered(first: int, last: int) -> list[dict[str, object]]:
    return [{"message": f"row {number}", "filling": "x" * 100} for number in range(first, last + 1)]


def test_of_a_long_log_the_last_page_comes_first_and_then_all_before_it(session: Session) -> None:
    append(session, *numbered(1, 3_000))
    with watching(session) as taken:
        until(taken.take)
        assert 0 < len(taken.lines) < 3_000
        assert set(taken.lines) == {0}  # which lines these are is not known yet
        assert taken.snapshot.bytes == session.layout.log.stat().st_size
        append(session, *numbered(3_001, 3_003))
        taken.watcher.read_on()
        taken.until(lambda: taken.lines == list(range(1, 3_004)))
        assert taken.resets == 0


def test_a_long_log_that_is_emptied_while_it_is_opened_begins_anew(session: Session) -> None:
    append(session, *numbered(1, 3_000))
    with watching(session) as taken:
        until(taken.take)
        publish(session)
        append(session, *numbered(1, 3))
        taken.watcher.read_on()
        taken.until(lambda: taken.lines == [1, 2, 3, 4])
        assert taken.resets == 1


def test_the_latest_press_of_this_run_is_told(session: Session) -> None:
    publish(session)
    with watching(session) as taken:
        actions.press(session, "reproduced")
        actions.press(session, "clear")
        taken.until(lambda: taken.snapshot.press and taken.snapshot.press.number == 1)
        publish(session)
        taken.until(lambda: taken.snapshot.run == 2 and taken.snapshot.press is None)


def test_a_collector_is_running_down_or_none(session: Session) -> None:
    address, listener = endpoint.new()
    listener.close()
    with watching(session) as taken:
        with hold(session.layout.collector_lock):
            endpoint.save(session.layout, address)
            taken.until(lambda: (taken.snapshot.collector, taken.snapshot.port) == ("running", address.port))
        taken.until(lambda: taken.snapshot.collector == "down")
        endpoint.delete(session.layout)
        taken.until(lambda: taken.snapshot.collector == "none")


def test_the_panel_lock_is_held_while_it_runs_and_only_then(session: Session) -> None:
    with watching(session) as first:
        first.until(lambda: is_held(session.layout.panel_lock))
        with watching(session) as second:
            second.until(lambda: second.snapshot.other_panel)
            first.watcher.stop()
            second.until(lambda: not second.snapshot.other_panel)
            assert is_held(session.layout.panel_lock)
    assert not is_held(session.layout.panel_lock)


def test_a_session_that_is_deleted_is_told_and_one_that_comes_back_is_shown(session: Session) -> None:
    kept = session.layout.directory.with_name("kept")
    append(session, {"a": 1})
    with watching(session) as taken:
        taken.until(lambda: taken.lines == [1])
        shutil.copytree(session.layout.directory, kept)
        shutil.rmtree(session.layout.directory)
        taken.until(lambda: taken.snapshot.problem and taken.snapshot.gone)
        kept.rename(session.layout.directory)
        taken.until(lambda: taken.lines == [1] and not taken.snapshot.problem and not taken.snapshot.gone)
        taken.until(lambda: is_held(session.layout.panel_lock))


def test_a_log_that_is_a_link_is_refused_in_words(session: Session) -> None:
    session.layout.log.rename(session.layout.log.with_name("elsewhere"))
    session.layout.log.symlink_to("elsewhere")
    with watching(session) as taken:
        taken.until(lambda: "debug.jsonl" in (taken.snapshot.problem or ""))
