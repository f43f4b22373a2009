from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from debugloop.errors import GitFailed
from debugloop.probes import git
from debugloop.probes.git import Blob, Repository, repository
from tests.probes.repo import Repo, new_repo


@pytest.fixture
def repo(workspace: Path) -> Repo:
    return new_repo(workspace)


def asked(repo: Repo) -> Repository:
    found = repository(repo.top)
    assert found is not None
    return found


def contents(repo: Repository, blobs: list[Blob]) -> dict[tuple[str, str], bytes]:
    texts = {oid: b"".join(blocks) for oid, blocks in repo.contents([blob.oid for blob in blobs]) if blocks is not None}
    return {(blob.where.split()[0], blob.file): texts[blob.oid] for blob in blobs}


def state_of(top: Path) -> dict[str, str]:
    """Every file of ``.git``, by its content and time."""
    files = (path for path in sorted((top / ".git").rglob("*")) if path.is_file())
    return {str(path): f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path.stat().st_mtime_ns}" for path in files}


def test_what_is_tracked_new_and_ignored_is_told_apart(repo: Repo) -> None:
    repo.write(".gitignore", "*.log\nbuild/\n")
    repo.write("new größe\n.js", "x")
    repo.write("app.log", "x")
    repo.write("build/deep/out.js", "x")
    found = asked(repo)
    assert sorted(found.listing().files) == [".gitignore", "app.js", "new größe\n.js"]
    assert sorted(found.untracked()) == [".gitignore", "new größe\n.js"]
    assert sorted(found.ignored()) == ["app.log", "build/deep/out.js"]
    assert found.head() == repo.git("rev-parse", "HEAD")


def test_the_index_gives_what_was_staged_since_a_commit(repo: Repo) -> None:
    head = asked(repo).head()
    repo.write("app.js", "staged\n")
    repo.write("b.js", "new\n")
    repo.git("add", "-A")
    repo.write("app.js", "not staged\n")
    found = asked(repo)
    expected = {("index", "app.js"): b"staged\n", ("index", "b.js"): b"new\n"}
    assert contents(found, found.index(head)) == expected
    assert contents(found, found.index(None)) == expected
    assert contents(found, found.index("0" * 40)) == expected


def test_stashes_give_their_working_tree_index_and_new_files(repo: Repo) -> None:
    repo.write("app.js", "staged\n")
    repo.git("add", "app.js")
    repo.write("app.js", "working\n")
    repo.write("new.js", "untracked\n")
    repo.git("stash", "push", "-q", "--include-untracked")
    repo.write("app.js", "second\n")
    repo.git("stash", "push", "-q")
    found = asked(repo)
    stashes = found.stashes()
    texts = {oid: b"".join(blocks or ()) for oid, blocks in found.contents([blob.oid for blob in stashes])}
    held = {(blob.where, blob.file, texts[blob.oid]) for blob in stashes}
    assert ("stash@{0}", "app.js", b"second\n") in held
    assert {text for where, file, text in held if (where, file) == ("stash@{1}", "app.js")} >= {
        b"staged\n",
        b"working\n",
    }
    assert ("stash@{1}", "new.js", b"untracked\n") in held


def test_commits_since_the_start_are_found_on_every_branch_and_worktree(repo: Repo, tmp_path: Path) -> None:
    head = asked(repo).head()
    repo.git("checkout", "-q", "-b", "side")
    repo.write("side.js", "side\n")
    repo.commit("side")
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "tree"), "main")
    tree = Repo(tmp_path / "tree")
    tree.write("tree.js", "tree\n")
    tree.commit("in a worktree, on no branch")
    repo.git("checkout", "-q", "main")
    repo.write("app.js", "later\n")
    later = repo.commit("later")
    repo.git("merge", "-q", "--no-edit", "side")
    found = asked(repo)
    blobs = found.commits(head, 0)
    assert {(blob.file, text) for blob in blobs for text in [contents(found, [blob])["commit", blob.file]]} == {
        ("side.js", b"side\n"),
        ("tree.js", b"tree\n"),
        ("app.js", b"later\n"),
    }
    assert f"commit {later[:10]}" in {blob.where for blob in blobs}


def test_a_commit_of_old_date_counts_when_head_gained_it(repo: Repo) -> None:
    head = asked(repo).head()
    repo.write("app.js", "old\n")
    repo.git("commit", "-qam", "old", GIT_COMMITTER_DATE="2001-01-01T00:00:00Z")
    assert [blob.file for blob in asked(repo).commits(head, 2_000_000_000_000)] == ["app.js"]
    assert asked(repo).commits(None, 2_000_000_000_000) == []


