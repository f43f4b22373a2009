"""A real git repository for tests of probes: made apart from the user's configuration."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class Repo:
    """A working tree at ``top``, and git as a user would call it there."""

    def __init__(self, top: Path) -> None:
        self.top = top

    def git(self, *arguments: str | Path, **environment: str) -> str:
        env = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"} | environment
        done = subprocess.run(["git", *arguments], cwd=self.top, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def write(self, file: str, text: str | bytes) -> Path:
        path = self.top / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def commit(self, message: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")


def new_repo(top: Path) -> Repo:
    """A new repository with one commit, of ``app.js``."""
    top.mkdir(parents=True, exist_ok=True)
    repo = Repo(top)
    repo.git("init", "-q", "-b", "main")
    repo.git("config", "user.name", "A")
    repo.git("config", "user.email", "a@example.org")
    repo.write("app.js", "start();\n")
    repo.commit("first")
    return repo
