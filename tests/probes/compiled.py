"""A small program in each language that is compiled before it is run."""

from __future__ import annotations

from tests.probes.program import NOT_READ, Program

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
TYPESCRIPT = """\
enum Size { Small = "s" }
interface Cart { readonly items: number[]; size?: Size; }
declare const process: { exitCode: number }, console: { log(...values: unknown[]): void };
class Shop<T extends Cart> {
  readonly #cart: T;
  constructor(cart: T) { this.#cart = cart; }
  async *totals(): AsyncGenerator<number> {
    let total = 0;
    for (const item of this.#cart.items) {
      total += item;
    }
    const nothing: undefined | null = null;
    yield total as number;
  }
}
void (async () => {
  for await (const total of new Shop({ items: [100, 5], size: Size.Small }).totals()) console.log(total);
  process.exitCode = 3;
})();
"""
TSX = """\
declare const process: { exitCode: number }, console: { log(...values: unknown[]): void };
declare namespace JSX { interface IntrinsicElements { b: { id: string } } }
const h = (tag: string, props: { id: string }, ...children: string[]) => `<${tag} id=${props.id}>${children.join("")}</${tag}>`;
const Total = ({ items }: { items: number[] }) => {
  const total = items.reduce((sum, item) => sum + item, 0);
  return <b id="total">{String(total)}</b>;
};
console.log(Total({ items: [100, 5] }));
process.exitCode = 3;
"""
RUST = """\
#![deny(warnings)]
//! A cart.
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

struct Opaque;

#[derive(Debug, Clone)]
struct Item<'a> {
    name: &'a str,
    price: Option<f64>,
}

#[derive(Debug)]
struct Node(RefCell<Option<Rc<Node>>>);

struct Bad;

impl fmt::Debug for Bad {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

fn total<T: Into<f64> + Copy>(items: &[T]) -> f64 {
    let sum: f64 = items.iter().map(|&item| item.into()).sum();
    let text = String::from("quo\\"te\\\\n größe \\u{7}");
    let item = Item { name: "tea", price: Some(1.5) };
    let failed: Result<u8, std::num::ParseIntError> = "x".parse();
    let map: BTreeMap<&str, u128> = [("a", u128::MAX)].into_iter().collect();
    let me = Rc::new(Node(RefCell::new(None)));
    *me.0.borrow_mut() = Some(me.clone());
    let first = items[0];
    drop((item.name, item.price, failed, map));
    let _ = (Opaque, Bad, first);
    sum + text.len() as f64 * 0.0
}

fn main() {
    println!("{}", total(&[100u8, 5]));
    std::process::exit(3);
}
"""
CPP = """\
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace shop {
enum class Size { small = 2 };
struct Opaque {};
struct Money { long cents; };
std::ostream &operator<<(std::ostream &out, const Money &money) { return out << money.cents << "c"; }
int plain(const Money &, int) { return 1; }
int fails() { throw std::runtime_error("no"); }

template <class T> T total(const std::vector<T> &items) {
  T sum{};
  for (const auto &item : items) sum += item;
  const std::map<std::string, double> prices{{"tea", 1.5}};
  const char raw[4] = {'a', '"', 'b', 'c'};
  const char *none = nullptr;
  std::unique_ptr<int> owned(new int(4));
  const int grid[2][2] = {{1, 2}, {3, 4}};
  errno = 7;
  std::cout << prices.size() << raw[0] << (none == nullptr) << *owned << grid[1][1] << errno << "\\n";
  return sum;
}
}  // namespace shop

int main() {
  std::cout << shop::total(std::vector<int>{100, 5}) << "\\n";
  return 3;
}
"""
CSHARP = """\
using System;
using System.Collections.Generic;

class Bad { public override string ToString() { throw new Exception("no"); } }

struct Cart {
    int count;
    static int Fails(int[] items) { return items[9]; }
    int Total(ref int sum, params int[] items) {
        foreach (var item in items) sum += item;
        var me = new List<object> { 1, "two", null };
        me.Add(me);
        IDictionary<string, object> prices = new Dictionary<string, object> { { "tea", 1.5 }, { "day", new DateTime(0) } };
        count += prices.Count - 1;
        return sum;
    }
    static int Main() {
        int sum = 0;
        Console.WriteLine(new Cart().Total(ref sum, 100, 5));
        return 3;
    }
}
"""
KOTLIN = """\
package shop

class Bad { override fun toString(): String = throw IllegalStateException("no") }

fun total(vararg items: Int, label: String? = null): Int {
    var sum = 0
    for (item in items) {
        sum += item
    }
    var text: Any = "a\\$b"
    val me = arrayOf<Any?>(1, null)
    me[1] = me
    if (text is String) {
        sum += text.length - 3
        text = text.length
    }
    val sized = listOf(1, 2).map { it ->
        it * 2
    }
    return sum + sized.size - 2
}

fun main(args: Array<String>) {
    println(total(100, 5))
    System.exit(3)
}
"""
_TSC = ("tsc", "--strict", "--target", "es2020", "--lib", "es2020", "--typeRoots", ".", "--jsx", "react")
PROGRAMS = (
    Program(
        "typescript",
        "cart.ts",
        TYPESCRIPT,
        14,
        "total, this.#cart, nothing",
        {"total": 105, "this.#cart": {"items": [100, 5], "size": "s"}, "nothing": None},
        ("node", "{}/cart.js"),
        (*_TSC, "--outDir", "{}"),
    ),
    Program(
        "tsx",
        "cart.tsx",
        TSX,
        6,
        "total, <b id='x'/>",
        {"total": 105, "<b id='x'/>": "<b id=x></b>"},
        ("node", "{}/cart.js"),
        (*_TSC, "--jsxFactory", "h", "--outDir", "{}"),
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
        {"sum": 105, "new Bad()": NOT_READ, "me": "[1, [...]]", "0.0 / 0": "NaN"},
        ("java", "{}"),
    ),
    Program(
        "rust",
        "cart.rs",
        RUST,
        36,
        "sum, text, item, failed, map, me.0.borrow().is_some(), Opaque, Bad, (), f64::NAN, None::<i32>, first, items.len()",
        {
            "sum": 105.0,
            "text": 'quo"te\\n größe \x07',
            "item": 'Item { name: "tea", price: Some(1.5) }',
            "failed": "Err(ParseIntError { kind: InvalidDigit })",
            "map": '{"a": 340282366920938463463374607431768211455}',
            "me.0.borrow().is_some()": True,
            "Opaque": "[built::Opaque]",
            "Bad": "",
            "()": None,
            "f64::NAN": "NaN",
            "None::<i32>": None,
            "first": "[u8]",
            "items.len()": 2,
        },
        ("{}",),
        ("rustc", "--edition", "2021", "--crate-name", "built", "-o", "{}"),
    ),
    Program(
        "cpp",
        "cart.cpp",
        CPP,
        26,
        "sum, items, prices, raw, none, *owned, owned, grid, Size::small, Opaque(), Money{5}, fails(), std::string(\"ö\"),"
        " std::runtime_error(\"why\"), std::nan(\"\"), nullptr, sum == 105, 'a', \"b\"",
        {
            "sum": 105,
            "items": [100, 5],
            "prices": [["tea", 1.5]],
            "raw": 'a"bc',
            "none": None,
            "*owned": 4,
            "grid": [[1, 2], [3, 4]],
            "Size::small": 2,
            "Opaque()": NOT_READ,
            "Money{5}": "5c",
            "fails()": "[threw] no",
            'std::string("ö")': "ö",
            'std::runtime_error("why")': "why",
            'std::nan("")': "nan",
            "nullptr": None,
            "sum == 105": True,
            "'a'": 97,
            '"b"': "b",
        },
        ("{}",),
        ("g++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-o", "{}"),
        begins={"owned": "0x"},
    ),
    Program(
        "csharp",
        "cart.cs",
        CSHARP,
        14,
        "sum, items, me, prices, count, Fails(items), new Bad(), 0.0 / 0, null, 'c', new ArgumentException(\"why\")",
        {
            "sum": 105,
            "items": [100, 5],
            "me": [1, "two", None, "[circular]"],
            "prices": {"tea": 1.5, "day": "0001-01-01T00:00:00.0000000"},
            "count": 0,
            "Fails(items)": "[threw] Index was outside the bounds of the array.",
            "new Bad()": NOT_READ,
            "0.0 / 0": "NaN",
            "null": None,
            "'c'": "c",
            'new ArgumentException("why")': "ArgumentException: why",
        },
        ("mono", "{}"),
        ("mcs", "-warnaserror", "-out:{}"),
    ),
    Program(
        "kotlin",
        "cart.kt",
        KOTLIN,
        14,
        "sum, text, text.length, Bad(), me, label, 0.0 / 0, items[9], listOf(1, \"a\")",
        {
            "sum": 105,
            "text": "a$b",
            "text.length": 3,
            "Bad()": NOT_READ,
            "me": "[1, [...]]",
            "label": None,
            "0.0 / 0": "NaN",
            'listOf(1, "a")': "[1, a]",
        },
        ("java", "-jar", "{}.jar"),
        ("kotlinc", "-include-runtime", "-d", "{}.jar"),
        begins={"items[9]": "java.lang.ArrayIndexOutOfBoundsException"},
    ),
)
