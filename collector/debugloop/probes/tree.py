"""The files of a workspace: those of the project, and ignored ones that were written since a moment.

With git, it says what is tracked, new and ignored, also in submodules and repositories inside. Without it, folders of
well-known tools count as ignored. No link is followed, and neither sessions nor what version control keeps are given.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from debugloop.errors import FileUnreadable, OutsideWorkspace
from debugloop.probes.git import Repository, repository

REPOSITORIES: Final = frozenset({".git", ".hg", ".svn", ".jj"})
"""Folders in which version control keeps its own."""

_IGNORED: Final = frozenset({"node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache", ".pytest_cache"})
_SLACK: Final = 2.0  # seconds: what file systems round times to


@dataclass(frozen=True, slots=True)
class Found:
    """A plain file, or a folder that cannot be entered. ``file`` is its path in the workspace at ``top``.

    ``changed`` is when it was last written, renamed or given another mode, in seconds since the epoch.
    """

    top: Path
    file: str
    ignored: bool
    changed: float

    @property
    def path(self) -> Path:
        return self.top / self.file

    def open(self) -> BinaryIO:
        """Open it for reading, if it still is no link and no pipe to wait for. Raises OSError."""
        return open_plain(f"{self.top}/{self.file}")

    @property
    def name(self) -> str:
        """``file`` as true text: a name that is no UTF-8 cannot stand in an answer."""
        return readable(self.file)


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder, with the repository that it is the top of, and the folders of sessions that lie inside it."""

    top: Path
    repository: Repository | None
    skipped: tuple[str, ...] = ()

    def files(self, *, ignored_since: float | None = None) -> Iterator[Found]:
        """The project's files and, with ``ignored_since`` (seconds of the epoch), ignored ones changed since."""
        real: dict[str, bool] = {}
        seen: set[str] = set()
        for file, ignored, status in _names(self.top, self.repository, with_ignored=ignored_since is not None):
            if file in seen or file.startswith(self.skipped):
                continue
            seen.add(file)
            changed = max(status.st_mtime, status.st_ctime)
            if ignored and ignored_since is not None and changed < ignored_since - _SLACK:
                continue
            folder = file.rpartition("/")[0]
            if folder not in real:
                # what is a folder in the index may have become a link that leads elsewhere
                real[folder] = Path(os.path.realpath(self.top / folder)) == self.top / folder
            if real[folder]:
                yield Found(self.top, file, ignored, changed)

    def repositories(self) -> Iterator[tuple[str, Repository]]:
        """The repository of the workspace and those inside it, each with its path from the top (``""``, ``"lib/"``)."""
        pending = [("", self.repository)] if self.repository else []
        while pending:
            prefix, repo = pending.pop()
            yield prefix, repo
            found = ((below, repository(repo.top / below)) for below in repo.inner())
            pending += ((f"{prefix}{below}/", inner) for below, inner in found if inner)

    def named(self, paths: Iterable[Path]) -> Iterator[Found]:
        """The files that somebody named, and the project's files in folders that somebody named.

        An ignored folder gives all its files. Raises OutsideWorkspace or FileUnreadable before the first is given.
        """
        folders: list[str] = []
        files: list[str] = []
        for path in paths:
            try:
                real = path.resolve(strict=True)
            except (OSError, RuntimeError) as error:
                raise FileUnreadable(path, getattr(error, "strerror", None) or "its links lead in a circle") from error
            if not real.is_relative_to(self.top):
                raise OutsideWorkspace(path, self.top)
            file = real.relative_to(self.top).as_posix()
            if real.is_dir():
                folders.append("" if file == "." else f"{file}/")
            else:
                files.append(file)
        names = dict.fromkeys(files)
        if folders:
            project = [found.file for found in self.files()]
            for folder in folders:
                inside = [file for file in project if file.startswith(folder)]
                names |= dict.fromkeys(inside or (file for file, _, _ in _walk(self.top, folder.rstrip("/"))))
        for name in names:
            status = os.lstat(f"{self.top}/{name}")
            if stat.S_ISREG(status.st_mode):
                yield Found(self.top, name, ignored=False, changed=max(status.st_mtime, status.st_ctime))


def workspace(top: Path, *sessions: Path) -> Workspace:
    """The workspace that begins at ``top`` (a real path); ``sessions`` are folders in which sessions are kept."""
    inside = (folder.relative_to(top).as_posix() for folder in sessions if folder.is_relative_to(top))
    return Workspace(top, repository(top), tuple(f"{folder}/" for folder in inside))


def readable(file: str) -> str:
    """A file's name with U+FFFD for bytes that are no UTF-8."""
    return file.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def open_plain(path: str) -> BinaryIO:
    """Open a file for reading that is no link and no pipe to wait for. Raises OSError."""
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")


def _names(top: Path, repo: Repository | None, *, with_ignored: bool) -> Iterator[tuple[str, bool, os.stat_result]]:
    """Plain files, and folders that cannot be entered: the path from ``top``, whether it is ignored, and its status."""
    if repo is None:
        yield from _walk(top, "", with_ignored=with_ignored)
        return
    for name in repo.files():
        file = name.rstrip("/")
        status = _status(top, file)
        if status and stat.S_ISDIR(status.st_mode):  # a submodule, or a repository of its own
            inner = top / file
            for below, ignored, inside in _names(inner, repository(inner), with_ignored=with_ignored):
                yield f"{file}/{below}", ignored, inside
        elif status:
            yield file, False, status
    for name in repo.ignored() if with_ignored else ():
        if name.endswith("/"):
            yield from ((file, True, status) for file, _, status in _walk(top, name.rstrip("/")))
        elif status := _status(top, name):
            yield name, True, status


def _walk(top: Path, folder: str, *, with_ignored: bool = True) -> Iterator[tuple[str, bool, os.stat_result]]:
    pending = [(folder, False)]
    while pending:
        here, ignored = pending.pop()
        try:
            with os.scandir(top / here) as entries:
                inside = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
        except OSError:
            if status := _status(top, here):  # reading it will fail again, and be told
                yield here, ignored, status
            continue
        for name, is_folder in inside:
            file = f"{here}/{name}" if here else name
            if is_folder:
                if name not in REPOSITORIES and (with_ignored or name not in _IGNORED):
                    pending.append((file, ignored or name in _IGNORED))
            elif status := _status(top, file):
                yield file, ignored, status


def _status(top: Path, file: str) -> os.stat_result | None:
    """The status of a plain file or a folder; None for what is neither, or is gone, though still in the index."""
    try:
        status = os.lstat(f"{top}/{file}")
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode) else None
