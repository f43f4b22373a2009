"""The house rules that no linter knows."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from debugloop import errors
from tests.support import ROOT, clean_environment, cli, require

LONGEST = 400
"""Lines of a module: one sitting."""

OURS = sorted(
    path for folder in ("collector", "overlay", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")
)
HEAVY = ("textual", "rich", "mcp", "aiohttp", "pydantic")
"""What a short verb must not load: each costs a good part of the 0.15 s in which it is to answer."""


def subtypes(base: type[Exception]) -> set[type[Exception]]:
    return {base}.union(*(subtypes(each) for each in base.__subclasses__()))


@pytest.mark.parametrize("path", OURS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_is_read_in_one_sitting(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_every_error_is_drawn_in_the_tree_at_the_top_of_its_module() -> None:
    drawn = set(re.findall(r"\b[A-Z]\w+(?=\s|$)", (errors.__doc__ or "").split("\n\n")[1]))
    defined = {each.__name__ for each in subtypes(errors.DebugloopError)}

    assert {name for name in drawn if hasattr(errors, name)} == drawn
    assert defined == drawn


def test_every_error_has_a_code_of_its_own() -> None:
    raised = [each for each in subtypes(errors.DebugloopError) if "code" in vars(each)]

    assert len({vars(each)["code"] for each in raised}) == len(raised)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", vars(each)["code"]) for each in raised)


def test_every_list_of_public_names_is_true() -> None:
    for path in (path for folder in ("collector", "overlay") for path in (ROOT / folder).rglob("__init__.py")):
        dotted = ".".join(path.parent.relative_to(ROOT).parts[1:])
        module = importlib.import_module(dotted)
        assert [name for name in getattr(module, "__all__", []) if not hasattr(module, name)] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["start"],
        ["status"],
        ["sessions"],
        ["hypothesis", "list"],
        ["logs"],
        ["wait", "--timeout", "0"],
        ["steps", "Open the page"],
        ["clear"],
        ["strip"],
        ["gc"],
        ["stop"],
    ],
    ids=" ".join,
)
def test_a_headless_verb_loads_nothing_heavy(arguments: list[str], home: Path, workspace: Path) -> None:
    script = (
        "import sys; sys.argv = ['debugloop', *sys.argv[1:]]; from debugloop.cli import main; code = main(); "
        f"print('loaded:', *[name for name in {HEAVY!r} if name in sys.modules]); sys.exit(code)"
    )
    command = [sys.executable, "-c", script]
    environment = clean_environment(home)
    subprocess.run([*command, "start"], cwd=workspace, env=environment, check=True, capture_output=True, timeout=60)

    ran = subprocess.run(
        [*command, *arguments], cwd=workspace, env=environment, check=False, capture_output=True, text=True, timeout=60
    )

    assert ran.returncode == (3 if "wait" in arguments else 0), ran.stderr
    assert ran.stdout.splitlines()[-1] == "loaded:"


def test_nothing_lets_the_collector_listen_beyond_this_machine(home: Path, workspace: Path) -> None:
    for verb in ("start", "serve"):
        for option in ("--host", "--bind"):
            assert cli(verb, option, "0.0.0.0", home=home, cwd=workspace).returncode == 2  # noqa: S104 -- refused
    ran = cli("start", "--json", home=home, cwd=workspace)
    endpoint = Path(json.loads(ran.stdout)["directory"]) / "debug-endpoint.json"
    endpoint.write_text(endpoint.read_text(encoding="utf-8").replace("127.0.0.1", "0.0.0.0"), encoding="utf-8")  # noqa: S104 -- refused
    cli("stop", home=home, cwd=workspace)

    refused = cli("start", home=home, cwd=workspace)

    assert refused.returncode == 1
    assert "debug-endpoint.json is damaged" in refused.stderr


def committed() -> list[Path]:
    require("git")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_a_path_of_the_machine_it_was_written_on() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    here = [f"{path}/".encode() for path in {ROOT, Path.home()} if len(path.parts) > 1]

    assert [path for path in committed() for name in here if name in path.read_bytes()] == []


def test_every_dependency_is_pinned_once_and_from_no_index_of_ours() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {line.partition("==")[0] for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [
        *project["project"]["dependencies"],
        *(name for extra in project["project"]["optional-dependencies"].values() for name in extra),
        *(name for group in project["dependency-groups"].values() for name in group if isinstance(name, str)),
    ]

    assert all(re.fullmatch(r"[a-z0-9._-]+==[^\s/]+( ; .+)?", line) for line in lines), lines
    assert {re.split(r"[\[<>=~! ]", name)[0].lower() for name in wanted} <= pinned


def test_every_rule_that_the_linter_leaves_out_has_its_reason() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lists = re.findall(r"^(?:ignore|\"[^\"]+\") = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in lists for line in block.splitlines()]

    assert len(lines) > 20
    assert [line for line in lines if "#" not in line] == []


def test_every_exception_to_a_check_names_its_rule() -> None:
    blanket = re.compile(r"#\s*(noqa(?!: [A-Z])|type: ignore(?!\[)|pyright: ignore(?!\[)|ruff: noqa(?!: [A-Z]))")

    assert [path for path in OURS if path != Path(__file__) and blanket.search(path.read_text(encoding="utf-8"))] == []
