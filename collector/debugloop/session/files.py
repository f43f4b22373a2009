"""The only ways files of a session directory are opened: private, never through a link, whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any, TypeAlias, cast

import orjson

from debugloop.errors import CorruptFile, NewerFormat, SessionGone, StateUnwritable, UnsafeFile

FORMAT = 1
"""The version that every state file of this debugloop carries."""

# Windows knows neither; there the defaults of the platform have to do.
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)

Signature: TypeAlias = tuple[int, int, int]


def make_private_directory(path: Path) -> None:
    """Make ``path`` and what is missing above it, 0700; refuse a link or somebody else's folder.

    Raises StateUnwritable or UnsafeFile.
    """
    for folder in (*reversed(path.parents), path):
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            continue
        except OSError as error:
            if os.path.isdir(folder):  # noqa: PTH112 -- a read-only parent says EROFS or EACCES also for one that is there
                continue
            raise StateUnwritable(folder, why(error)) from error
    check_directory(path)


def check_directory(path: Path) -> None:
    """Refuse a session directory that is a link, no folder, somebody else's, or that others may enter."""
    try:
        status = path.lstat()
    except FileNotFoundError as error:
        raise SessionGone(path) from error
    if not stat.S_ISDIR(status.st_mode):
        raise UnsafeFile(path, "is a link" if stat.S_ISLNK(status.st_mode) else "is no folder")
    _check_owner(path, status)
    if os.name == "posix" and status.st_mode & 0o077:
        path.chmod(0o700)


def open_private(path: Path, flags: int) -> int:
    """Open a plain file of our own, 0600 if it is new; gives the descriptor.

    Raises UnsafeFile for a link, a device or another owner, SessionGone if the folder is not there;
    FileNotFoundError and the disk's own errors pass through.
    """
    try:
        descriptor = os.open(path, flags | _SAFE, 0o600)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.EMLINK}:
            raise UnsafeFile(path, "is a link") from error
        if error.errno == errno.EISDIR:
            raise UnsafeFile(path, "is a folder") from error
        if error.errno == errno.ENOENT and flags & os.O_CREAT:
            raise SessionGone(path.parent) from error
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UnsafeFile(path, "is no plain file")
        _check_owner(path, status)
    except UnsafeFile:
        os.close(descriptor)
        raise
    return descriptor


def write_atomic(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data``: readers and a crash see the old file or the new one, never a part.

    Raises StateUnwritable when the disk refuses, SessionGone when the folder is not there.
    """
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        descriptor = open_private(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise StateUnwritable(path, why(error)) from error


def read_bytes(path: Path) -> bytes | None:
    """The whole file, or None where there is none. Raises UnsafeFile."""
    try:
        descriptor = open_private(path, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write a state file atomically, with its format version first."""
    write_atomic(path, orjson.dumps({"version": FORMAT, **value}, option=orjson.OPT_INDENT_2) + b"\n")


def read_json(path: Path) -> dict[str, Any] | None:
    """A state file as a dict without its version, or None where there is none.

    Raises CorruptFile or NewerFormat: the file is never replaced by a guess.
    """
    data = read_bytes(path)
    if data is None:
        return None
    try:
        value: object = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise CorruptFile(path, str(error)) from error
    if not isinstance(value, dict):
        raise CorruptFile(path, "it holds no JSON object")
    fields = cast("dict[str, Any]", value)
    version = fields.pop("version", None)
    if not isinstance(version, int) or isinstance(version, bool):
        raise CorruptFile(path, "its format version is missing")
    if version > FORMAT:
        raise NewerFormat(path, version, FORMAT)
    return fields


def signature(path: Path | str) -> Signature | None:
    """What changes whenever the file is replaced or written: inode, time in ns, size. None: no such file."""
    try:
        status = os.stat(path)  # noqa: PTH116 -- of each append: a Path would double its cost
    except OSError:
        return None
    return (status.st_ino, status.st_mtime_ns, status.st_size)


def _check_owner(path: Path, status: os.stat_result) -> None:
    if os.name == "posix" and status.st_uid != os.geteuid():
        raise UnsafeFile(path, "belongs to another user")


def why(error: OSError) -> str:
    """What the system says went wrong, as the end of a sentence."""
    return (error.strerror or type(error).__name__).lower()
