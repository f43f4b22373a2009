from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import BinaryIO

import pytest

from debugloop.probes import scan as module
from debugloop.probes import tree
from debugloop.probes.git import repository
from debugloop.probes.scan import Leftover, Report, holding, scan, scan_markers
from debugloop.session import endpoint
from debugloop.session import session as sessions
from debugloop.session.endpoint import Endpoint
from debugloop.session.session import Session
from debugloop.settings import Settings
from tests.probes.repo import Repo, new_repo

TOKEN = "fedcba9876543210" * 4
ADDRESS = Endpoint(23456, TOKEN)


@pytest.fixture
def repo(workspace: Path) -> Repo:
    return new_repo(workspace)


@pytest.fixture
def started(repo: Repo, session: Session) -> Session:
    """A session that began when ``app.js`` was committed."""
    endpoint.save(session.layout, ADDRESS)
    begin(session, repo)
    return session


def begin(session: Session, repo: Repo) -> None:
    """Note what is there as the session starts."""
    found = repository(repo.top)
    assert found is not None
    session.update(head=found.head(), status=tuple(f"?? {name}" for name in found.untracked()))


def probe(session: Session, name: str = "1") -> str:
    return f"// #region debugloop {session.id}/{name}\nlog();\n// #endregion debugloop {session.id}/{name}\n"


def places(report: Report) -> set[tuple[str, str, int, str]]:
    return {(left.where.split()[0], left.file, left.line, left.kind) for left in report.leftovers}


def reviewed(report: Report) -> set[tuple[str, str]]:
    return {(review.file, review.kind) for review in report.review}


def test_a_clean_workspace_has_nothing_left(started: Session) -> None:
    assert scan(started) == Report(files=1)


def test_tracked_and_new_files_are_looked_at(repo: Repo, started: Session) -> None:
    repo.write("app.js", "start();\n" + probe(started))
    repo.write("web/new.js", f"\nfetch('{ADDRESS.url}')\n")
    assert places(scan(started)) == {
        ("working", "app.js", 2, "marker"),
        ("working", "app.js", 4, "marker"),
        ("working", "web/new.js", 2, "endpoint"),
    }


def test_ignored_files_are_looked_at_if_they_were_written_since_the_start(repo: Repo, session: Session) -> None:
    endpoint.save(session.layout, ADDRESS)
    repo.write(".gitignore", ".env.local\nnode_modules/\n")
    old = repo.write("node_modules/old/index.js", TOKEN)
    repo.write("node_modules/lib/index.js", f"x\n{TOKEN}\n")
    repo.write(".env.local", f"URL={ADDRESS.url}\n")
    # ctime cannot be set, so the session is made to begin after all of this, and one file is written again
    session.update(created=int(old.stat().st_ctime * 1000) + 60_000)
    assert places(scan(session)) == set()
    session.update(created=int(old.stat().st_ctime * 1000) - 60_000)
    assert places(scan(session)) == {
        ("ignored", "node_modules/old/index.js", 1, "token"),
        ("ignored", "node_modules/lib/index.js", 2, "token"),
        ("ignored", ".env.local", 1, "endpoint"),
    }


def test_what_was_staged_stashed_or_committed_since_the_start_is_found(repo: Repo, started: Session) -> None:
    repo.write("app.js", probe(started, "commit"))
    commit = repo.commit("with a probe")
    repo.write("app.js", "clean();\n" + probe(started, "stash"))
    repo.git("stash", "push", "-q")
    repo.write("app.js", "clean();\n\n" + probe(started, "index"))
    repo.git("add", "app.js")
    repo.write("app.js", "clean();\n")
    assert places(scan(started)) == {
        ("commit", "app.js", 1, "marker"),
        ("commit", "app.js", 3, "marker"),
        ("stash@{0}", "app.js", 2, "marker"),
        ("stash@{0}", "app.js", 4, "marker"),
        ("index", "app.js", 3, "marker"),
        ("index", "app.js", 5, "marker"),
    }
    assert f"commit {commit[:10]}" in {left.where for left in scan(started).leftovers}
    repo.git("reset", "-q", "--hard", started.state().head or "")
    repo.git("stash", "clear")
    assert scan(started).leftovers == []


