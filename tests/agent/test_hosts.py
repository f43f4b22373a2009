"""`debugloop install HOST`: the real files of each host, with what users have in them, and out again to the byte."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugloop.agent.hosts import NAMES, jsonc, named
from debugloop.agent.hosts.host import own_command
from tests.cli.conftest import Ran
from tests.support import clean_environment, cli

CLAUDE = b'{"mcpServers": {"github": {"command": "gh-mcp", "args": []}}}'
OPENCODE = b"""{
\t// my models
\t"model": "anthropic/x", /* the best */
\t"mcp": {
\t\t// "debugloop": {"type": "local"}, an old try
\t\t"web": { "type": "remote", "url": "https://example.org/a//b" },
\t},
\t"theme": "}{",
}"""
CODEX = b"""\
# mine
model = "x"

[mcp_servers.github]   # theirs
command = "gh-mcp"

[profiles.fast]
model = "y\""""
GEMINI = b'\xef\xbb\xbf{\r\n    "theme": "dark",\r\n    "hooks": {"BeforeTool": [{"hooks": []}]}\r\n}\r\n'
CONFIGURATIONS = {
    "claude-code": (".mcp.json", CLAUDE),
    "codex": (".codex/config.toml", CODEX),
    "opencode": ("opencode.json", OPENCODE),
    "cursor": (".cursor/mcp.json", b"{}"),
    "gemini": (".gemini/settings.json", GEMINI),
    "copilot": (".mcp.json", b'{\n  "mcpServers": {\n  }\n}\n'),
    "vscode": (".vscode/mcp.json", b'{\n  "inputs": [],\n  "servers": {} // none yet\n}\n'),
}


CLAUDE_HOOKS = b"""{
    "permissions": {"allow": ["Bash(git commit:*)"]},
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "notify-send done"}]}
        ],
        "PreToolUse": [ ],
        "PostToolUse": [{"matcher": "Edit", "hooks": []}]
    }
}"""
CURSOR_HOOKS = b"""{"hooks": {"stop": [{"command": "./mine.sh"},
  {"command": "./other.sh"}]}, "version": 1}
"""
HOOKS = {
    "claude-code": (".claude/settings.local.json", CLAUDE_HOOKS, ("UserPromptSubmit", "Stop", "PreToolUse")),
    "codex": (".codex/hooks.json", CLAUDE_HOOKS, ("UserPromptSubmit", "Stop", "PreToolUse")),
    "cursor": (".cursor/hooks.json", CURSOR_HOOKS, ("beforeSubmitPrompt", "stop", "beforeShellExecution")),
    "gemini": (".gemini/settings.json", GEMINI, ("BeforeAgent", "AfterAgent", "BeforeTool")),
}


class User:
    """Somebody with a project and a shell."""

    def __init__(self, home: Path, project: Path) -> None:
        self.home, self.project = home, project

    def run(self, *arguments: str, code: int = 0) -> Ran:
        ran = cli(*arguments, home=self.home, cwd=self.project)
        assert ran.returncode == code, ran.stderr or ran.stdout
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.project)): path.read_bytes()
            for path in self.project.rglob("*.*")
            if path.is_file()
        }

    def write(self, name: str, content: bytes) -> Path:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path


@pytest.fixture
def user(home: Path, workspace: Path) -> User:
    return User(home, workspace)


def entry(name: str, text: bytes) -> Any:
    if name == "codex":
        return tomllib.loads(text.decode())["mcp_servers"]["debugloop"]
    key = {"opencode": "mcp", "vscode": "servers"}.get(name, "mcpServers")
    return jsonc.entry(text.decode(), (key, "debugloop"))


@pytest.mark.parametrize("name", NAMES)
def test_install_twice_and_uninstall_gives_the_original_bytes(user: User, name: str) -> None:
    file, content = CONFIGURATIONS.get(name, ("own.md", b"mine\n"))
    user.write(file, content).chmod(0o640)
    before = user.files()

    user.run("install", name)
    installed = user.files()
    again = json.loads(user.run("install", name, "--json").out)

    assert {each["what"] for each in again["files"]} == {"kept"}
    assert user.files() == installed
    assert any(path.endswith("skills/debugloop/SKILL.md") for path in installed)
    if name in CONFIGURATIONS:
        command = entry(name, installed[file])["command"]
        assert Path(command if isinstance(command, str) else command[0]).is_absolute()
        assert (user.project / file).stat().st_mode & 0o777 == 0o640
    user.run("install", name, "--uninstall")
    assert user.files() == before
    assert [path.name for path in user.project.iterdir()] == [Path(file).parts[0]]


