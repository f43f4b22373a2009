"""A small program in each language that is run from its source."""

from __future__ import annotations

from tests.probes.program import NOT_READ, Program

JAVASCRIPT = """\
"use strict";
const values = {
  big: 1n, map: new Map([["a", 1]]), set: new Set([2]), date: new Date(0), error: new TypeError("no"),
  none: undefined, nan: NaN, call() {}, list: [1, "two", null], get thrown() { throw new Error("touched"); },
};
values.self = values;
const touched = { get() { console.log("touched"); return "x"; } };
class Own extends Map { get size() { touched.get(); return 9; } [Symbol.iterator]() { touched.get(); } }
class List extends Array { static get [Symbol.species]() { touched.get(); return Array; } }
values.own = [new Own([[1, 2]]), List.from([3]), Object.defineProperty([4], 0, touched)];
values.tagged = Object.defineProperty({ a: 1 }, Symbol.toStringTag, touched);
values.failed = Object.assign(new RangeError("far", { cause: 5 }), { code: "E1", stack: "" });
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
        raise SystemExit(9)


class Recent(dict):
    def __getitem__(self, key):
        print("looked up")
        return self.pop(key)


def f(total):
    me = [total]
    me.append(me)
    values = {"nan": math.nan, "big": 10**400, "set": {2}, "bytes": b"x", "error": KeyError("k"), "bad": Bad()}
    recent, long = Recent(a=1), [0] * 200
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
    own = [Class.new(Hash) { def each = puts("touched") }.new.merge!(a: 1)]
    own << Class.new(Array) { def each = puts("touched") }[2]
    long = [0] * 200
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
    $own = new class implements \\JsonSerializable {
        private $hidden = 1;
        public $me;
        function jsonSerialize(): array { echo "touched\\n"; return []; }
        function __debugInfo() { echo "touched\\n"; return []; }
    };
    $own->me = $me->me;
    $long = array_fill(0, 100000, 0);
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
PERL = """\
#!/usr/bin/perl
use strict;
use warnings FATAL => "all";
package Money { use overload '""' => sub { die "touched" }; sub new { bless { cents => 5, %{$_[1]} }, $_[0] } }
$SIG{__DIE__} = sub { print "dying\\n" };
sub total {
  my (@items) = @_;
  my $sum = 0;
  $sum += $_ for @items;
  my ($money, $me, %prices) = (Money->new({}), [1], (tea => 1.5, "größe" => undef));
  push @$me, $me, sub { 1 }, \\"text";
  "a5" =~ /(\\d)/;
  ($@, $!, $?) = ("kept", 2, 7);
  for my $item (@items) {
    if ($item == 5) {
      return join ",", $sum, $1, $@, 0 + $!, $?, scalar @_, $_ // "none";
    }
  }
}
print total(100, 5), "\\n";
exit(3);
"""
SH = """\
#!/bin/sh
set -eu
text='quo"te\\\\ tab\\	line
end'
f() {
  total=105
  if false; then
    :
  else
    echo "status $? total $total"
  fi
}
f one "two three"
exit 3
"""
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
        "own": [{"type": "Map", "size": 1, "entries": [[1, 2]]}, [3], ["[getter]"]],
        "tagged": {"a": 1},
        "failed": {"name": "RangeError", "message": "far", "stack": "", "code": "E1", "cause": 5},
    },
    "hostile": NOT_READ,
    "values.thrown": "[threw] touched",
    "total": 105,
}
PROGRAMS = (
    Program("javascript", "cart.js", JAVASCRIPT, 15, "values, hostile, values.thrown, total", _JS_DATA, ("node", "{}")),
    Program(
        "javascript", "cart.mjs", JAVASCRIPT, 15, "values, hostile, values.thrown, total", _JS_DATA, ("node", "{}")
    ),
    Program(
        "python",
        "cart.py",
        PYTHON,
        26,
        "total, values, recent, long, values.missing, missing",
        {
            "recent": {"a": 1},
            "long": [*([0] * 100), "... 200"],
            "values.missing": "[raised] AttributeError: 'dict' object has no attribute 'missing'",
            "missing": "[raised] NameError: name 'missing' is not defined",
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
    Program(
        "python",
        "colour.py",
        PYTHON,
        7,
        "1 + 1, RED",
        {"1 + 1": 2, "RED": "[raised] NameError: name 'RED' is not defined"},
        ("python", "{}"),
    ),
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
        10,
        "sum, bad, nil, 0.0 / 0, own, long, [[1, 2]], missing",
        {
            "sum": 105,
            "bad": NOT_READ,
            "nil": None,
            "0.0 / 0": "NaN",
            "own": [{"a": 1}, [2]],
            "long": [*([0] * 100), "... 200"],
            "[[1, 2]]": [[1, 2]],
        },
        ("ruby", "{}"),
        begins={"missing": "[raised] undefined local variable"},
    ),
    Program(
        "php",
        "cart.php",
        PHP,
        19,
        "$sum, $nan, $missing, $own->me, count($long), $long, ['a' => $own][\"a\"]->me, [$items]",
        {
            "$sum": 105,
            "$nan": "NAN",
            "$missing": None,
            "$own->me": {"[type]": "stdClass", "me": "[circular]"},
            "count($long)": 100000,
            "$long": [*([0] * 100), "... 100000"],
            "['a' => $own][\"a\"]->me": {"[type]": "stdClass", "me": "[circular]"},
            "[$items]": [[100, 5]],
        },
        ("php", "{}"),
    ),
    Program(
        "lua", "cart.lua", LUA, 7, "sum, nan ~= nan, nil", {"sum": 105, "nan ~= nan": True, "nil": None}, ("lua", "{}")
    ),
    Program(
        "perl",
        "cart.pl",
        PERL,
        16,
        "$sum, @items, %prices, $money, $me, $_[0], undef, die('no'), '5', 9**9**9",
        {
            "$sum": 105,
            "@items": [100, 5],
            "%prices": {"tea": 1.5, "größe": None},
            "$money": {"[class]": "Money", "cents": 5},
            "$me": [1, "[circular]", "CODE", "text"],
            "$_[0]": 100,
            "undef": None,
            "'5'": "5",
            "9**9**9": "Inf",
        },
        ("perl", "{}"),
        begins={"die('no')": "[died] no at "},
    ),
    Program(
        "sh",
        "cart.sh",
        SH,
        10,
        "total, $text, unset, ${total}",
        {"total": "105", "$text": 'quo"te\\\\ tab\\\tline\nend', "unset": "", "${total}": "105"},
        ("sh", "{}"),
    ),
)
