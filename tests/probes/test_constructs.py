"""Constructs in which a line is easily mistaken for a place of a statement: it fits, or another line is offered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from debugloop.probes.languages import LANGUAGES
from debugloop.session.session import Session
from tests.probes.test_insert import at, stripped
from tests.support import cli

RUST = "#![allow(x)]\nconst A: u8 = {\n    1\n};\nmacro_rules! m {\n    () => {\n        f();\n    };\n}\nfn f() {\n    m!();\n}\n"
RUST_TAIL = "fn f(a: bool) -> u8 {\n    if a {\n        1\n    } else {\n        2\n    }\n}\n"
RUST_MATCH = "async fn f(a: u8) {\n    match a {\n        1 => g(),\n        _ => {\n            h().await;\n        }\n    }\n}\n"
CSHARP = (
    "using System;\nRun();\nclass A {\n    int B { get {\n            return 1; } }\n    int F() => \n        2;\n}\n"
)
CSHARP_SWITCH = (
    "class A { async Task F(int a) {\n"
    "    switch (a) {\n    case 1:\n        await B();\n        break;\n    }\n"
    '    var s = $@"\n    {a}";\n    var t = a switch {\n        _ => 1 };\n} }\n'
)
KOTLIN = (
    "class A(val b: Int) {\n    init {\n        c()\n    }\n    val d: Int\n        get() = 1\n"
    '    suspend fun f() {\n        val t = """\n            x"""\n        when (b) {\n            1 -> c()\n'
    "            else -> {\n                c()\n            }\n        }\n    }\n}\n"
)
KOTLIN_LAMBDA = "fun f() {\n    val a = b.map {\n        it + 1\n    }\n    c()\n}\n"
PERL = (
    "use strict;\nmy %a = (\n  b => 1,\n);\nprint <<END;\nline\nEND\nmy $q = qq{\n  text\n};\nf()\n  if $a{b};\n"
    "foreach my $x (1, 2) {\n  next unless $x;\n  f($x);\n}\n\n=pod\n\ntext\n\n=cut\n\nf();\n__END__\nafter\n"
)
PERL_SUB = "sub f {\n  my ($x) = @_;\n  $x + 1;\n}\nprint f(1);\n1;\n"
RUBY_SUB = "def f(x)\n  y = x\n  y + 1\nend\nputs f(1)\n"
CPP = (
    "template <class T>\nstruct A {\n  int b = 1;\n  A() : b(2) {\n    f();\n  }\n  constexpr int c() {\n    return 1;\n  }\n"
    "};\nauto l = [](int a) {\n  return a;\n};\nint g(int a) {\n  switch (a) {\n  case 1:\n    f();\n  }\n  if (a)\n    f();\n"
    '  auto s = R"(\n  )";\n  return 1;\n}\n#define M(x) \\\n  f(x)\n'
)
SH = "f() {\n  a && \\\n    b\n  case $1 in\n    x) c ;;\n    *)\n      d\n      ;;\n  esac\n  cat <<END\n$1\nEND\n}\nf | while read -r l; do\n  g\ndone\n"
PHP = "<?php\nfunction f() {\n    $a = <<<END\n    x\n    END;\n    $f = fn ($b) =>\n        $b;\n    match ($a) {\n        1 => 2,\n    };\n    yield $a;\n}\n"
GO = "package a\n\nfunc f(c chan int) {\n\tselect {\n\tcase <-c:\n\t\tg()\n\t}\n\tswitch x := y.(type) {\n\tcase int:\n\t\tg(x)\n\t}\n\tdefer func() {\n\t\tg()\n\t}()\n}\n"
JAVA = "class A {\n    int f(int a) {\n        switch (a) {\n            case 1:\n                b();\n                break;\n        }\n        Runnable r = () ->\n            b();\n        return switch (a) {\n            default -> 1;\n        };\n    }\n}\n"
JS = "class A {\n  static #b = 1;\n  get __c() {\n    return a?.\n      b;\n  }\n}\nlabel: for (const x of y) {\n  if (x) continue label;\n}\ndo\n  f();\nwhile (a);\n"
TS = "declare namespace N {\n  const a: number;\n}\nabstract class A {\n  abstract b(): void;\n  @dec\n  c(): void {\n    d<T>(x!);\n  }\n}\n"
PY = "class A:\n    @dec\n    def __f(self):\n        return [\n            x\n            for x in y]\n    b = lambda: (\n        1)\nwith a as b: c()\nasync def g():\n    x = f'''\n{y}\n'''\n    yield x\n"


@pytest.mark.parametrize(
    ("file", "source", "fits", "offered"),
    [
        ("a.rs", RUST, [11], {1: 11, 3: 11, 7: 11}),
        ("a.rs", RUST_TAIL, [2, 3, 5], {4: 3, 7: 5}),
        ("a.rs", RUST_MATCH, [2, 5], {3: 2, 7: 6}),
        ("a.rs", "const fn f() -> u8 {\n    1\n}\nfn g() {\n    h();\n}\n", [5], {2: 5}),
        ("a.cs", CSHARP, [2, 5], {1: 2, 4: 3, 7: 5}),
        ("a.cs", CSHARP_SWITCH, [4, 7, 9], {3: 2, 6: 5, 8: 7, 10: 9}),
        ("a.kt", KOTLIN, [3, 8, 13], {2: 3, 6: 4, 9: 8, 11: 10}),
        ("a.kt", KOTLIN_LAMBDA, [3, 5], {4: 3}),
        ("a.pl", PERL, [2, 5, 8, 11, 14, 15], {3: 2, 6: 5, 9: 8, 12: 11, 16: 15, 19: 18, 25: 24, 26: 24}),
        ("a.pm", PERL_SUB, [2, 3, 5], {4: 3}),
        ("a.rb", RUBY_SUB, [2, 3, 5], {4: 3}),
        ("a.cpp", CPP, [5, 12, 15, 17, 19], {3: 5, 8: 6, 20: 19, 22: 21, 26: 23}),
        ("a.sh", SH, [2, 4, 7, 10, 15], {3: 2, 5: 4, 11: 10}),
        ("a.php", PHP, [3, 6, 8, 11], {4: 3, 7: 6, 9: 8}),
        ("a.go", GO, [4, 6, 8, 10, 13], {5: 4, 9: 8}),
        ("A.java", JAVA, [3, 5, 8, 10], {4: 3, 9: 8, 11: 10}),
        ("a.js", JS, [4, 9, 11], {2: 1, 5: 4, 12: 11}),
        ("a.ts", TS, [8], {2: 1, 5: 4, 7: 8}),
        ("a.py", PY, [4, 9, 11, 14], {3: 2, 5: 4, 8: 7, 12: 11}),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 9 else "",
)
def test_a_line_of_a_construct_takes_a_statement_or_another_line_is_offered(
    file: str, source: str, fits: list[int], offered: dict[int, int], session: Session, workspace: Path
) -> None:
    path = workspace / file
    path.write_text(source)

    found = {line: at(session, file, line) for line in offered}
    assert {line: told.partition(":")[0] for line, told in found.items()} == {
        line: f"no, {nearest}" for line, nearest in offered.items()
    }
    assert path.read_text() == source
    for line in fits:
        assert at(session, file, line).startswith(f"{file}:")
        stripped(session)
        assert path.read_text() == source


@pytest.mark.parametrize("language", [language.name for language in LANGUAGES])
def test_every_language_prints_its_probe_to_insert_by_hand(language: str, home: Path, workspace: Path) -> None:
    session = json.loads(cli("start", "--json", home=home, cwd=workspace).stdout)

    told = json.loads(cli("snippet", language, "--data", "total", "--json", home=home, cwd=workspace).stdout)

    assert f"#region debugloop {session['session']}/1" in told["text"]
    assert "total" in told["text"]
    assert session["log"] in told["text"] or session["endpoint"] in told["text"]
