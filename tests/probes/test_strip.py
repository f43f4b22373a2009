from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Container, Iterable
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugloop.errors import BrokenMarkers, FileUnreadable, FileUnwritable, OutsideWorkspace
from debugloop.probes import markers, tree
from debugloop.probes import strip as module
from debugloop.probes.markers import Region
from debugloop.probes.strip import Stripped, strip
from debugloop.probes.tree import Workspace
from debugloop.probes.tree import workspace as workspace_at

BEGIN, END = b"// #region debugloop s/%d\n", b"// #endregion debugloop s/%d\n"


def probe(number: int) -> bytes:
    return BEGIN % number + b"log();\n" + END % number


@pytest.fixture(params=["git", "no git"])
def place(request: pytest.FixtureRequest, workspace: Path) -> Workspace:
    if request.param == "git":
        subprocess.run(["git", "init", "-q", workspace], check=True)
    return workspace_at(workspace)


def test_all_files_are_stripped_and_told(place: Workspace) -> None:
    (place.top / "web").mkdir()
    (place.top / "a.js").write_bytes(b"a\r\n" + probe(1) + b"b" + b"\n" + probe(2))
    (place.top / "web/b c.js").write_bytes(probe(3))
    (place.top / "c.js").write_bytes(b"untouched\n")
    untouched = (place.top / "c.js").stat()
    assert sorted(strip(place, "s"), key=lambda done: done.file) == [
        Stripped("a.js", ("s/1", "s/2"), (2, 6)),
        Stripped("web/b c.js", ("s/3",), (1,)),
    ]
    assert (place.top / "a.js").read_bytes() == b"a\r\nb\n"
    assert (place.top / "web/b c.js").read_bytes() == b""
    assert (place.top / "c.js").stat() == untouched
    assert strip(place, "s") == []
    assert [path.name for path in place.top.iterdir() if path.name.startswith(".a.js")] == []


def test_only_the_session_that_is_meant_is_stripped(place: Workspace) -> None:
    other = probe(1).replace(b"s/1", b"s2/1")
    (place.top / "a.js").write_bytes(other + probe(1) + b"x\n")
    strip(place, "s")
    assert (place.top / "a.js").read_bytes() == other + b"x\n"


def test_a_marker_that_does_not_pair_stops_everything_and_names_each_place(place: Workspace) -> None:
    good, bad, worse = b"x\n" + probe(1), b"\n" + BEGIN % 2, END % 3
    for name, data in (("a.js", good), ("b.js", bad), ("c.js", worse)):
        (place.top / name).write_bytes(data)
    with pytest.raises(BrokenMarkers) as raised:
        strip(place, "s")
    assert sorted(raised.value.places) == [
        ("b.js", 2, "s/2 begins but does not end"),
        ("c.js", 1, "s/3 ends but does not begin"),
    ]
    assert "b.js:2" in str(raised.value)
    assert [(place.top / name).read_bytes() for name in ("a.js", "b.js", "c.js")] == [good, bad, worse]


def test_a_probe_that_was_copied_to_another_file_stops_everything(place: Workspace) -> None:
    (place.top / "a.js").write_bytes(probe(1))
    (place.top / "b.js").write_bytes(b"\n" + probe(1))
    with pytest.raises(BrokenMarkers) as raised:
        strip(place, "s")
    ((file, _, reason),) = raised.value.places
    assert {file, reason.split()[-1].split(":")[0]} == {"a.js", "b.js"}


def test_imports_may_stand_once_in_each_file(place: Workspace) -> None:
    imports = probe(1).replace(b"s/1", b"s/imports")
    for name in ("a.go", "b.go"):
        (place.top / name).write_bytes(imports + b"x\n")
    strip(place, "s")
    assert [(place.top / name).read_bytes() for name in ("a.go", "b.go")] == [b"x\n"] * 2
    (place.top / "a.go").write_bytes(imports * 2)
    with pytest.raises(BrokenMarkers):
        strip(place, "s")


def test_dry_run_tells_and_touches_nothing(place: Workspace) -> None:
    (place.top / "a.js").write_bytes(probe(1))
    assert strip(place, "s", dry_run=True) == [Stripped("a.js", ("s/1",), (1,))]
    assert (place.top / "a.js").read_bytes() == probe(1)


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o444, 0o4755])
def test_mode_stays(place: Workspace, mode: int) -> None:
    path = place.top / "run.sh"
    path.write_bytes(b"#!/bin/sh\n" + probe(1))
    path.chmod(mode)
    strip(place, "s")
    assert path.read_bytes() == b"#!/bin/sh\n"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_extended_attributes_stay(place: Workspace) -> None:
    path = place.top / "a.js"
    path.write_bytes(probe(1))
    try:
        os.setxattr(path, "user.note", b"mine")
    except (OSError, AttributeError):
        pytest.skip("no extended attributes here")
    strip(place, "s")
    assert os.getxattr(path, "user.note") == b"mine"


