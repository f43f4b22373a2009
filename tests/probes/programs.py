"""A small program in each language, with the place of a probe in it, what it logs, and how it is run."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support import GENEROUS, require


@dataclass(frozen=True)
class Program:
    """``command`` holds the words that run ``file``, ``{}`` standing for what ``build`` made, else for the file.

    A probe before ``line`` with ``data`` logs ``logged``. It prints something and ends with exit code 3.
    """

    language: str
    file: str
    source: str
    line: int
    data: str
    logged: dict[str, Any]
    command: tuple[str, ...]
    build: tuple[str, ...] = ()

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(words[0] for words in (self.build, self.command) if words and words[0] not in {"{}", "python"})

    def run(self, folder: Path) -> tuple[int, str, str]:
        """Build and run it; gives the exit code, stdout and stderr."""
        out = folder.parent / "built"
        for tool in self.tools:
            require(tool)
        if self.build:
            words = [str(out) if word == "{}" else word for word in self.build]
            built = subprocess.run(
                [*words, self.file], cwd=folder, capture_output=True, text=True, timeout=GENEROUS, check=False
            )
            assert built.returncode == 0, built.stderr
        words = [str(out if self.build else folder / self.file) if word == "{}" else word for word in self.command]
        if words[0] == "python":
            words[0] = sys.executable
        ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=GENEROUS, check=False)
        return ran.returncode, ran.stdout, ran.stderr


JAVASCRIPT = """\
"use strict";
const values = {
  big: 1n, map: new Map([["a", 1]]), set: new Set([2]), date: new Date(0), error: new TypeError("no"),
  none: undefined, nan: NaN, call() {}, list: [1, "two", null], get thrown() { throw new Error("touched"); },
};
values.self = values;
const hostile = new Proxy({}, { ownKeys() { throw new Error("hostile"); } });
let total = 105;
console.log(typeof total, Object.keys(globalThis).length > 0);
process.exitCode = 3;
"""
PYTHON = """\
import enum
import math
import sys


class Colour(enum.Enum):
    RED = 1


class Bad:
    def __repr__(self):
        raise ValueError("no")


def f(total):
    me = [total]
    me.append(me)
    values = {"nan": math.nan, "big": 10**400, "set": {2}, "bytes": b"x", "error": KeyError("k"), "bad": Bad()}
    return sorted(locals())


print(f(105), list(Colour))
sys.exit(3)
"""
BASH = """\
#!/usr/bin/env bash
set -euo pipefail
trap 'echo trapped' ERR
text=$'quo"te\\\\ tab\\t line\\nend'
f() {
  local total=105
  if false; then
    :
  else
    echo "status $? total $total"
  fi
}
f
exit 3
"""
RUBY = """\
class Cart
  def total(items)
    sum = items.sum
    "a5" =~ /(\\d)/
    bad = Object.new
    def bad.inspect = raise("no")
    [sum, $1, local_variables.length].inspect
  end
end
puts Cart.new.total([100, 5])
exit 3
"""
PHP = """\
<?php
declare(strict_types=1);
namespace Shop;
set_error_handler(function ($level, $text) { echo "warned: $text\\n"; return true; });
function total(array $items): string
{
    $sum = array_sum($items);
    $me = new \\stdClass();
    $me->me = $me;
    $nan = NAN;
    return $sum . ' ' . count(get_defined_vars());
}
echo total([100, 5]), "\\n";
exit(3);
"""
LUA = """\
local function total(items)
  local sum = 0
  for _, item in ipairs(items) do sum = sum + item end
  local me = { 1 }
  me.me = me
  local nan = 0 / 0
  return sum
end
print(total({ 100, 5 }))
os.exit(3)
"""
GO = """\
package main

import (
\t"fmt"
\t"os"
)

type node struct{ Next *node }

func total(items ...int) int {
\tsum := 0
\tfor _, item := range items {
\t\tsum += item
\t}
\tme := &node{}
\tme.Next = me
\tvar nothing *node
\t_, _ = me, nothing
\treturn sum
}

func main() {
\tfmt.Println(total(100, 5))
\tos.Exit(3)
}
"""
C = """\
#include <errno.h>
#include <stdio.h>

