from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from debugloop.errors import DebugloopError, NoPlace
from debugloop.probes import inserted
from debugloop.probes.insert import Wanted, instrument
from debugloop.probes.scan import place_of
from debugloop.probes.strip import Choice, strip
from debugloop.session.session import Session
from tests.support import cli, require


def at(session: Session, file: str, line: int, *data: str) -> str:
    """Insert a probe; gives ``file:line`` of where it was put, or of the line that is offered instead."""
    top = Path(session.state().workspace)
    try:
        probe = instrument(session, place_of(session.settings, top), top / file, line, Wanted("m", data=data))
    except NoPlace as refused:
        return f"no, {refused.nearest}: {refused.reason}"
    return f"{probe.file}:{probe.line}"


def stripped(session: Session) -> None:
    place = place_of(session.settings, Path(session.state().workspace))
    strip(place, session.id, choice=Choice.of(inserted.load(session.layout)))


@pytest.mark.parametrize(
    ("file", "source", "line", "nearest"),
    [
        ("a.js", "'use strict';\nrun();\n", 1, 2),
        ("a.js", "const text = `\none\n`;\nrun();\n", 2, 1),
        ("a.js", "if (a)\n  b();\n", 2, 1),
        ("a.js", "const f = (a) =>\n  a + 1;\n", 2, 1),
        ("a.js", "class A {\n  __m() {\n    return 1;\n  }\n}\n", 2, 1),
        ("a.js", "function f() {\n  return 1;\n}\n", 3, 2),
        ("a.js", "const a = {\n  b: 1,\n};\n", 2, 1),
        ("a.js", "a\n(b)\n", 2, 1),
        ("a.jsx", "const a = <div>\n  <b/>\n</div>;\n", 2, 1),
        ("a.tsx", "const a: X = <div>\n  <b/>\n</div>;\n", 2, 1),
        ("a.ts", "interface A {\n  b: string;\n}\n", 2, 1),
        ("a.ts", "enum A {\n  B,\n}\n", 2, 1),
        ("a.py", '"""Doc."""\nfrom __future__ import annotations\n\nx = 1\n', 1, 4),
        ("a.py", "x = [\n    1,\n]\n", 2, 1),
        ("a.py", "x = '''\ny\n'''\n", 2, 1),
        ("a.py", "if x:\n    y()\nelse:\n    z()\n", 3, 2),
        ("a.py", "@decorated\ndef f():\n    pass\n", 2, 1),
        ("a.py", "def f():\n    return 1\n\nf()\n", 3, 2),
        ("a.py", "#!/usr/bin/env python\nx = 1\n", 1, 2),
        ("a.bash", "#!/bin/bash\ncat <<END\nline\nEND\n", 3, 2),
        ("a.bash", "#!/bin/bash\necho a \\\n  b\n", 3, 2),
        ("a.bash", "#!/bin/bash\ncase a in\n  a) b ;;\nesac\n", 3, 2),
        ("a.rb", "x = <<~END\n  line\nEND\n", 2, 1),
        ("a.php", "<?php\ndeclare(strict_types=1);\nf();\n", 2, 3),
        ("a.php", "<p>\n<?php\nf();\n", 1, 3),
        ("a.lua", "local t = {\n  1,\n}\n", 2, 1),
        ("a.go", "package a\n\nvar x = 1\n\nfunc f() {\n\tg()\n}\n", 3, 6),
        ("a.go", "package a\n\nfunc f() {\n\tx := `\n`\n\tg(x)\n}\n", 5, 4),
        ("a.c", "int f(int a) {\n  switch (a) {\n  case 1: return 2;\n  }\n}\n", 3, 2),
        ("a.c", "#define F(x) \\\n  g(x)\nint f(void) {\n  return 1;\n}\n", 2, 4),
        ("A.java", "class A {\n    int a = 1;\n\n    int f() {\n        return a;\n    }\n}\n", 2, 5),
    ],
)
def test_where_no_statement_can_stand_the_nearest_line_is_offered(
    file: str, source: str, line: int, nearest: int, session: Session, workspace: Path
) -> None:
    (workspace / file).write_text(source)

    told = at(session, file, line, "a" if not file.endswith(".php") else "$a")

    assert told.startswith(f"no, {nearest}: ")
    assert (workspace / file).read_text() == source
    assert at(session, file, nearest).startswith(f"{file}:")
    stripped(session)
    assert (workspace / file).read_text() == source


