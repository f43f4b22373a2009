"""Telling which of very many files are worth reading: those that hold one of some needles.

A file that cannot be read is worth a look too, and so is a link, for where it leads: whoever looks tells of it. Many
files are sifted by several processes; a share that one of them fails to sift is sifted here.

    python -P -m debugloop.probes.sieve    a share as JSON on stdin, what was found in it on stdout
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final

from ahocorasick_rs import BytesAhoCorasick

MANY: Final = 8_000
"""How many files are worth another process."""

_MOST_PROCESSES: Final = 4
_BLOCK: Final = 256 << 10
_SLACK: Final = 2.0  # seconds: what file systems round times to
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_SAFE: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class Task:
    """Files of one folder, and what to look for. ``needles`` are bytes, a character each, so that JSON can hold them.

    ``since`` is a time in seconds since the epoch: files from number ``ignored`` on count only if they changed after.
    """

    top: str
    names: Sequence[str]
    needles: Sequence[str]
    ignored: int
    since: float | None = None


@dataclass(slots=True)
class Sifted:
    """How many plain files were read, and the names of those worth a look, and of those changed since the time."""

    files: int = 0
    held: list[str] = field(default_factory=list[str])
    changed: list[str] = field(default_factory=list[str])


class Folders:
    """Whether a file's folder is really where its name says: what is a folder for git may be a link on disk."""

    def __init__(self, top: str) -> None:
        self._top = top
        self._real = {"": True}

    def real(self, file: str) -> bool:
        folder = file.rpartition("/")[0]
        known = self._real.get(folder)
        if known is None:
            known = self.real(folder) and _is_folder(f"{self._top}/{folder}")
            self._real[folder] = known
        return known


def sift(task: Task) -> Sifted:
    """What is worth a look among these files, in their order."""
    processes = min(_MOST_PROCESSES, _processors(), 1 + len(task.names) // MANY)
    size = -(-len(task.names) // processes)
    shares = [_share(task, at, at + size) for at in range(0, len(task.names), size)] if size else []
    helpers = [_Helper(share) for share in shares[1:]]
    parts = [sift_here(share) for share in shares[:1]] + [helper.result() for helper in helpers]
    found = Sifted()
    for part in parts:
        found.files += part.files
        found.held += part.held
        found.changed += part.changed
    return found


def sift_here(task: Task) -> Sifted:
    """The same, by this process alone."""
    search = BytesAhoCorasick([needle.encode("latin-1") for needle in task.needles]).find_matches_as_indexes
    overlap = max(map(len, task.needles)) - 1
    real, found, top, since = Folders(task.top).real, Sifted(), task.top, task.since
    for number, name in enumerate(task.names):
        if not real(name):
            continue
        path = f"{top}/{name}"
        if number >= task.ignored and not _changed(path, since):
            continue
        try:
            file = os.open(path, _SAFE)
        except FileNotFoundError:  # still in the index
            continue
        except OSError:
            found.held.append(name)
            continue
        try:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                continue
            found.files += 1
            if since is not None and (status.st_mtime >= since or status.st_ctime >= since):
                found.changed.append(name)
            if _holds(file, status.st_size, search, overlap):
                found.held.append(name)
        except OSError:
            found.held.append(name)
        finally:
            os.close(file)
    return found


def _holds(file: int, size: int, search: Callable[[bytes], list[tuple[int, int, int]]], overlap: int) -> bool:
    """Whether a file holds a needle, or is UTF-16, in which a needle looks otherwise."""
    data = os.read(file, _BLOCK)
    if data.startswith(_UTF16):
        return True
    seen = len(data)
    while not search(data):
        if seen >= size:
            return False
        more = os.read(file, _BLOCK)
        if not more:
            return False
        seen += len(more)
        data = data[-overlap:] + more
    return True


def _changed(path: str, since: float | None) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return since is None or max(status.st_mtime, status.st_ctime) >= since - _SLACK


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _share(task: Task, start: int, end: int) -> Task:
    return Task(task.top, task.names[start:end], task.needles, max(0, task.ignored - start), task.since)


class _Helper:
    """Another process that sifts a share. Whatever befalls it, `result` gives what is in the share."""

    def __init__(self, task: Task) -> None:
        self._task = task
        with tempfile.TemporaryFile() as asked:  # a pipe would make us wait until it reads
            asked.write(json.dumps(asdict(task)).encode())
            asked.seek(0)
            self._process = subprocess.Popen(
                # -P: the folder it runs in is not on its import path
                [sys.executable, "-P", "-m", "debugloop.probes.sieve"],
                stdin=asked,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )

    def result(self) -> Sifted:
        answer, _ = self._process.communicate()
        if self._process.returncode:
            return sift_here(self._task)
        return Sifted(**json.loads(answer))


if __name__ == "__main__":
    json.dump(asdict(sift_here(Task(**json.load(sys.stdin)))), sys.stdout)
