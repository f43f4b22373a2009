from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from debugloop.errors import CorruptFile, LockBusy, NewerFormat, SessionGone, StateUnwritable, UnsafeFile
from debugloop.session import files
from debugloop.session.locks import hold, is_held
from tests.support import until


def test_directories_and_files_are_private_from_the_first_moment(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        files.make_private_directory(tmp_path / "a" / "b")
        files.write_atomic(tmp_path / "a" / "b" / "x.json", b"{}")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "a" / "b" / "x.json").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["x.json"]


def test_a_folder_that_others_may_enter_is_closed_to_them(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    files.check_directory(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "target").write_bytes(b"{}")
    (tmp_path / "file").symlink_to(tmp_path / "target")
    with pytest.raises(UnsafeFile, match="is a link"):
        files.check_directory(tmp_path / "link")
    with pytest.raises(UnsafeFile, match="is a link"):
        files.read_bytes(tmp_path / "file")
    with pytest.raises(UnsafeFile, match="is a folder"):
        files.open_private(tmp_path / "real", os.O_RDWR)
    files.write_atomic(tmp_path / "file", b"new")
    assert (tmp_path / "target").read_bytes() == b"{}"


def test_a_pipe_in_place_of_a_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnsafeFile, match="no plain file"):
        files.read_bytes(tmp_path / "pipe")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_what_belongs_to_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs.json").write_bytes(b"{}")
    os.chown(tmp_path / "theirs", 12345, 12345)
    os.chown(tmp_path / "theirs.json", 12345, 12345)
    with pytest.raises(UnsafeFile, match="another user"):
        files.check_directory(tmp_path / "theirs")
    with pytest.raises(UnsafeFile, match="another user"):
        files.read_json(tmp_path / "theirs.json")


def test_a_folder_that_cannot_be_made_names_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StateUnwritable, match="--in-workspace"):
        files.make_private_directory(tmp_path / "file" / "sub")


def test_a_missing_folder_is_a_session_that_is_gone(tmp_path: Path) -> None:
    assert files.read_json(tmp_path / "gone" / "x.json") is None
    with pytest.raises(SessionGone):
        files.write_atomic(tmp_path / "gone" / "x.json", b"")
    with pytest.raises(SessionGone):
        files.check_directory(tmp_path / "gone")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'"x"', b"{}", b'{"version":"1"}', b'{"version":true}', b"\xff"])
def test_a_damaged_state_file_is_named_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "session.json"
    path.write_bytes(content)
    with pytest.raises(CorruptFile, match="session.json"):
        files.read_json(path)
    assert path.read_bytes() == content


def test_a_newer_format_is_an_error_that_says_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_bytes(b'{"version":2}')
    with pytest.raises(NewerFormat, match="Upgrade"):
        files.read_json(path)


@pytest.mark.usefixtures("unmeasured")
@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_FSIZE as a full disk")
def test_a_full_disk_leaves_the_old_file_whole_and_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    files.write_json(path, {"a": 1})
    before = path.read_bytes()
    program = (
        "import resource, signal, sys, pathlib\n"
        "from debugloop.session import files\n"
        "from debugloop.errors import StateUnwritable\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try: files.write_atomic(pathlib.Path(sys.argv[1]), b'x' * 5000)\n"
        "except StateUnwritable as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", program, path], capture_output=True, text=True, timeout=60, check=True
    )
    assert "cannot be written" in done.stdout
    assert path.read_bytes() == before
    assert [found for found in tmp_path.iterdir() if found.is_file()] == [path]


HOLDER = (
    "import sys, pathlib\n"
    "from debugloop.session.locks import hold\n"
    "lock = hold(pathlib.Path(sys.argv[1]))\n"
    "print('held', flush=True)\n"
    "sys.stdin.read()\n"
)


def test_a_lock_dies_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert is_held(path)
        with pytest.raises(LockBusy):
            hold(path, 0.05)
        holder.kill()
    until(lambda: not is_held(path), what="the end of the lock")
    with hold(path):
        assert is_held(path)
    assert not is_held(path)


def test_looking_at_a_lock_never_keeps_a_taker_out(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    hold(path).release()
    looker = (
        "import sys, pathlib\nfrom debugloop.session.locks import is_held\n"
        "print('on', flush=True)\n"
        "while True: is_held(pathlib.Path(sys.argv[1]))\n"
    )
    with subprocess.Popen([sys.executable, "-c", looker, path], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            start = time.monotonic()
            taken = 0
            while taken < 200 and time.monotonic() - start < 60:
                hold(path, 5).release()
                taken += 1
        finally:
            process.kill()
    assert taken == 200


def test_a_lock_that_is_not_there_is_not_held(tmp_path: Path) -> None:
    assert not is_held(tmp_path / "none.lock")
    assert not (tmp_path / "none.lock").exists()
