"""Installing, and undoing it to the byte: what was put in is remembered, and only that is taken out again.

The memory is one file for each host and place under ``$DEBUGLOOP_HOME/hosts``, with a backup of each file as it was
before it was first touched. All files are judged before any is written.
"""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from debugloop.agent.hosts.splice import Broken, taken_out
from debugloop.errors import ConfigRefused
from debugloop.session import files

if TYPE_CHECKING:
    from debugloop.agent.hosts.host import Host, Place
    from debugloop.agent.hosts.operations import Operation
    from debugloop.settings import Settings

What: TypeAlias = Literal["added", "replaced", "kept", "removed", "left", "absent"]


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file; ``after`` is None where it goes. ``pieces`` are what is ours in it, as it went in."""

    path: Path
    what: What
    before: str | None
    after: str | None
    pieces: tuple[str, ...]

    def diff(self) -> str:
        """The change as a unified diff, empty where there is none."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        return "".join(difflib.unified_diff(old, new, str(self.path), str(self.path)))


def install(settings: Settings, host: Host, place: Place, *, dry_run: bool = False) -> list[Change]:
    """Bring a host what it needs. Raises ConfigRefused before any file is touched."""
    memory = _Memory(settings, host, place)
    changes = [_judged(path, wanted, memory.of(path)) for path, wanted in _by_file(host, place).items()]
    if not dry_run:
        memory.keep(changes)
        for change in changes:
            if change.before != change.after:
                _write(change.path, change.after, place.root)
    return changes


def uninstall(settings: Settings, host: Host, place: Place, *, dry_run: bool = False) -> list[Change]:
    """Take out what `install` put in; a file that was changed since at that place is left, and said."""
    memory = _Memory(settings, host, place)
    changes = [_undone(Path(path), memory.of(path)) for path in memory.pieces]
    if not dry_run:
        for change in changes:
            if change.before != change.after:
                _write(change.path, change.after, place.root)
        memory.forget(changes)
    return changes


def is_there(settings: Settings, host: Host, place: Place) -> bool:
    """Whether `install` put something in here that was not taken out since."""
    return bool(_Memory(settings, host, place).pieces)


def missing(host: Host, place: Place) -> list[Path]:
    """The files in which something of an installation is not, or not as it would be installed now."""
    return [path for path, wanted in _by_file(host, place).items() if not _is_done(wanted, _read(path) or "")]


def _by_file(host: Host, place: Place) -> dict[Path, list[Operation]]:
    files: dict[Path, list[Operation]] = {}
    for operation in host.operations(place):
        files.setdefault(operation.path, []).append(operation)
    return files


def _is_done(wanted: list[Operation], text: str) -> bool:
    try:
        return all(operation.is_done(text) for operation in wanted)
    except Broken:
        return False


class _Memory:
    """What was put where, for one host in one place."""

    def __init__(self, settings: Settings, host: Host, place: Place) -> None:
        key = hashlib.sha256(os.fsencode(place.root)).hexdigest()[:16]
        self.folder = settings.home / "hosts"
        self.file = self.folder / f"{host.name}-{place.scope}-{key}.json"
        content = files.read_json(self.file) if self.folder.is_dir() else None
        self.content: dict[str, Any] = {"put_in": {}, "backups": {}} | (content or {})

    @property
    def pieces(self) -> dict[str, list[str]]:
        pieces: dict[str, list[str]] = self.content["put_in"]
        return pieces

    def of(self, path: Path | str) -> tuple[str, ...]:
        return tuple(self.pieces.get(str(path), ()))

    def keep(self, changes: list[Change]) -> None:
        """Remember before anything is written: what a crash cuts off can be undone."""
        for change in changes:
            if change.pieces:
                self.pieces[str(change.path)] = list(change.pieces)
            if change.before is not None and change.before != change.after:
                self.content["backups"].setdefault(str(change.path), change.before)
        files.make_private_directory(self.folder)
        files.write_json(self.file, self.content)

    def forget(self, changes: list[Change]) -> None:
        for change in changes:
            if change.what == "left":
                self.pieces[str(change.path)] = list(change.pieces)
            else:
                self.pieces.pop(str(change.path), None)
        if self.pieces:
            files.write_json(self.file, self.content)
        else:
            self.file.unlink(missing_ok=True)


def _judged(path: Path, wanted: list[Operation], known: tuple[str, ...]) -> Change:
    before = _read(path)
    text = before or ""
    try:
        if all(operation.is_done(text) for operation in wanted):
            return Change(path, "kept", before, before, known)
        base, left = taken_out(text, known)
        replaces = bool(known) and not left
        after, pieces = _applied(wanted, base if replaces else text)
    except Broken as broken:
        raise ConfigRefused(path, str(broken)) from None
    return Change(path, "replaced" if replaces else "added", before, after, pieces if replaces else (*known, *pieces))


def _applied(wanted: list[Operation], text: str) -> tuple[str, tuple[str, ...]]:
    """The text with what is wanted and not there yet, and the pieces that went in, in their order."""
    pieces: list[str] = []
    for operation in wanted:
        if operation.is_done(text):
            continue
        for splice in operation.splices(text):
            text = splice.into(text)
            pieces.append(splice.piece)
        if not operation.is_done(text):
            raise Broken("the entry would not be read back")
    return text, tuple(pieces)


def _undone(path: Path, pieces: tuple[str, ...]) -> Change:
    before = _read(path)
    if before is None:
        return Change(path, "absent", None, None, pieces)
    after, left = taken_out(before, pieces)
    return Change(path, "left" if left else "removed", before, after or None, tuple(reversed(left)))


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise ConfigRefused(path, "it is no UTF-8") from None


def _write(path: Path, text: str | None, root: Path) -> None:
    """Replace a file as a whole, its mode kept; a link stays, and what it leads to is replaced."""
    if text is None:
        path.unlink()
        _remove_empty(path.parent, root)
        return
    path = path.resolve()
    made = [folder for folder in path.parents if not folder.exists()]
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o7777 if path.exists() else 0o644
        try:
            draft.write_bytes(text.encode())
            draft.chmod(mode)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise ConfigRefused(path, files.why(error)) from error


def _remove_empty(folder: Path, root: Path) -> None:
    """Remove the folders below the root that hold nothing any more."""
    with contextlib.suppress(OSError):
        while folder != root and folder.is_relative_to(root):
            folder.rmdir()
            folder = folder.parent