@pytest.mark.parametrize("name", HOOKS)
def test_hooks_go_beside_those_of_the_user_and_out_again_to_the_byte(user: User, name: str) -> None:
    file, content, events = HOOKS[name]
    path = user.write(file, content)
    before = user.files()
    mine: dict[str, list[Any]] = jsonc.parse(content.decode())["hooks"]

    user.run("install", name)
    installed = jsonc.parse(path.read_text())["hooks"]

    for event in {*events, *mine}:
        added = [each for each in installed[event] if each not in mine.get(event, [])]
        assert len(added) == (event in events)
        assert [each for each in installed[event] if each not in added] == mine.get(event, [])
        assert all("hooks/__main__.py" in json.dumps(each) for each in added)
    user.run("install", name, "--uninstall")
    assert user.files() == before


def test_what_the_user_added_beside_our_hooks_stays_and_is_still_json(user: User) -> None:
    user.run("install", "cursor")
    path = user.project / ".cursor/hooks.json"
    value = json.loads(path.read_text())
    after, before = {"command": "./after.sh"}, {"command": "./before.sh"}
    ours = json.dumps(value["hooks"]["stop"][0], indent=2).replace("\n", "\n      ")
    text = path.read_text().replace(ours, f"{json.dumps(before)},\n      {ours},\n      {json.dumps(after)}")
    path.write_text(text.replace('"hooks": {', '"hooks": {\n    "afterFileEdit": [],', 1))

    ran = user.run("install", "cursor", "--uninstall")

    assert json.loads(path.read_text()) == {"version": 1, "hooks": {"afterFileEdit": [], "stop": [before, after]}}
    assert "left" not in ran.out


def test_an_entry_that_got_neighbours_since_is_taken_out_alone(user: User) -> None:
    path = user.write(".cursor/mcp.json", b'{"mcpServers": {}}')
    user.run("install", "cursor")
    value = path.read_text()
    [ours] = re.findall(r'"debugloop": \{.*?\n\s*\}', value, re.DOTALL)
    path.write_text(value.replace(ours, f'"a": {{}}, {ours}, "b": {{}}'))

    user.run("install", "cursor", "--uninstall")

    assert json.loads(path.read_text()) == {"mcpServers": {"a": {}, "b": {}}}


def test_of_a_hook_that_the_user_took_out_the_others_are_still_removed(user: User) -> None:
    user.run("install", "claude-code")
    path = user.project / ".claude/settings.local.json"
    value = json.loads(path.read_text())
    changed = value["hooks"]["Stop"][0]["hooks"][0]
    path.write_text(path.read_text().replace('claude-code stop || true"', 'claude-code stop"'))

    ran = user.run("install", "claude-code", "--uninstall")

    changed["command"] = changed["command"].removesuffix(" || true")
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [{"hooks": [changed]}]}}
    assert f"left      {path}" in ran.out


@pytest.mark.parametrize("name", [name for name in NAMES if name != "pi"])
def test_where_the_host_has_no_configuration_yet_none_is_left(user: User, name: str) -> None:
    user.run("install", name)
    assert entry(name, user.files()[CONFIGURATIONS[name][0]])

    user.run("install", name, "--uninstall")

    assert list(user.project.iterdir()) == []


@pytest.mark.parametrize("name", NAMES)
def test_for_the_user_everything_is_below_their_home(user: User, name: str) -> None:
    done = json.loads(user.run("install", name, "--user", "--json").out)["files"]

    assert all(Path(each["file"]).is_relative_to(user.home) for each in done)
    assert list(user.project.iterdir()) == []
    user.run("install", name, "--user", "--uninstall")
    assert [each["file"] for each in done if Path(each["file"]).exists()] == []


def test_a_dry_run_shows_the_diff_and_writes_nothing(user: User) -> None:
    user.write("opencode.json", OPENCODE)
    before = user.files()

    shown = user.run("install", "opencode", "--dry-run")

    assert '+\\t\\t"debugloop": {' in shown.out or '+\t\t"debugloop": {' in shown.out
    assert "+name: debugloop" in shown.out
    assert user.files() == before
    assert not (user.home / "hosts").exists()


def test_what_the_user_changed_around_an_entry_stays(user: User) -> None:
    path = user.write(".cursor/mcp.json", b'{"mcpServers": {"a": {"command": "a"}}}')
    user.run("install", "cursor")
    text = path.read_text()
    path.write_text(text.replace('"a": {"command": "a"}', '"b": {"command": "b"}'))

    user.run("install", "cursor", "--uninstall")

    assert path.read_text() == '{"mcpServers": {"b": {"command": "b"}}}'


def test_an_entry_that_the_user_changed_is_left_and_said(user: User) -> None:
    path = user.write(".cursor/mcp.json", b"{}")
    user.run("install", "cursor")
    path.write_text(path.read_text().replace('"mcp"', '"mcp", "--session", "mine"'))

    ran = user.run("install", "cursor", "--uninstall")

    assert f"left      {path}" in ran.out
    assert "take our part out by hand" in ran.err
    assert "mine" in path.read_text()