@pytest.mark.parametrize(
    ("file", "source", "line"),
    [
        ("a.js", "class A {\n  __m() {\n    return 1;\n  }\n}\n", 3),
        ("a.js", "async function* f() {\n  yield await 1;\n}\n", 2),
        ("a.js", "switch (a) {\n  case 1:\n    b();\n}\n", 3),
        ("a.js", "const f = () => {\n};\n", 2),
        ("a.tsx", "const A = () => {\n  return <b/>;\n};\n", 2),
        ("a.ts", "function f(a?: string): asserts a {\n  if (!a) throw 1;\n}\n", 2),
        ("a.py", "class A:\n    def __m(self):\n        return self\n", 3),
        ("a.py", "async def f():\n    async for x in y:\n        yield x\n", 3),
        ("a.py", "match x:\n    case 1:\n        pass\n", 3),
        ("a.py", "if x: y()\nz()\n", 2),
        ("a.py", "x = [a for a in b]", 1),
        ("a.rb", "items.each do |item|\n  use(item)\nend\n", 2),
        ("a.lua", "while x do\nend\n", 2),
        ("a.c", "void f(void) {\n}\n", 2),
        ("a.bash", "for i in 1; do\n  f\ndone\n", 2),
    ],
)
def test_where_a_statement_can_stand_it_is_put(
    file: str, source: str, line: int, session: Session, workspace: Path
) -> None:
    (workspace / file).write_text(source)

    assert at(session, file, line).startswith(f"{file}:")

    stripped(session)
    assert (workspace / file).read_text() == source


def test_data_that_is_no_expression_is_refused(session: Session, workspace: Path) -> None:
    (workspace / "a.js").write_text("run();\n")
    (workspace / "a.py").write_text("run()\n")

    assert at(session, "a.js", 1, "if (x) y").startswith("no, 0: ")
    assert at(session, "a.py", 1, "x = 1").startswith("no, 0: ")


def test_a_file_of_other_bytes_is_left_alone(session: Session, workspace: Path) -> None:
    for data in ("run();\n".encode("utf-16"), b"\0run();\n"):
        (workspace / "a.js").write_bytes(data)
        assert at(session, "a.js", 1).startswith("no, 0: the file is no text")
        assert (workspace / "a.js").read_bytes() == data


def test_no_probe_stands_within_another(session: Session, workspace: Path) -> None:
    (workspace / "a.js").write_text("run();\n")
    at(session, "a.js", 1)

    assert at(session, "a.js", 3).startswith("no, 6: it is within another probe")
    assert at(session, "a.js", 1) == "a.js:1"


LINE_ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])
LINES = st.sampled_from(
    [
        *(b"run();", b"\tif (a) {", b"  }", b"}", b"", b"   ", b"let x = `", b"`;", b"// caf\xe9", b"a", b"(b)"),
        *(b"# region", b"x" * 5000, b"/* #region debugloop", b"*/", b"// #region agent log", b"// #endregion"),
        "'größe';".encode(),
    ]
)


