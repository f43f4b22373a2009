"""Removing probes: marker to marker, every other byte as it stands, in all files or in none.

A stripped file is written beside the old one and put in its place, with its mode, owner and attributes; a file with
several names (hard links) is written where it is. Its modification time is new, so that build tools notice. A crash
leaves each file as it was or stripped, and stripping again does the rest.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from debugloop.errors import BrokenMarkers, EditedProbes, FileUnreadable, FileUnwritable
from debugloop.probes import markers
from debugloop.probes.edited import diff, edited
from debugloop.probes.git import BLOCK
from debugloop.probes.markers import IMPORTS, Region

if TYPE_CHECKING:
    from debugloop.probes.tree import Found, Workspace

_SAFE = os.O_CLOEXEC | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True)
class Stripped:
    """What is removed from one file. ``lines`` is where each probe began, before; ``diff`` shows it."""

    file: str
    probes: tuple[str, ...]
    lines: tuple[int, ...]
    diff: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which probes are to go: ``only`` one (its whole id), or all.

    ``known`` are fingerprints of probes as they were inserted, by id; one that looks otherwise now goes only with
    ``edited``.
    """

    only: str | None = None
    known: Mapping[str, str] = field(default_factory=dict[str, str])
    edited: bool = False


@dataclass(frozen=True, slots=True)
class _Edit:
    found: Found
    old: bytes
    new: bytes
    stripped: Stripped


def strip(
    workspace: Workspace,
    session: str,
    paths: Iterable[Path] | None = None,
    *,
    choice: Choice | None = None,
    dry_run: bool = False,
) -> list[Stripped]:
    """Remove the probes of a session from the named files, else from all tracked and untracked ones.

    Raises BrokenMarkers or EditedProbes before any file is touched; FileUnwritable names those done before it.
    """
    files = workspace.holding(_needles(session)) if paths is None else workspace.named(paths)
    edits = _plan(files, session, choice or Choice(), named=paths is not None)
    done: list[str] = []
    for edit in edits if not dry_run else ():
        path = edit.found.path
        try:
            if _read(edit.found, session) != edit.old:
                raise FileUnwritable(path, "it was changed in the meantime", tuple(done))
            write(path, edit.new)
        except OSError as error:
            raise FileUnwritable(path, str(error.strerror), tuple(done)) from error
        done.append(edit.found.name)
    return [edit.stripped for edit in edits]


def _plan(files: Iterable[Found], session: str, choice: Choice, *, named: bool) -> list[_Edit]:
    """What there is to remove. Raises BrokenMarkers with all places where markers do not pair, else EditedProbes."""
    changed: list[str] = []
    edits: list[_Edit] = []
    places: list[tuple[str, int, str]] = []
    homes: dict[str, tuple[str, int]] = {}
    for found in files:
        try:
            data = _read(found, session)
        except OSError as error:
            if named:
                raise FileUnreadable(found.path, str(error.strerror)) from error
            continue  # `scan` tells of it
        own = markers.find(data)
        if not any(marker.session == session for marker in own):
            continue
        regions, problems = markers.judge(own, session)
        places += [(found.name, problem.line, problem.reason) for problem in problems]
        for region in regions:
            line = region.begin.line
            file, first = homes.setdefault(region.probe, (found.name, line))
            if file != found.name and region.begin.name != IMPORTS:
                places.append((found.name, line, f"{region.probe} stands twice, first in {file}:{first}"))
        chosen = _chosen(regions, choice.only)
        if not chosen:
            continue
        new = markers.remove(data, chosen)
        probes, lines = (tuple(region.probe for region in chosen), tuple(region.begin.line for region in chosen))
        edits.append(_Edit(found, data, new, Stripped(found.name, probes, lines, diff(found.name, data, new))))
        changed += edited(data, chosen, choice.known)
    if places:
        raise BrokenMarkers(tuple(places))
    if changed and not choice.edited:
        shown = (edit.stripped.diff for edit in edits if {*changed} & {*edit.stripped.probes})
        raise EditedProbes(tuple(changed), "\n".join(shown))
    return edits


def _chosen(regions: list[Region], only: str | None) -> list[Region]:
    """The regions that go; that of imports goes with the last probe of its file."""
    if only is None:
        return regions
    chosen = [region for region in regions if region.probe == only]
    left = [region for region in regions if region.probe != only]
    if chosen and all(region.begin.name == IMPORTS for region in left):
        return regions
    return chosen


def _needles(session: str) -> tuple[bytes, bytes]:
    """A session's id as it stands in a file: in UTF-16 of both byte orders, but for the zero at one end."""
    return session.encode(), session.encode("utf-16-le")[:-1]


def _read(found: Found, session: str) -> bytes:
    """The whole file if the session's id stands in it, else nothing: a file of any size costs one block of memory."""
    needles = _needles(session)
    with found.open() as file:
        before = b""
        while block := file.read(BLOCK):
            here = before + block
            if any(needle in here for needle in needles):
                file.seek(0)
                return file.read()
            before = block[-512:]
    return b""


def write(path: Path, data: bytes) -> None:
    """Replace the content of a file and keep all else of it. Raises OSError; the file is then as it was."""
    status = path.lstat()
    if status.st_nlink > 1:
        _overwrite(path, data)
        return
    draft = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            with contextlib.suppress(PermissionError):  # somebody else's file in a folder of ours becomes ours
                os.fchown(file.fileno(), status.st_uid, status.st_gid)
            _copy_attributes(path, file.fileno())
            os.fchmod(file.fileno(), stat.S_IMODE(status.st_mode))
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _overwrite(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | _SAFE), "wb") as file:
        file.write(data)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())


def _copy_attributes(path: Path, descriptor: int) -> None:
    """Copy extended attributes where the platform has them: access lists, SELinux labels, what the user set."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError):  # a file system without them
        for name in os.listxattr(path):
            with contextlib.suppress(OSError):
                os.setxattr(descriptor, name, os.getxattr(path, name))
