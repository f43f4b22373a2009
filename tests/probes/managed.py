"""A small program in each language that is compiled for an engine that runs it."""

from __future__ import annotations

from tests.probes.program import NOT_READ, Program

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
const h = (tag: string, props: { id: string }, ...children: string[]) =>
  `<${tag} id=${props.id}>${children.join("")}</${tag}>`;
const Total = ({ items }: { items: number[] }) => {
  const total = items.reduce((sum, item) => sum + item, 0);
  return <b id="total">{String(total)}</b>;
};
console.log(Total({ items: [100, 5] }));
process.exitCode = 3;
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
        IDictionary<string, object> prices = new Dictionary<string, object> { { "tea", 1.5 } };
        prices["day"] = new DateTime(0);
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
        7,
        "total, <b id='x'/>",
        {"total": 105, "<b id='x'/>": "<b id=x></b>"},
        ("node", "{}/cart.js"),
        (*_TSC, "--jsxFactory", "h", "--outDir", "{}"),
    ),
    Program(
        "java",
        "Cart.java",
        JAVA,
        16,
        "sum, new Bad(), me, 0.0 / 0, items, items[9]",
        {"sum": 105, "new Bad()": NOT_READ, "me": "[1, [...]]", "0.0 / 0": "NaN", "items": "[100, 5]"},
        ("java", "{}"),
        begins={"items[9]": "[threw] java.lang.ArrayIndexOutOfBoundsException"},
    ),
    Program(
        "kotlin",
        "cart.kt",
        KOTLIN,
        14,
        'sum, text, text.length, Bad(), me, label, 0.0 / 0, items, items[9], listOf(1, "a")',
        {
            "sum": 105,
            "text": "a$b",
            "text.length": 3,
            "Bad()": NOT_READ,
            "me": "[1, [...]]",
            "label": None,
            "items": "[100, 5]",
            "0.0 / 0": "NaN",
            'listOf(1, "a")': "[1, a]",
        },
        ("java", "-jar", "{}.jar"),
        ("kotlinc", "-include-runtime", "-d", "{}.jar"),
        begins={"items[9]": "java.lang.ArrayIndexOutOfBoundsException"},
    ),
    Program(
        "csharp",
        "cart.cs",
        CSHARP,
        16,
        "sum, items, me, prices, count, Fails(items), new Bad(), 0.0 / 0, null, 'c', new ArgumentException(\"why\")",
        {
            "sum": 105,
            "items": [100, 5],
            "me": [1, "two", None, "[circular]"],
            "prices": {"tea": 1.5, "day": "0001-01-01T00:00:00.0000000"},
            "count": 1,
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
)