def test_every_name_of_a_file_with_several_shows_it_stripped(place: Workspace) -> None:
    path, other = place.top / "a.js", place.top.parent / "elsewhere.js"
    path.write_bytes(b"x\n" + probe(1))
    other.hardlink_to(path)
    strip(place, "s")
    assert other.read_bytes() == path.read_bytes() == b"x\n"
    assert path.stat().st_ino == other.stat().st_ino


def test_two_names_of_one_file_in_the_workspace_are_one_file_and_no_copy(place: Workspace) -> None:
    (place.top / "a.js").write_bytes(b"x\n" + probe(1))
    (place.top / "b.js").hardlink_to(place.top / "a.js")
    assert strip(place, "s") == [Stripped("a.js", ("s/1",), (2,))]
    assert (place.top / "b.js").read_bytes() == b"x\n"
    assert (place.top / "a.js").samefile(place.top / "b.js")


@pytest.mark.parametrize(
    ("file", "text", "lines"),
    [
        ("a.js", b"x = '// #region debugloop s/1';\n\ny(); // #endregion debugloop s/1\n", (1, 3)),
        ("a.ipynb", b'{"source": [\n "# #region debugloop s/1\\n",\n "# #endregion debugloop s/1"]}\n', (2, 3)),
        ("a.xyz", b"?? #region debugloop s/1\n", (1,)),
    ],
    ids=["string", "notebook", "unknown comment"],
)
def test_a_marker_that_is_no_comment_line_is_told_and_stays(
    file: str, text: bytes, lines: tuple[int, ...], place: Workspace
) -> None:
    (place.top / file).write_bytes(text)
    assert strip(place, "s") == [Stripped(file, (), (), text=lines)]
    assert (place.top / file).read_bytes() == text
    (place.top / file).write_bytes(text + probe(1))
    assert strip(place, "s") == [Stripped(file, ("s/1",), (text.count(b"\n") + 1,), text=lines)]
    assert (place.top / file).read_bytes() == text


def test_a_link_out_of_the_workspace_is_not_followed(place: Workspace) -> None:
    outside = place.top.parent / "outside"
    outside.mkdir()
    (outside / "a.js").write_bytes(probe(1))
    (place.top / "linked").symlink_to(outside)
    (place.top / "b.js").symlink_to(outside / "a.js")
    assert strip(place, "s") == []
    for path in ("linked", "linked/a.js", "b.js", "../outside/a.js"):
        with pytest.raises(OutsideWorkspace):
            strip(place, "s", [place.top / path])
    assert (outside / "a.js").read_bytes() == probe(1)


def test_a_tracked_folder_that_became_a_link_is_not_followed(workspace: Path) -> None:
    subprocess.run(["git", "init", "-q", workspace], check=True)
    (workspace / "src").mkdir()
    (workspace / "src/a.js").write_bytes(probe(1))
    subprocess.run(["git", "-C", workspace, "add", "."], check=True)
    (workspace / "src").rename(workspace.parent / "moved")
    (workspace / "src").symlink_to(workspace.parent / "moved")
    assert strip(workspace_at(workspace), "s") == []
    assert (workspace.parent / "moved/a.js").read_bytes() == probe(1)


def test_a_named_link_within_the_workspace_stands_for_its_file(place: Workspace) -> None:
    (place.top / "a.js").write_bytes(probe(1))
    (place.top / "b.js").symlink_to("a.js")
    assert strip(place, "s", [place.top / "b.js"]) == [Stripped("a.js", ("s/1",), (1,))]
    assert (place.top / "b.js").is_symlink()


def test_only_named_files_and_folders_are_stripped(place: Workspace) -> None:
    (place.top / "web").mkdir()
    for number, name in enumerate(("a.js", "web/b.js", "c.js")):
        (place.top / name).write_bytes(probe(number))
    assert [done.file for done in strip(place, "s", [place.top / "a.js", place.top / "web"])] == ["a.js", "web/b.js"]
    assert (place.top / "c.js").read_bytes() == probe(2)
    assert [done.file for done in strip(place, "s", [place.top])] == ["c.js"]


