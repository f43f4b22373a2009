"""Copying, by real programs: small scripts stand where the tools of a desktop would."""

from __future__ import annotations

from pathlib import Path

import pytest

from debugloop_overlay import clipboard


@pytest.fixture(autouse=True)
def _no_clipboard(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WAYLAND_DISPLAY", "DISPLAY", "WSL_DISTRO_NAME", "SSH_CONNECTION", "SSH_TTY", "TMUX"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def tool(folder: Path, name: str, script: str) -> Path:
    """A program that writes what it was given beside itself."""
    path = folder / name
    path.write_text(f'#!/bin/sh\necho "$@" > "$0.arguments"\n{script}\n')
    path.chmod(0o700)
    return folder / f"{name}.taken"


TAKES = 'cat > "$0.taken"'


async def copied(text: str) -> tuple[str, list[str]]:
    over_terminal: list[str] = []
    return await clipboard.copy(text, over_terminal.append), over_terminal


@pytest.mark.parametrize(
    ("name", "variable", "arguments"),
    [
        ("wl-copy", "WAYLAND_DISPLAY", ""),
        ("xclip", "DISPLAY", "-selection clipboard"),
        ("xsel", "DISPLAY", "--clipboard --input"),
        ("tmux", "TMUX", "load-buffer -w -"),
    ],
)
async def test_a_program_of_the_desktop_takes_the_text(
    tools: Path, monkeypatch: pytest.MonkeyPatch, name: str, variable: str, arguments: str
) -> None:
    monkeypatch.setenv(variable, "here")
    taken = tool(tools, name, TAKES)
    assert await copied("总计 12 €\n") == (name, [])
    assert taken.read_bytes() == "总计 12 €\n".encode()
    assert (tools / f"{name}.arguments").read_text().strip() == arguments


async def test_windows_beside_wsl_gets_text_that_it_reads(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WSL_DISTRO_NAME", "Debian")
    taken = tool(tools, "clip.exe", TAKES)
    assert await copied("总计") == ("clip.exe", [])
    assert taken.read_bytes().decode("utf-16") == "总计"


async def test_the_terminal_is_the_last_way(tools: Path) -> None:
    tool(tools, "wl-copy", TAKES)  # no desktop is there: it would fail or wait
    assert await copied("text") == (clipboard.OSC_52, ["text"])


async def test_a_program_that_fails_gives_way_to_the_next(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    tool(tools, "xclip", "exit 1")
    tool(tools, "xsel", "exit 1")
    assert await copied("text") == (clipboard.OSC_52, ["text"])


async def test_a_program_that_hangs_is_ended(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "_SECONDS", 0.2)
    monkeypatch.setenv("DISPLAY", ":0")
    tool(tools, "xclip", "exec sleep 600")
    assert await copied("text") == (clipboard.OSC_52, ["text"])


async def test_what_stays_behind_to_serve_the_clipboard_holds_nothing_up(
    tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    taken = tool(tools, "xclip", 'cat > "$0.taken"; sleep 20 &')
    assert await copied("text") == ("xclip", [])
    assert taken.read_text() == "text"


def test_over_ssh_only_ways_to_the_persons_own_desk_are_taken() -> None:
    desk = {"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "there", "WSL_DISTRO_NAME": "Debian"}
    assert [command[0] for command in clipboard._programs(desk, "darwin")] == ["xclip", "xsel"]  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] -- no Mac is at hand
    assert [command[0] for command in clipboard._programs({}, "darwin")] == ["pbcopy"]  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