@examples(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_is_inserted_and_edited_around_strip_gives_back_the_rest(
    data: st.DataObject, session: Session, workspace: Path
) -> None:
    pairs = data.draw(st.lists(st.tuples(LINES, LINE_ENDS), max_size=12))
    bom = data.draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    source = bom + b"".join(line + end for line, end in pairs) + data.draw(st.sampled_from([b"", b"last()"]))
    path = workspace / "a.js"
    path.write_bytes(source)
    before = after = b""
    for _ in range(data.draw(st.integers(1, 4))):
        lines = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1
        try:
            at(session, "a.js", data.draw(st.integers(1, lines)), "x")
        except DebugloopError:  # a line behind the last
            continue
        more = data.draw(st.sampled_from([b"", b"edited();\n"]))
        if more and not bom:
            path.write_bytes(more + path.read_bytes())
            before = more + before

    stripped(session)

    assert path.read_bytes() == before + source + after


def test_a_probe_is_written_down_and_its_events_are_counted(home: Path, workspace: Path) -> None:
    started: dict[str, Any] = json.loads(cli("start", "--json", home=home, cwd=workspace).stdout)
    (workspace / "a.js").write_text("run();\n\nfunction run() {}\n")
    for place in ("a.js:1", "a.js:9"):
        ran = cli("instrument", place, "--message", "here", "--hypothesis", "H1", home=home, cwd=workspace)
        assert ran.returncode == 0, ran.stderr
    ids = [f"{started['session']}/{number}" for number in (1, 2)]
    subprocess.run([require("node"), "a.js"], cwd=workspace, check=True)
    subprocess.run([require("node"), "a.js"], cwd=workspace, check=True)

    listed = json.loads(cli("probes", "--json", home=home, cwd=workspace).stdout)

    assert [(each["probe"], each["file"], each["line"], each["events"]) for each in listed] == [
        (ids[0], "a.js", 1, 2),
        (ids[1], "a.js", 9, 2),
    ]
    cli("steps", "Open", home=home, cwd=workspace)
    told = cli("probes", home=home, cwd=workspace).stdout
    assert told.splitlines()[0] == f"{ids[0]}  a.js:1  H1  0 in this run, 2 before  here"
    cli("strip", home=home, cwd=workspace)
    assert "a.js: no longer there" in cli("probes", home=home, cwd=workspace).stdout


def test_a_dry_run_tells_and_changes_nothing(home: Path, workspace: Path) -> None:
    cli("start", home=home, cwd=workspace)
    (workspace / "a.js").write_text("run();\n")
    told = json.loads(cli("instrument", "a.js:1", "--dry-run", "--json", home=home, cwd=workspace).stdout)
    assert (told["file"], told["line"], told["language"], told["dry_run"]) == ("a.js", 1, "javascript", True)
    assert (workspace / "a.js").read_text() == "run();\n"
    assert json.loads(cli("probes", "--json", home=home, cwd=workspace).stdout) == []


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["instrument", "a.js"], 2, "invalid_place"),
        (["instrument", "a.js:0"], 2, "invalid_place"),
        (["instrument", "a.js:99"], 2, "invalid_place"),
        (["instrument", "a.xyz:1"], 2, "unknown_language"),
        (["instrument", "a.js:1", "--language", "cobol"], 2, "unknown_language"),
        (["instrument", "gone.js:1"], 1, "file_unreadable"),
        (["instrument", "folder:1"], 1, "file_unreadable"),
        (["instrument", "../a.js:1"], 1, "outside_workspace"),
        (["instrument", "broken.js:1"], 1, "broken_markers"),
        (["instrument", "a.js:1", "--data", "a) }); evil(); ({b: () => (c"], 2, "invalid_data"),
        (["instrument", "a.js:1", "--data", "a['b"], 2, "invalid_data"),
        (["snippet", "cobol"], 2, "unknown_language"),
    ],
    ids=str,
)
def test_what_cannot_be_instrumented_is_told(
    arguments: Sequence[str], code: int, error: str, home: Path, workspace: Path
) -> None:
    started = json.loads(cli("start", "--json", home=home, cwd=workspace).stdout)
    (workspace / "folder").mkdir()
    (workspace.parent / "a.js").write_text("run();\n")
    for name in ("a.js", "a.xyz"):
        (workspace / name).write_text("run();\n")
    (workspace / "broken.js").write_text(f"// #region debugloop {started['session']}/1\n")

    ran = cli(*arguments, "--json", home=home, cwd=workspace)

    assert (ran.returncode, json.loads(ran.stderr)["error"]) == (code, error)


def test_a_snippet_inserted_by_hand_is_heard_and_stripped(home: Path, workspace: Path) -> None:
    started = json.loads(cli("start", "--json", home=home, cwd=workspace).stdout)
    words = ("--message", "by hand", "--data", "total", "--location", "a.py:2")
    told = json.loads(cli("snippet", "PYTHON", *words, "--json", home=home, cwd=workspace).stdout)
    assert told["imports"] == ""
    (workspace / "a.py").write_text(f"total = 5\n{told['text']}")

    subprocess.run(["python3", "a.py"], cwd=workspace, check=True)

    [event] = map(json.loads, Path(started["log"]).read_text().splitlines())
    assert (event["probe"], event["location"], event["data"]) == (told["probe"], "a.py:2", {"total": 5})
    assert "printed" in cli("probes", home=home, cwd=workspace).stdout
    cli("strip", "--edited", home=home, cwd=workspace)
    assert (workspace / "a.py").read_text() == "total = 5\n"


def test_the_snippet_of_a_language_with_imports_has_two_regions(home: Path, workspace: Path) -> None:
    cli("start", home=home, cwd=workspace)
    told = cli("snippet", "go", home=home, cwd=workspace)
    assert told.stdout.count("#region debugloop") == 2
    assert "stands once in a file" in told.stderr
