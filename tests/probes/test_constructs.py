"""Constructs in which a line is easily mistaken for a place of a statement: it fits, or another line is offered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from debugloop.probes.languages import LANGUAGES
from debugloop.session.session import Session
from tests.probes.test_insert import at, stripped
from tests.support import cli

RUST = """\
#![allow(x)]
const A: u8 = {
    1
};
macro_rules! m {
    () => {
        f();
    };
}
fn f() {
    m!();
}
"""
RUST_TAIL = """\
fn f(a: bool) -> u8 {
    if a {
        1
    } else {
        2
    }
}
"""
RUST_MATCH = """\
async fn f(a: u8) {
    match a {
        1 => g(),
        _ => {
            h().await;
        }
    }
}
"""
CSHARP = """\
using System;
Run();
class A {
    int B { get {
            return 1; } }
    int F() =>
        2;
}
"""
CSHARP_SWITCH = """\
class A { async Task F(int a) {
    switch (a) {
    case 1:
        await B();
        break;
    }
    var s = $@"
    {a}";
    var t = a switch {
        _ => 1 };
} }
"""
KOTLIN = """\
class A(val b: Int) {
    init {
        c()
    }
    val d: Int
        get() = 1
    suspend fun f() {
        val t = \"""
            x\"""
        when (b) {
            1 -> c()
            else -> {
                c()
            }
        }
    }
}
"""
KOTLIN_LAMBDA = """\
fun f() {
    val a = b.map {
        it + 1
    }
    c()
}
"""
PERL = """\
use strict;
my %a = (
  b => 1,
);
print <<END;
line
END
my $q = qq{
  text
};
f()
  if $a{b};
foreach my $x (1, 2) {
  next unless $x;
  f($x);
}

=pod

text

=cut

f();
__END__
after
"""
PERL_SUB = """\
sub f {
  my ($x) = @_;
  $x + 1;
}
print f(1);
1;
"""
RUBY_SUB = """\
def f(x)
  y = x
  y + 1
end
puts f(1)
"""
CPP = """\
template <class T>
struct A {
  int b = 1;
  A() : b(2) {
    f();
  }
  constexpr int c() {
    return 1;
  }
};
auto l = [](int a) {
  return a;
};
int g(int a) {
  switch (a) {
  case 1:
    f();
  }
  if (a)
    f();
  auto s = R"(
  )";
  return 1;
}
#define M(x) \\
  f(x)
"""
SH = """\
f() {
  a && \\
    b
  case $1 in
    x) c ;;
    *)
      d
      ;;
  esac
  cat <<END
$1
END
}
f | while read -r l; do
  g
done
"""
PHP = """\
<?php
function f() {
    $a = <<<END
    x
    END;
    $f = fn ($b) =>
        $b;
    match ($a) {
        1 => 2,
    };
    yield $a;
}
"""
GO = """\
package a

func f(c chan int) {
\tselect {
\tcase <-c:
\t\tg()
\t}
\tswitch x := y.(type) {
\tcase int:
\t\tg(x)
\t}
\tdefer func() {
\t\tg()
\t}()
}
"""
JAVA = """\
class A {
    int f(int a) {
        switch (a) {
            case 1:
                b();
                break;
        }
        Runnable r = () ->
            b();
        return switch (a) {
            default -> 1;
        };
    }
}
"""
JS = """\
class A {
  static #b = 1;
  get __c() {
    return a?.
      b;
  }
}
label: for (const x of y) {
  if (x) continue label;
}
do
  f();
while (a);
"""
TS = """\
declare namespace N {
  const a: number;
}
abstract class A {
  abstract b(): void;
  @dec
  c(): void {
    d<T>(x!);
  }
}
"""
PY = """\
class A:
    @dec
    def __f(self):
        return [
            x
            for x in y]
    b = lambda: (
        1)
with a as b: c()
async def g():
    x = f'''
{y}
'''
    yield x
"""


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


def test_where_a_parser_is_missing_the_snippet_is_named(home: Path, workspace: Path) -> None:
    (workspace / "tree_sitter_perl.py").write_text('raise ImportError("not built for this machine")\n')
    (workspace / "a.pl").write_text("f();\n")
    cli("start", home=home, cwd=workspace)

    told = cli("instrument", "a.pl:1", home=home, cwd=workspace, environment={"PYTHONPATH": str(workspace)})

    assert told.returncode == 1
    assert "no parser of perl is installed here; insert what `debugloop snippet perl` prints" in told.stderr
    assert (workspace / "a.pl").read_text() == "f();\n"


def test_a_value_may_be_nested_however_deep(session: Session) -> None:
    Path(session.state().workspace, "a.js").write_text("f();\n")

    assert at(session, "a.js", 1, "(" * 5_000 + "x" + ")" * 5_000) == "a.js:1"


@pytest.mark.parametrize(
    ("file", "source", "line", "around", "plain"),
    [
        ("a.js", "async function f(x) {\n  const y = 1;\n}\n", 2, "await x", "x"),
        ("a.js", "function* f(x) {\n  const y = 1;\n}\n", 2, "(yield x)", "x"),
        ("a.tsx", "async function f(x: X) {\n  const y = 1;\n}\n", 2, "[1, await x]", "x"),
        ("a.py", "async def f(x):\n    return 1\n", 2, "await x", "x"),
        ("a.py", "def f(x):\n    return 1\n", 2, "(yield x)", "x"),
        ("a.py", "def f(x):\n    return 1\n", 2, "(yield from x)", "x"),
        ("a.lua", "local function f(...)\n  local a = 1\nend\n", 2, 'select("#", ...)', "f"),
        ("a.php", "<?php\nfunction f($x) {\n  $a = 1;\n}\n", 3, "yield $x", "$x"),
        ("a.rs", "fn f(x: Option<u8>) -> Option<u8> {\n    g();\n    x\n}\n", 2, "x?", "x"),
        ("a.rs", "async fn f(x: F) {\n    g();\n}\n", 2, "x.await", "x"),
        ("a.cs", "class A { async Task F(Task<int> x) {\n    G();\n} }\n", 2, "await x", "x"),
        ("a.cpp", "task f(task x) {\n  g();\n}\n", 2, "co_await x", "x"),
    ],
)
def test_a_value_that_acts_on_the_function_around_it_is_refused(
    session: Session, file: str, source: str, line: int, around: str, plain: str
) -> None:
    path = Path(session.state().workspace, file)
    path.write_text(source)

    refused = at(session, file, line, around)

    assert refused.startswith("no, ")
    assert "acts on the function around it, as await and yield do" in refused
    assert path.read_text() == source
    assert at(session, file, line, plain).startswith(f"{file}:")