@pytest.mark.parametrize(
    ("name", "file", "content"),
    [
        ("cursor", ".cursor/mcp.json", b'{"mcpServers": {"debugloop": {"command": "other"}}}'),
        ("cursor", ".cursor/mcp.json", b'{"mcpServers": ['),
        ("cursor", ".cursor/mcp.json", b'{"mcpServers": []}'),
        ("cursor", ".cursor/mcp.json", b"[]"),
        ("cursor", ".cursor/mcp.json", b"\xff\xfe{\0"),
        ("codex", ".codex/config.toml", b"[mcp_servers.debugloop]\ncommand = 'other'\n"),
        ("codex", ".codex/config.toml", b"mcp_servers = {a = {command = 'b'}}\n"),
        ("codex", ".codex/config.toml", b"not = [toml"),
        ("pi", ".pi/skills/debugloop/SKILL.md", b"my own skill\n"),
        ("claude-code", ".claude/settings.local.json", b'{"hooks": {"Stop": {}}}'),
        ("claude-code", ".claude/settings.local.json", b'{"hooks": []}'),
        ("copilot", ".github/hooks/debugloop.json", b"{}"),
    ],
)
def test_what_cannot_be_added_to_is_refused_before_any_file_is_touched(
    user: User, name: str, file: str, content: bytes
) -> None:
    path = user.write(file, content)
    before = user.files()

    refused = user.run("install", name, code=1)

    assert f"{path} was left as it is" in refused.err
    assert user.files() == before


def test_a_newer_version_replaces_what_an_older_one_installed(user: User) -> None:
    user.run("install", "pi")
    skill = user.project / ".pi/skills/debugloop/SKILL.md"
    old = skill.read_text().replace("Debug mode", "Old mode")
    [memory] = (user.home / "hosts").glob("pi-*.json")
    content = json.loads(memory.read_bytes())
    content["put_in"][str(skill)] = [old]
    memory.write_text(json.dumps(content))
    skill.write_text(old)

    done = json.loads(user.run("install", "pi", "--json").out)["files"]

    assert [each["what"] for each in done] == ["replaced", "kept", "kept", "kept"]
    assert "Old mode" not in skill.read_text()


def test_a_configuration_that_is_a_link_stays_one(user: User, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_bytes(b'{"mcpServers": {}}')
    (user.project / ".cursor").mkdir()
    (user.project / ".cursor/mcp.json").symlink_to(real)

    user.run("install", "cursor")

    assert (user.project / ".cursor/mcp.json").is_symlink()
    assert "debugloop" in real.read_text()
    user.run("install", "cursor", "--uninstall")
    assert real.read_bytes() == b'{"mcpServers": {}}'


def test_installed_texts_hold_no_live_marker(user: User) -> None:
    for name in NAMES:
        user.run("install", name)

    assert json.loads(user.run("scan", "--json").out)["leftovers"] == []


def test_every_skill_is_the_same_text(user: User) -> None:
    for name in NAMES:
        user.run("install", name)
    texts = {path.read_text() for path in user.project.rglob("SKILL.md")}

    assert len(texts) == 1
    assert "Only the person can say Resolved." in texts.pop()


def test_the_command_that_is_installed_runs(home: Path, workspace: Path) -> None:
    ran = subprocess.run(
        [*own_command(), "--version"], cwd=workspace, env=clean_environment(home), check=True, capture_output=True
    )

    assert ran.stdout.startswith(b"debugloop ")
    assert Path(own_command()[0]).parent == Path(sys.executable).parent


def test_every_host_has_its_name() -> None:
    assert [named(name).name for name in NAMES] == list(NAMES)


KEYS = st.text('ab"\\{}/é', min_size=1, max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.sampled_from([None, 1, "\t"]), st.booleans(), st.booleans())
def test_an_entry_goes_into_any_object_and_changes_nothing_else(
    before: dict[str, Any],
    indent: Any,
    comment: bool,
    servers: bool,
) -> None:
    if servers:
        before = {**before, "mcpServers": {"a": before}}
    text = json.dumps(before, indent=indent, ensure_ascii=False)
    if comment:
        text = f'// }} "first"\n{text} /* {{ */\n'
    splice = jsonc.insert(text, ("mcpServers", "debugloop"), {"command": "x", "args": ["}"]})
    after = splice.into(text)

    expected = {**before, "mcpServers": {**before.get("mcpServers", {}), "debugloop": {"command": "x", "args": ["}"]}}}
    assert jsonc.parse(after) == expected
    assert after.replace(splice.piece, "", 1) == text
