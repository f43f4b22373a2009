"""The wheel holds what it must and nothing else, and works without the source it was built from."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.support import ROOT, clean_environment


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=100)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean environment with the wheel in it; the packages it needs are those of this interpreter."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=False, symlinks=True)
    packages = next(folder.glob("lib/python3*/site-packages"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    # addsitedir would also obey the .pth files there, among them the one of our editable install
    (packages / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return folder


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def run(installed: Path, home: Path, *arguments: str) -> str:
    done = subprocess.run(
        [installed / "bin/python", *arguments],
        cwd=home,
        env=clean_environment(home),
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout


def test_the_wheel_holds_both_packages_their_types_and_the_style_of_the_panel(wheel: Path) -> None:
    wanted = {
        "debugloop/__init__.py",
        "debugloop/py.typed",
        "debugloop_overlay/__init__.py",
        "debugloop_overlay/py.typed",
        "debugloop_overlay/overlay.tcss",
    }

    assert wanted <= names(wheel)


def test_the_wheel_holds_every_source_file_and_no_other(wheel: Path) -> None:
    source = {
        str(path.relative_to(ROOT / root)) for root in ("collector", "overlay") for path in (ROOT / root).rglob("*.py")
    }
    packaged = names(wheel)

    assert source <= packaged
    assert {name.split("/")[0].split("-")[0] for name in packaged} == {"debugloop", "debugloop_overlay"}
    assert not [name for name in packaged if "__pycache__" in name or name.startswith(("tests/", "debugloop/tests"))]


def test_the_wheel_names_both_commands_and_the_licence(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        info = next(name for name in archive.namelist() if name.endswith(".dist-info/entry_points.txt"))
        commands = archive.read(info).decode()

    assert "debugloop = debugloop.cli:main" in commands
    assert "debuglog = debugloop_overlay.main:main" in commands
    assert [name for name in names(wheel) if name.endswith("/licenses/LICENSE")]


def test_the_command_works_from_the_wheel(installed: Path, home: Path) -> None:
    assert run(installed, home, "-m", "debugloop", "--help").startswith("Usage:")


def test_the_panel_is_imported_from_the_wheel(installed: Path, home: Path) -> None:
    where = run(installed, home, "-c", "import debugloop_overlay.main as m; print(m.__file__)")

    assert Path(where.strip()).is_relative_to(installed)