def test_a_named_file_that_is_not_there_is_an_error(place: Workspace) -> None:
    with pytest.raises(FileUnreadable, match=r"gone\.js cannot be read"):
        strip(place, "s", [place.top / "gone.js"])
    (place.top / "loop").symlink_to("loop")
    with pytest.raises(FileUnreadable):
        strip(place, "s", [place.top / "loop"])


def test_ignored_files_are_stripped_only_when_named(workspace: Path) -> None:
    subprocess.run(["git", "init", "-q", workspace], check=True)
    (workspace / ".gitignore").write_text("dist/\n")
    (workspace / "dist").mkdir()
    (workspace / "dist/a.js").write_bytes(probe(1))
    place = workspace_at(workspace)
    assert strip(place, "s") == []
    assert [done.file for done in strip(place, "s", [workspace / "dist"])] == ["dist/a.js"]


def test_a_pipe_in_the_workspace_is_passed_over(place: Workspace) -> None:
    os.mkfifo(place.top / "pipe")
    (place.top / "a.js").write_bytes(probe(1))
    assert [done.file for done in strip(place, "s")] == ["a.js"]


def test_a_folder_that_cannot_be_written_is_an_error_that_names_the_file(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place.top / "a.js").write_bytes(probe(1))

    def refuse(self: Path, target: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(FileUnwritable, match=r"a\.js keeps its probes: Permission denied\."):
        strip(place, "s")
    assert (place.top / "a.js").read_bytes() == probe(1)
    assert [path.name for path in place.top.iterdir() if path.name != ".git"] == ["a.js"]


def test_a_file_that_cannot_be_read_is_an_error_only_when_it_was_named(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, name in enumerate(("a.js", "b.js")):
        (place.top / name).write_bytes(probe(number))
    real = tree.open_plain

    def refuse(path: str) -> BinaryIO:
        if path.endswith("a.js"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(tree, "open_plain", refuse)
    with pytest.raises(FileUnreadable, match=r"a\.js cannot be read \(Permission denied\)"):
        strip(place, "s", [place.top / "a.js"])
    assert [done.file for done in strip(place, "s")] == ["b.js"]


def test_a_full_disk_leaves_the_file_as_it_was_and_tells_what_was_done(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, name in enumerate(("a.js", "b.js")):
        (place.top / name).write_bytes(probe(number))
    real = os.fsync
    calls: list[int] = []

    def full(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileUnwritable, match=r"No space left on device\. Stripped before it: a\.js\.") as raised:
        strip(place, "s", [place.top / "a.js", place.top / "b.js"])
    assert raised.value.done == ("a.js",)
    assert (place.top / "b.js").read_bytes() == probe(1)
    assert sorted(path.name for path in place.top.iterdir() if path.name != ".git") == ["a.js", "b.js"]


def test_a_file_that_changes_meanwhile_is_left_alone(place: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    path = place.top / "a.js"
    path.write_bytes(probe(1))
    remove = markers.remove

    def slow(data: bytes, regions: Iterable[Region], joined: Container[str]) -> bytes:
        path.write_bytes(b"mine\n" + probe(1))
        return remove(data, regions, joined)

    monkeypatch.setattr(markers, "remove", slow)
    with pytest.raises(FileUnwritable, match="changed in the meantime"):
        strip(place, "s")
    assert path.read_bytes() == b"mine\n" + probe(1)


def test_a_marker_is_found_across_the_blocks_in_which_a_large_file_is_read(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BLOCK", 16)
    (place.top / "a.js").write_bytes(b"x" * 50 + b"\n" + probe(1))
    (place.top / "b.js").write_bytes("größe\n".encode("utf-16") + probe(2).decode().encode("utf-16-le"))
    assert len(strip(place, "s")) == 2
    assert (place.top / "b.js").read_bytes() == "größe\n".encode("utf-16")


@given(content=st.binary(max_size=200), at=st.integers(0, 200), number=st.integers(0, 10**9))
def test_any_bytes_around_a_probe_are_the_same_after(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, at: int, number: int
) -> None:
    at = content.rfind(b"\n", 0, at) + 1
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    top = tmp_path_factory.mktemp("w", numbered=True)
    (top / "f").write_bytes(content[:at] + probe(number) + content[at:])
    strip(workspace_at(top), "s")
    assert (top / "f").read_bytes() == content
