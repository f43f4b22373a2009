"""Sifting files before they are read: nothing that holds a needle may slip through, however it is done."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from debugloop.probes import sieve
from debugloop.probes.sieve import Sifted, Task, sift, sift_here

NEEDLES = ("needle", "n\0e\0e\0d", "\xff\xfe\x00")


@pytest.fixture
def task(tmp_path: Path) -> Task:
    names: list[str] = []
    for number in range(40):
        folder = tmp_path / f"d{number % 3}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.txt").write_bytes(b"x" * number + (b"needle" if number % 4 == 0 else b"need"))
        names.append(f"d{number % 3}/{number}.txt")
    return Task(str(tmp_path), [*names, "gone.txt", "d0"], NEEDLES, len(names))


def test_several_processes_find_what_one_finds(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = sift_here(task)
    assert (alone.files, len(alone.held)) == (40, 10)
    monkeypatch.setattr(sieve, "MANY", 10)
    monkeypatch.setattr(sieve, "_processors", lambda: 4)
    assert sift(task) == alone


def test_a_process_that_fails_loses_nothing(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = sift_here(task)
    monkeypatch.setattr(sieve, "MANY", 10)
    monkeypatch.setattr(sieve, "_processors", lambda: 4)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert sift(task) == alone


def test_no_files_need_no_process(tmp_path: Path) -> None:
    assert sift(Task(str(tmp_path), [], NEEDLES, 0)) == Sifted()


@pytest.mark.parametrize("at", [0, 15, 16, 17, 60])
def test_a_needle_is_found_across_the_blocks_in_which_a_file_is_read(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sieve, "_BLOCK", 16)
    (tmp_path / "a").write_bytes(b"-" * at + b"needle")
    (tmp_path / "b").write_bytes(b"-" * at + b"need-le" + b"-" * 40)
    assert sift_here(Task(str(tmp_path), ["a", "b"], NEEDLES, 2)).held == ["a"]


def test_utf16_and_links_are_worth_a_look_and_folders_behind_links_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "wide").write_bytes("x".encode("utf-16"))
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a").write_text("needle")
    (tmp_path / "other").symlink_to("real")
    names = ["wide", "link", "real/a", "other/a"]
    assert sift_here(Task(str(tmp_path), names, NEEDLES, len(names))).held == ["wide", "link", "real/a"]
