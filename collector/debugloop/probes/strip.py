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
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from debugloop.errors import BrokenMarkers, EditedProbes, FileUnreadable, FileUnwritable
from debugloop.probes import markers, traces
from debugloop.probes.edited import diff, edited
from debugloop.probes.git import BLOCK
from debugloop.probes.inserted import BY_HAND
from debugloop.probes.markers import IMPORTS, Region

if TYPE_CHECKING:
    from debugloop.probes.inserted import Inserted
    from debugloop.probes.tree import Found, Workspace

_SHOWN: Final = 200
"""Lines of a diff in an error."""

_SAFE = os.O_CLOEXEC | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True)
class Stripped:
    """What is removed from one file. ``lines`` is where each probe began, before; ``diff`` shows it.

    ``edited`` are those of the probes that are not as this tool inserted them. ``text`` are lines that hold a marker
    which is no comment of its own, as in a string or in a notebook: they stay, for a person to remove.
    """

    file: str
    probes: tuple[str, ...]
    lines: tuple[int, ...]
    diff: str = field(default="", compare=False)
    edited: tuple[str, ...] = ()
    text: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Which probes are to go: ``only`` one (its whole id), or all.

    ``known`` are fingerprints of probes as this tool inserted them, by id; with ``edited``, those that look otherwise
    or are not known go too. None trusts every pair of markers. ``joined`` is what `markers.remove` wants. ``files``
    are where this tool put probes: looked at also where git ignores them.
    """

    only: str | None = None
    known: Mapping[str, Container[str]] | None = None
    edited: bool = False
    joined: Container[str] = ()
    files: frozenset[str] = frozenset()

    @classmethod
    def of(cls, probes: Iterable[Inserted], only: str | None = None, *, edited: bool = False) -> Choice:
        """The choice among what was written down of a session. What was printed has no fingerprint."""
        known: dict[str, set[str]] = {}
        for each in (probes := [*probes]):
            known.setdefault(each.id, set()).add(each.inside)
            known.setdefault(f"{each.id.partition('/')[0]}/{IMPORTS}", set()).add(each.imports)
        joined = {each.id for each in probes if each.joined}
        return cls(only, known, edited, joined, frozenset(each.file for each in probes if each.file != BY_HAND))


@dataclass(frozen=True, slots=True)
class _Edit:
    found: Found
    old: bytes
    new: bytes
    stripped: Stripped

    def diff(self) -> str:
        return diff(self.found.name, self.old, self.new)


def strip(
    workspace: Workspace,
    session: str,
    paths: Iterable[Path] | None = None,
    *,
    choice: Choice | None = None,
    dry_run: bool = False,
) -> list[Stripped]:
    """Remove the probes of a session from the named files, else from all tracked and new ones and where they were put.

    A dry run tells of edited probes; otherwise they stop it unless the choice is to remove those too. Raises
    BrokenMarkers or EditedProbes before any file is touched; FileUnwritable names those done before it.
    """
    choice = choice or Choice()
    files = workspace.holding(_needles(session), sorted(choice.files)) if paths is None else workspace.named(paths)
    edits = _plan(files, session, choice, named=paths is not None)
    if dry_run:
        return [replace(edit.stripped, diff=edit.diff()) for edit in edits]
    if changed := [edit for edit in edits if edit.stripped.edited and not choice.edited]:
        places = [
            (edit.stripped.file, line, probe)
            for edit in changed
            for probe, line in zip(edit.stripped.probes, edit.stripped.lines, strict=True)
            if probe in edit.stripped.edited
        ]
        raise EditedProbes(tuple(places), _cut("\n".join(edit.diff() for edit in changed)))
    done: list[str] = []
    for edit in edits:
        path = edit.found.path
        if edit.new == edit.old:
            continue
        try:
            if _read(edit.found, session) != edit.old:
                raise FileUnwritable(path, "it was changed in the meantime", tuple(done))
            write(path, edit.new)
        except OSError as error:
            raise FileUnwritable(path, str(error.strerror), tuple(done)) from error
        done.append(edit.found.name)
    return [edit.stripped for edit in edits]


def _plan(files: Iterable[Found], session: str, choice: Choice, *, named: bool) -> list[_Edit]:
    """What there is to remove or to tell. Raises BrokenMarkers with all places where markers do not pair."""
    edits: list[_Edit] = []
    problems: list[tuple[str, int, str]] = []
    homes: dict[str, tuple[str, int]] = {}
    seen: set[tuple[int, int]] = set()
    for found in files:
        try:
            data = _read(found, session)
            status = found.path.lstat()
        except OSError as error:
            if named:
                raise FileUnreadable(found.path, str(error.strerror)) from error
            continue  # `scan` tells of it
        own = markers.find(data)
        text = tuple(sorted(_marker_lines(data, session) - {marker.line for marker in own}))
        if not text and not any(marker.session == session for marker in own):
            continue
        if status.st_nlink > 1 and (status.st_dev, status.st_ino) in seen:
            continue  # another name of a file that is stripped already
        seen.add((status.st_dev, status.st_ino))
        regions, wrong = markers.judge(own, session)
        problems += ((found.name, problem.line, problem.reason) for problem in wrong)
        for region in regions:
            line = region.begin.line
            file, first = homes.setdefault(region.probe, (found.name, line))
            if file != found.name and region.begin.name != IMPORTS:
                problems.append((found.name, line, f"{region.probe} stands twice, first in {file}:{first}"))
        if (chosen := _chosen(regions, choice.only)) or text:
            edits.append(_edit(found, data, chosen, choice, text))
    if problems:
        raise BrokenMarkers(tuple(problems))
    return edits


def _cut(text: str) -> str:
    lines = text.split("\n")
    more = len(lines) - _SHOWN
    return (
        text
        if more <= 0
        else "\n".join([*lines[:_SHOWN], f"… {more} more lines; `debugloop strip --dry-run` shows all"])
    )


def _edit(found: Found, data: bytes, chosen: list[Region], choice: Choice, text: tuple[int, ...]) -> _Edit:
    changed = edited(data, chosen, choice.known) if choice.known is not None else []
    told = Stripped(
        found.name,
        tuple(region.probe for region in chosen),
        tuple(region.begin.line for region in chosen),
        edited=tuple(region.probe for region in changed),
        text=text,
    )
    return _Edit(found, data, markers.remove(data, chosen, choice.joined), told)


def _marker_lines(data: bytes, session: str) -> set[int]:
    """The lines with a session's markers, be they comments or not."""
    return {hit.line for hit in traces.look([data], traces.session_traces(session, None))}


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
