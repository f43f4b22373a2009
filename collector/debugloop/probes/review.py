"""What a person may want to look at after a session: new files, changed manifests and policies. Never an obstacle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from debugloop.probes.tree import Found

if TYPE_CHECKING:
    from debugloop.probes.sieve import Sifted
    from debugloop.probes.tree import Names, Workspace

ReviewKind: TypeAlias = Literal["new_file", "manifest", "policy", "unread", "more"]

# fmt: off
_MANIFESTS: Final = frozenset({
    "package.json", "package-lock.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "yarn.lock", "bun.lock",
    "deno.json", "deno.lock", "pyproject.toml", "setup.py", "setup.cfg", "poetry.lock", "uv.lock", "Pipfile",
    "Pipfile.lock", "go.mod", "go.sum", "Cargo.toml", "Cargo.lock", "Gemfile", "Gemfile.lock", "composer.json",
    "composer.lock", "pom.xml", "build.gradle", "build.gradle.kts", "mix.exs", "Package.swift",
    "CMakeLists.txt", "manifest.json",
})
# fmt: on
POLICY: Final = (
    *(b"content-security-policy", b"Content-Security-Policy", b"contentSecurityPolicy", b"connect-src", b"connectSrc"),
    *(b"CONTENT_SECURITY_POLICY", b"CSP_CONNECT_SRC"),
)
"""What a file that sets a content security policy holds."""

_POLICY_BYTES: Final = 1 << 20  # files that hold a policy are written by hand


@dataclass(frozen=True, slots=True)
class Review:
    """One file to look at, and why: ``text`` is a phrase for people."""

    file: str
    kind: ReviewKind
    text: str


def review(place: Workspace, names: Names, sifted: Sifted, status: Sequence[str]) -> Iterator[Review]:
    """What is new or changed since the start, when git's status was ``status``; files sifted for `POLICY` too."""
    before = tuple(line[3:].strip('"') for line in status if line.startswith("??"))
    held, ignored = {*sifted.held}, {*names.ignored}
    for file in sifted.changed:
        if file in ignored:
            continue
        found = Found(place.top, file)
        name = found.file.rpartition("/")[2]
        known = any(found.name == old or (old.endswith("/") and found.name.startswith(old)) for old in before)
        if file in names.untracked and not known:
            yield Review(found.name, "new_file", "new since the start")
        if name in _MANIFESTS or (name.startswith("requirements") and name.endswith(".txt")):
            yield Review(found.name, "manifest", "changed since the start")
        elif file in held and _holds_policy(found):
            yield Review(found.name, "policy", "changed since the start, and sets a content security policy")


def _holds_policy(found: Found) -> bool:
    try:
        with found.open() as file:
            text = file.read(_POLICY_BYTES)
    except OSError:
        return False
    return any(word in text for word in POLICY)