def test_a_worktree_of_its_own_is_its_own_workspace(repo: Repo, settings: Settings, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    session = sessions.start(settings, tmp_path / "tree")
    (tmp_path / "tree/app.js").write_text(probe(session))
    assert places(scan(session)) == {("working", "app.js", 1, "marker"), ("working", "app.js", 3, "marker")}


def test_submodules_and_repositories_inside_are_looked_at(repo: Repo, started: Session, tmp_path: Path) -> None:
    library = new_repo(tmp_path / "library")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.top), "lib")
    inner = new_repo(repo.top / "inner")
    repo.write("lib/app.js", probe(started, "1"))
    inner.write("app.js", probe(started, "2"))
    inner.git("add", "app.js")
    inner.write("app.js", "")
    assert places(scan(started)) == {
        ("working", "lib/app.js", 1, "marker"),
        ("working", "lib/app.js", 3, "marker"),
        ("index", "inner/app.js", 1, "marker"),
        ("index", "inner/app.js", 3, "marker"),
    }


def test_without_git_files_are_found_all_the_same(workspace: Path, session: Session) -> None:
    for file in ("a.js", "node_modules/b.js", ".git-not/c.js"):
        (workspace / file).parent.mkdir(exist_ok=True)
        (workspace / file).write_text(probe(session))
    assert {file for _, file, _, _ in places(scan(session))} == {"a.js", "node_modules/b.js", ".git-not/c.js"}
    assert {where for where, file, _, _ in places(scan(session)) if "node_modules" in file} == {"ignored"}