def test_a_repository_without_a_commit_is_answered_as_well(workspace: Path) -> None:
    repo = Repo(workspace)
    repo.git("init", "-q")
    repo.write("a.js", "x")
    repo.git("add", "a.js")
    found = asked(repo)
    assert found.head() is None
    assert [blob.file for blob in found.index(None)] == ["a.js"]
    assert found.stashes() == found.commits(None, 0) == []
    assert list(found.contents([])) == []


def test_an_object_that_is_missing_is_told_and_the_others_are_read(repo: Repo) -> None:
    oid = repo.git("rev-parse", "HEAD:app.js")
    answers = [(name, blocks and b"".join(blocks)) for name, blocks in asked(repo).contents(["0" * 40, oid])]
    assert answers == [("0" * 40, None), (oid, b"start();\n")]


def test_content_that_nobody_reads_is_passed_over(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "BLOCK", 3)
    oid = repo.git("rev-parse", "HEAD:app.js")
    first = [next(blocks) for _, blocks in asked(repo).contents([oid, oid]) if blocks]
    assert first == [b"sta", b"sta"]


def test_nothing_of_the_repository_runs_and_nothing_in_it_changes(repo: Repo, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\necho $0 $* >> {ran}\ncat\n")
    script.chmod(0o755)
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "pre-commit"):
        shutil.copy(script, repo.top / ".git/hooks" / hook)
    repo.write(".gitattributes", "*.js diff=x filter=x\n")
    repo.write("app.js", "1\n")
    repo.git("commit", "-qam", "second", "--no-verify")
    repo.write("app.js", "2\n")
    repo.git("stash", "push", "-q")
    head = asked(repo).head()
    for key in ("core.fsmonitor", "core.pager", "pager.diff", "diff.external", "gpg.program", "core.sshCommand"):
        repo.git("config", key, str(script))
    for key in ("diff.x.textconv", "diff.x.command", "filter.x.clean", "filter.x.smudge", "filter.x.process"):
        repo.git("config", key, str(script))
    repo.git("config", "log.showSignature", "true")
    repo.write("app.js", "3\n")
    ran.unlink(missing_ok=True)
    before = state_of(repo.top)
    found = asked(repo)
    blobs = [*found.index(head), *found.index(None), *found.stashes(), *found.commits(head, 0), *found.commits(None, 0)]
    assert contents(found, blobs)
    assert found.listing().files
    assert found.ignored() == []
    assert found.untracked() == [".gitattributes"]
    assert state_of(repo.top) == before
    assert not ran.exists()


def test_the_environment_cannot_lead_to_another_repository(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = new_repo(tmp_path / "other")
    other.write("theirs.js", "x")
    monkeypatch.setenv("GIT_DIR", str(other.top / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.top))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.top / ".git/index"))
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    assert asked(repo).listing().files == ["app.js"]
    assert not (tmp_path / "trace").exists()


def test_where_there_is_no_repository_or_no_git_there_is_none(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert repository(workspace) is None
    new_repo(tmp_path)  # the folder above is one, but it is not this workspace
    (workspace / ".git").mkdir()
    assert repository(workspace) is None
    shutil.rmtree(workspace / ".git")
    new_repo(workspace)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert repository(workspace) is None


def test_a_repository_that_git_refuses_is_an_error_with_its_reason(repo: Repo) -> None:
    repo.git("config", "core.repositoryFormatVersion", "99")
    with pytest.raises(GitFailed, match=r"Expected git repo version"):
        repository(repo.top)


def test_a_damaged_repository_is_an_error_with_its_reason(repo: Repo) -> None:
    found = asked(repo)
    (repo.top / ".git/index").write_bytes(b"damaged")
    with pytest.raises(GitFailed, match=r"could not be asked about .*index"):
        found.listing()


def test_a_git_that_does_not_start_is_an_error(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = asked(repo)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitFailed, match="did not start"):
        found.listing()


def test_a_git_that_ends_too_early_is_an_error(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = asked(repo)
    (tmp_path / "git").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(GitFailed, match="too early"):
        list(found.contents(["0" * 40]))
    with pytest.raises(GitFailed, match="it ended with 1"):
        found.listing()
