"""Runs: the earlier ones compressed in ``runs/``, and any of them read whole."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from debugloop.errors import CorruptFile, RunNotFound
from debugloop.session import files
from debugloop.session.follow import Follower, LineReader

if TYPE_CHECKING:
    from debugloop.session.layout import Layout
    from debugloop.session.records import Row
    from debugloop.session.redact import Redactor
    from debugloop.session.session import Session
    from debugloop.settings import Settings

_CHUNK: Final = 262_144
_GZIP: Final = 31
"""zlib's word for a gzip header and trailer around deflate."""


def read(
    session: Session,
    run: int | None = None,
    *,
    redacting: bool = True,
    wanted: bytes | None = None,
) -> tuple[int, list[Row]]:
    """All rows of a run (the current one by default), with its number; with ``wanted`` only those that may hold it.

    Reads what is there at one moment: a run that is opened meanwhile is not mixed in. ``redacting=False`` is for
    those who only count. Raises RunNotFound.
    """
    redactor = _redactor(session) if redacting else None
    while True:
        current = session.state().run
        if run is not None and run != current:
            return run, _read_archived(session, run, redactor, wanted)
        rows = _read_log(session, redactor, wanted)
        if session.state().run == current:
            return current, rows


def follow(session: Session) -> Follower:
    """A reader of the current run's log that shows each row once, its secrets hidden."""
    return Follower(session.layout.log, session.settings, _redactor(session))


def kept(session: Session) -> list[int]:
    """The numbers of all runs that can be read, the current one last."""
    current = session.state().run
    return [*(run for run in session.layout.archived_runs() if run < current), current]


def count_events(rows: list[Row]) -> int:
    """Rows besides the steps, malformed ones included."""
    return sum(not row.steps for row in rows)


def archive(layout: Layout, settings: Settings, log: int, run: int) -> int:
    """Compress the open log into ``runs/`` if it holds a line besides the steps; gives the size that was looked at.

    Reads on until two looks agree, as programs append without our lock, and at most what a log may hold.
    The caller holds the journal lock.
    """
    reader = LineReader(settings, has_steps=run > 0)
    packer = zlib.compressobj(1, zlib.DEFLATED, _GZIP)
    packed: list[bytes] = []
    position = events = 0
    while position < settings.log_bytes and (
        data := os.pread(log, min(_CHUNK, settings.log_bytes - position), position)
    ):
        position += len(data)
        packed.append(packer.compress(data))
        events += count_events(reader.feed(data))
    # past the cap nothing is kept, and nothing of it may stay in the log either
    size = position if position < settings.log_bytes else max(position, os.fstat(log).st_size)
    if events or reader.partial:
        packed.append(packer.flush())
        files.make_private_directory(layout.runs)
        files.write_atomic(layout.run_archive(run), b"".join(packed))
        _prune(layout, settings.archive_bytes, run)
    return size


def _prune(layout: Layout, limit: int, newest: int) -> None:
    """Drop archives until all fit: those that no hypothesis cites first, the oldest of them first."""
    sizes = {run: layout.run_archive(run).stat().st_size for run in layout.archived_runs()}
    cited = _cited_runs(layout)
    for run in sorted(sizes, key=lambda run: (run == newest, run in cited, run)):
        if sum(sizes.values()) <= limit:
            return
        layout.run_archive(run).unlink(missing_ok=True)
        del sizes[run]


def _cited_runs(layout: Layout) -> set[int]:
    try:
        ledger = files.read_json(layout.hypotheses) or {}
        return {int(cite["run"]) for each in ledger.get("hypotheses", []) for cite in each["citations"]}
    except (CorruptFile, KeyError, TypeError, ValueError):  # its reader says so; here it only orders what to drop
        return set()


def _redactor(session: Session) -> Redactor | None:
    # its import costs a short verb 12 ms
    from debugloop.session import redact

    return redact.of_session(session)


def _read_log(session: Session, redactor: Redactor | None, wanted: bytes | None) -> list[Row]:
    follower = Follower(session.layout.log, session.settings, redactor, wanted)
    rows: list[Row] = []
    try:
        while True:
            batch = follower.poll()
            if batch.reset:
                rows.clear()
            rows += batch.rows
            if not batch.more:
                return rows
    finally:
        follower.close()


def _read_archived(session: Session, run: int, redactor: Redactor | None, wanted: bytes | None) -> list[Row]:
    path = session.layout.run_archive(run)
    packed = files.read_bytes(path)
    if packed is None:
        raise RunNotFound(run, tuple(kept(session)))
    reader = LineReader(session.settings, redactor, has_steps=run > 0, wanted=wanted)
    rows: list[Row] = []
    for data in _unpacked(path, packed):
        rows += reader.feed(data)
    return rows + reader.feed(b"\n") if reader.partial else rows


def _unpacked(path: Path, packed: bytes) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(_GZIP)
    try:
        while packed and not unpacker.eof:
            yield unpacker.decompress(packed, _CHUNK)
            packed = unpacker.unconsumed_tail
    except zlib.error as error:
        raise CorruptFile(path, str(error)) from error
