"""The files of a workspace: those of the project, and ignored ones that were written since a moment.

With git, it says what is tracked, new and ignored, also in submodules and repositories inside. Without it, folders of
well-known tools count as ignored. No link is followed, and neither sessions nor what version control keeps are given.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final

from debugloop.errors import FileUnreadable, OutsideWorkspace
from debugloop.probes.git import Repository, repository
from debugloop.probes.sieve import Folders, Sifted, Task, sift

REPOSITORIES: Final = frozenset({".git", ".hg", ".svn", ".jj"})
"""Folders in which version control keeps its own."""

_IGNORED: Final = frozenset({"node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache", ".pytest_cache"})


@dataclass(frozen=True, slots=True)
class Found:
    """A plain file, a link, or a folder that cannot be entered. ``file`` is its path in the workspace at ``top``."""

    top: Path
    file: str
    ignored: bool = False
    link: bool = False

    @property
    def path(self) -> Path:
        return self.top / self.file

    def open(self) -> BinaryIO:
        """Open it for reading, if it still is no pipe to wait for; of a link, where it leads. Raises OSError."""
        if self.link:
            return BytesIO(os.fsencode(f"{self.path.readlink()} -> {os.path.realpath(self.path)}"))
        return open_plain(f"{self.top}/{self.file}")

    @property
    def name(self) -> str:
        """``file`` as true text: a name that is no UTF-8 cannot stand in an answer."""
        return readable(self.file)


@dataclass(slots=True)
class Names:
    """What there is in a workspace: paths from its top, of files and links.

    ``untracked`` are those of the project that its own repository does not know. ``repositories`` are that one and
    those inside it, each with its path from the top (``""``, ``"lib/"``).
    """

    project: list[str] = field(default_factory=list[str])
    ignored: list[str] = field(default_factory=list[str])
    untracked: set[str] = field(default_factory=set[str])
    repositories: list[tuple[str, Repository]] = field(default_factory=list[tuple[str, Repository]])


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder, with the repository that it is the top of, and the folders of sessions that lie inside it."""

    top: Path
    repository: Repository | None
    skipped: tuple[str, ...] = ()

    def names(self, *, with_ignored: bool = False) -> Names:
        """What is there: git is asked once of each repository, twice where ignored files are wanted."""
        found = Names()
        _list(self.top, "", self.repository, found, with_ignored=with_ignored)
        for names in (found.project, found.ignored):
            names[:] = (name for name in dict.fromkeys(names) if not name.startswith(self.skipped))
        return found

    def sift(self, names: Names, needles: Iterable[bytes], since: float | None = None) -> Sifted:
        """Which of these files are worth a look; ignored ones if they changed ``since`` (seconds of the epoch)."""
        words = tuple(needle.decode("latin-1") for needle in needles)
        return sift(Task(str(self.top), names.project + names.ignored, words, len(names.project), since))

    def holding(self, needles: Iterable[bytes], also: Iterable[str] = ()) -> Iterator[Found]:
        """The project's files that may hold one of these, and of others that are named (as paths from the top)."""
        names = self.names()
        names.project[:] = dict.fromkeys([*names.project, *also])
        for name in self.sift(names, needles).held:
            if (found := self.found(name)) and not found.link:
                yield found

    def found(self, name: str, *, ignored: bool = False) -> Found | None:
        """A plain file, a link or a folder that cannot be entered; None for what is neither, or gone."""
        status = _status(self.top, name)
        return Found(self.top, name, ignored, link=stat.S_ISLNK(status.st_mode)) if status else None

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
            project = self.names().project
            for folder in folders:
                inside = [file for file in project if file.startswith(folder)]
                names |= dict.fromkeys(inside or (file for file, _ in _walk(self.top, folder.rstrip("/"))))
        for name in names:
            if stat.S_ISREG(os.lstat(f"{self.top}/{name}").st_mode):
                yield Found(self.top, name)


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


def _list(top: Path, prefix: str, repo: Repository | None, found: Names, *, with_ignored: bool) -> None:
    """Add what is in the folder ``prefix``, the top of a repository or of none."""
    if repo is None:
        for file, ignored in _walk(top, prefix.rstrip("/"), with_ignored=with_ignored):
            (found.ignored if ignored else found.project).append(file)
        return
    found.repositories.append((prefix, repo))
    listing = repo.listing()
    found.project += (f"{prefix}{name}" for name in listing.files)
    if not prefix:
        found.untracked.update(listing.untracked)
    for name in listing.inner:
        inner = top / prefix / name
        if inner.is_dir() and Folders(str(top)).real(f"{prefix}{name}/"):
            _list(top, f"{prefix}{name}/", repository(inner), found, with_ignored=with_ignored)
    for name in repo.ignored() if with_ignored else ():
        if name.endswith("/"):
            found.ignored += (file for file, _ in _walk(top, f"{prefix}{name.rstrip('/')}"))
        else:
            found.ignored.append(f"{prefix}{name}")


def _walk(top: Path, folder: str, *, with_ignored: bool = True) -> Iterator[tuple[str, bool]]:
    """Files, links, and folders that cannot be entered, below a folder, and whether each is ignored."""
    pending = [(folder, False)]
    while pending:
        here, ignored = pending.pop()
        try:
            with os.scandir(top / here) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError:  # reading it will fail again, and be told
            yield here, ignored
            continue
        for entry in inside:
            file = f"{here}/{entry.name}" if here else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in REPOSITORIES and (with_ignored or entry.name not in _IGNORED):
                    pending.append((file, ignored or entry.name in _IGNORED))
            elif entry.is_symlink() or entry.is_file(follow_symlinks=False):
                yield file, ignored


def _status(top: Path, file: str) -> os.stat_result | None:
    """The status of a plain file, a link or a folder; None for what is none of them, or is gone."""
    try:
        status = os.lstat(f"{top}/{file}")
    except OSError:
        return None
    kind = stat.S_IFMT(status.st_mode)
    return status if kind in {stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR} else None