static int total(const int *items, int count) {
  int sum = 0;
  const char *text = "quo\\"te";
  double half = 0.5;
  for (int i = 0; i < count; i++)
    sum += items[i];
  errno = 7;
  printf("%s %.1f %d\\n", text, half, errno);
  return sum;
}

int main(void) {
  int items[] = {100, 5};
  printf("%d\\n", total(items, 2));
  return 3;
}
"""
JAVA = """\
public class Cart {
    static class Bad {
        @Override
        public String toString() {
            throw new IllegalStateException("no");
        }
    }

    static int total(int... items) {
        int sum = 0;
        for (int item : items) {
            sum += item;
        }
        Object[] me = {1, null};
        me[1] = me;
        return sum;
    }

    public static void main(String[] arguments) {
        System.out.println(total(100, 5));
        System.exit(3);
    }
}
"""
_NOT_READ = "[unreadable]"
_JS_DATA = {
    "values": {
        "big": "1n",
        "map": {"type": "Map", "size": 1, "entries": [["a", 1]]},
        "set": {"type": "Set", "size": 1, "entries": [2]},
        "date": "1970-01-01T00:00:00.000Z",
        "none": "undefined",
        "nan": "NaN",
        "call": "function call",
        "list": [1, "two", None],
        "thrown": "[getter]",
        "self": "[circular]",
    },
    "hostile": _NOT_READ,
    "values.thrown": "[threw] touched",
    "total": 105,
}
PROGRAMS = (
    Program("javascript", "cart.js", JAVASCRIPT, 9, "values, hostile, values.thrown, total", _JS_DATA, ("node", "{}")),
    Program("javascript", "cart.mjs", JAVASCRIPT, 9, "values, hostile, values.thrown, total", _JS_DATA, ("node", "{}")),
    Program(
        "python",
        "cart.py",
        PYTHON,
        19,
        "total, values",
        {
            "total": 105,
            "values": {
                "nan": "nan",
                "big": hex(10**400)[:200],
                "set": [2],
                "bytes": "b'x'",
                "error": {"type": "KeyError", "message": "'k'"},
                "bad": "[unreadable Bad]",
            },
        },
        ("python", "{}"),
    ),
    Program("python", "colour.py", PYTHON, 7, "1 + 1", {"1 + 1": 2}, ("python", "{}")),
    Program(
        "bash",
        "cart.bash",
        BASH,
        10,
        "total, text, unset",
        {"total": "105", "text": 'quo"te\\ tab\t line\nend', "unset": ""},
        ("bash", "{}"),
    ),
    Program(
        "ruby",
        "cart.rb",
        RUBY,
        7,
        "sum, bad, nil, 0.0 / 0, missing",
        {"sum": 105, "bad": _NOT_READ, "nil": None, "0.0 / 0": "NaN"},
        ("ruby", "{}"),
    ),
    Program(
        "php",
        "cart.php",
        PHP,
        11,
        "$sum, $nan, $missing",
        {"$sum": 105, "$nan": "NAN", "$missing": None},
        ("php", "{}"),
    ),
    Program(
        "lua", "cart.lua", LUA, 7, "sum, nan ~= nan, nil", {"sum": 105, "nan ~= nan": True, "nil": None}, ("lua", "{}")
    ),
    Program(
        "go",
        "cart.go",
        GO,
        19,
        "sum, me, nothing.Next, items",
        {
            "sum": 105,
            "me": "[*main.node]",
            "nothing.Next": "[panicked] runtime error: invalid memory address or nil pointer dereference",
            "items": [100, 5],
        },
        ("{}",),
        ("go", "build", "-o", "{}"),
    ),
    Program(
        "c",
        "cart.c",
        C,
        11,
        "sum, text, half, errno == 7",
        {"sum": 105, "text": 'quo"te', "half": 0.5, "errno == 7": 1},
        ("{}",),
        ("gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o", "{}"),
    ),
    Program(
        "java",
        "Cart.java",
        JAVA,
        16,
        "sum, new Bad(), me, 0.0 / 0",
        {"sum": 105, "new Bad()": _NOT_READ, "me": "[1, [...]]", "0.0 / 0": "NaN"},
        ("java", "{}"),
    ),
)
