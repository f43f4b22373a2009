"""A small program in each language that is compiled for the machine."""

from __future__ import annotations

from tests.probes.program import NOT_READ, Program

GO = """\
package main

import (
\t"fmt"
\t"os"
)

type node struct{ Next *node }

type size int

func (s size) String() string { return "small" }

type cart struct {
\titems  []int
\tprices map[string]float64
\tsize   size
\tOther  interface{}
\ttext   []byte
\tcall   func()
}

func total(items ...int) int {
\tsum := 0
\tfor _, item := range items {
\t\tsum += item
\t}
\tme := &node{}
\tme.Next = me
\tvar nothing *node
\theld := cart{items, map[string]float64{"tea": 1.5}, 1, size(2), []byte("a"), nil}
\tlong := make([]int, 200)
\t_, _, _, _ = me, nothing, held, long
\treturn sum
}

func main() {
\tfmt.Println(total(100, 5))
\tos.Exit(3)
}
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
PROGRAMS = (
    Program(
        "go",
        "cart.go",
        GO,
        34,
        'sum, me, nothing.Next, items, held, len(long), long[99:], os.ErrClosed, 0.1, "a"',
        {
            "sum": 105,
            "me": {"Next": "[circular]"},
            "held": {
                "items": [100, 5],
                "prices": {"tea": 1.5},
                "size": 1,
                "Other": "small",
                "text": "a",
                "call": "[func()]",
            },
            "len(long)": 200,
            "long[99:]": [*([0] * 100), "... 101"],
            "os.ErrClosed": "file already closed",
            "0.1": 0.1,
            '"a"': "a",
            "nothing.Next": "[panicked] runtime error: invalid memory address or nil pointer dereference",
            "items": [100, 5],
        },
        ("{}",),
        ("go", "build", "-o", "{}"),
    ),
    Program(
        "rust",
        "cart.rs",
        RUST,
        36,
        "sum, text, item, failed, map, me.0.borrow().is_some(), Opaque, Bad, (), f64::NAN, None::<i32>, first",
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
        },
        ("{}",),
        ("rustc", "--edition", "2021", "--crate-name", "built", "-o", "{}"),
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
        "cpp",
        "cart.cpp",
        CPP,
        26,
        "sum, items, prices, raw, none, *owned, owned, grid, Size::small, Opaque(), Money{5}, fails(),"
        ' std::string("ö"), std::runtime_error("why"), std::nan(""), nullptr, sum == 105, \'a\', "b"',
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
)