def test_a_repository_without_git_is_said_to_be_half_seen(
    repo: Repo, started: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("app.js", probe(started))
    monkeypatch.setenv("PATH", str(tmp_path))
    report = scan(started)
    assert len(report.leftovers) == 2
    assert reviewed(report) == {(".git", "unread")}


def test_the_token_never_shows(repo: Repo, started: Session) -> None:
    repo.write("app.js", f"fetch('{ADDRESS.url}', '{TOKEN}')\n")
    (left,) = scan(started).leftovers
    assert left == Leftover("app.js", 1, "endpoint", "fetch('http://127.0.0.1:23456/debug/…', '…')", "working tree")


def test_the_session_itself_is_no_leftover(repo: Repo, settings: Settings) -> None:
    session = sessions.start(settings, repo.top, in_workspace=True)
    endpoint.save(session.layout, ADDRESS)
    assert scan(session).leftovers == []
    inside = Settings(home=repo.top / "state")
    session = sessions.start(inside, repo.top, new=True)
    endpoint.save(session.layout, ADDRESS)
    assert scan(session).leftovers == []


def test_other_sessions_and_other_tools_are_told_only_when_all_is_wanted(
    repo: Repo, started: Session, settings: Settings
) -> None:
    repo.write("app.js", "// #region debugloop other/1\n// #region agent log\n// #region debugloop\n")
    repo.git("add", "app.js")
    assert scan(started).leftovers == []
    everything = {
        ("working", "app.js", 1, "other_session"),
        ("working", "app.js", 2, "foreign_marker"),
        ("working", "app.js", 3, "foreign_marker"),
    }
    assert places(scan(started, everything=True)) == everything
    assert places(scan_markers(settings, repo.top)) == everything


def test_new_files_manifests_and_policies_are_for_review_and_no_leftovers(repo: Repo, session: Session) -> None:
    repo.write("package.json", "{}")
    repo.write("index.html", "<p>")
    repo.write("helpers/old.js", "")
    repo.commit("more")
    repo.write("before.js", "")
    begin(session, repo)
    repo.write("helpers/send.js", "")
    repo.write("before.js", "changed")
    repo.write("package.json", '{"dependencies": {}}')
    repo.write("requirements-dev.txt", "x")
    repo.write("index.html", '<meta http-equiv="Content-Security-Policy" content="connect-src *">')
    report = scan(session)
    assert report.leftovers == []
    # every file was written after the session began; only what git calls new or what may need a look is told
    assert reviewed(report) >= {
        ("helpers/send.js", "new_file"),
        ("package.json", "manifest"),
        ("requirements-dev.txt", "manifest"),
        ("requirements-dev.txt", "new_file"),
        ("index.html", "policy"),
    }
    assert ("before.js", "new_file") not in reviewed(report)
    assert ("helpers/old.js", "new_file") not in reviewed(report)


def test_a_file_that_cannot_be_read_is_told(repo: Repo, started: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("secret.js", probe(started))
    repo.write("gone.js", "x")
    real = tree.open_plain

    def refuse(path: str) -> BinaryIO:
        if path.endswith("secret.js"):
            raise PermissionError(13, "Permission denied")
        if path.endswith("gone.js"):
            Path(path).unlink()
        return real(path)

    monkeypatch.setattr(tree, "open_plain", refuse)
    report = scan(started)
    assert report.leftovers == []
    assert ("secret.js", "unread") in reviewed(report)


def test_a_file_that_goes_between_two_looks_is_no_policy(
    repo: Repo, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("index.html", "<meta http-equiv='Content-Security-Policy'>")

    real, times = tree.open_plain, itertools.count()

    def gone(path: str) -> BinaryIO:
        if path.endswith("index.html") and next(times):
            raise FileNotFoundError(2, "No such file")
        return real(path)

    monkeypatch.setattr(tree, "open_plain", gone)
    assert ("index.html", "policy") not in reviewed(scan(session))


def test_an_ignored_repository_is_looked_at_too(repo: Repo, started: Session) -> None:
    repo.write(".gitignore", "vendored/\n")
    new_repo(repo.top / "vendored").write("app.js", probe(started))
    assert {(where, file) for where, file, _, _ in places(scan(started))} == {("ignored", "vendored/app.js")}


def test_an_object_that_the_clone_lacks_is_told(repo: Repo, started: Session) -> None:
    repo.write("big.js", "x")
    repo.commit("big")
    oid = repo.git("rev-parse", "HEAD:big.js")
    (repo.top / ".git/objects" / oid[:2] / oid[2:]).unlink()
    assert ("big.js", "unread") in reviewed(scan(started))


def test_a_file_full_of_traces_is_told_in_short(repo: Repo, started: Session) -> None:
    repo.write("app.log", f"GET {ADDRESS.url}\n" * 500)
    report = scan(started)
    assert len(report.leftovers) == module.IN_FILE
    assert ("app.log", "more") in reviewed(report)
    assert any("400 more" in review.text for review in report.review)


def test_names_that_are_no_text_and_links_that_lead_in_circles_do_no_harm(repo: Repo, started: Session) -> None:
    name = os.fsdecode(b"f\xff.js")
    try:
        repo.write(name, probe(started))
    except OSError:
        pytest.skip("this file system wants UTF-8 names")
    (repo.top / "round").symlink_to(".")
    (repo.top / "dangling").symlink_to("nowhere")
    os.mkfifo(repo.top / "pipe")
    report = scan(started)
    assert {left.file for left in report.leftovers} == {"f\ufffd.js"}
    assert ("f\ufffd.js", "new_file") in reviewed(report)


def test_the_files_that_hold_an_endpoint_are_told(repo: Repo, settings: Settings) -> None:
    repo.write("app.js", f"x\nfetch('{ADDRESS.url}')")
    assert [(left.file, left.line, left.kind) for left in holding(settings, repo.top, ADDRESS)] == [
        ("app.js", 2, "endpoint")
    ]


def test_a_workspace_that_is_gone_holds_nothing(session: Session, workspace: Path) -> None:
    workspace.rmdir()
    assert scan(session).leftovers == []


def test_an_address_that_was_replaced_is_found_as_well(started: Session, repo: Repo) -> None:
    endpoint.save(started.layout, Endpoint(23457, "0" * 64))
    (repo.top / "app.js").write_text(f'fetch("{ADDRESS.url}");\n')
    assert {place[1:3] for place in places(scan(started))} == {("app.js", 1)}
