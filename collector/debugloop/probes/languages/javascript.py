"""JavaScript: one statement on one line, for pages, workers and Node, without a name that the program could see.

In Node the line is appended to the log; elsewhere it is sent as a beacon, which outlives the page, asks no preflight
and is seldom patched, or by fetch where there is no beacon. ES2017. Each value is read in a function of its own, so
that one that throws costs itself alone, and only if the event is sent. Getters are not called. What is counted stands
under a symbol of the global object, not enumerable.
"""

from __future__ import annotations

from typing import Final

from debugloop.probes.languages.base import SHOWN, Language, double

_STATEMENT: Final = (
    "try { (function (root, probe, about, log, url, values) {"
    ' var key = Symbol.for("debugloop"), state = root[key], now = Date.now(), left = 1000, seen = [], mine;'
    " if (!state) Object.defineProperty(root, key, { value: state = { busy: false, probes: new Map() } });"
    " mine = state.probes.get(probe);"
    " if (!mine) state.probes.set(probe, mine = { calls: 0, since: now, sent: 0 });"
    " mine.calls++;"
    " if (now - mine.since >= 1000 || now < mine.since) { mine.since = now; mine.sent = 0; }"
    " mine.sent++;"
    f" if (state.busy || (mine.sent > {SHOWN} && (mine.sent & (mine.sent - 1)))) return;"
    " function plain(value, depth) { try {"
    " var type = typeof value, tag, copy;"
    ' if (value === null || type === "boolean") return value;'
    ' if (type === "number") return isFinite(value) ? value : String(value);'
    ' if (type === "string") return value.length > 2000 ? value.slice(0, 2000) + "... " + value.length : value;'
    ' if (type === "bigint") return String(value) + "n";'
    ' if (type === "function") return "function " + String(value.name);'
    ' if (type !== "object") return String(value);'
    ' if (seen.indexOf(value) >= 0) return "[circular]";'
    ' if (--left < 0 || depth > 6) return "...";'
    " tag = Object.prototype.toString.call(value).slice(8, -1);"
    ' if (value instanceof Date) return isNaN(value) ? "Invalid Date" : value.toISOString();'
    " if (value instanceof Error)"
    " return { name: String(value.name), message: String(value.message), stack: String(value.stack).slice(0, 2000) };"
    ' if (typeof Node === "function" && value instanceof Node)'
    ' return "<" + value.nodeName.toLowerCase() + (value.id ? " id=" + value.id : "") + ">";'
    ' if (tag === "Map" || tag === "Set") return { type: tag, size: value.size,'
    " entries: plain(Array.from(value).slice(0, 100), depth + 1) };"
    ' if (tag === "RegExp") return String(value);'
    " seen.push(value);"
    " try {"
    " if (Array.isArray(value) || ArrayBuffer.isView(value)) {"
    " copy = Array.prototype.slice.call(value, 0, 100)"
    ".map(function (each) { return plain(each, depth + 1); });"
    ' if (value.length > 100) copy.push("... " + value.length); return copy; }'
    ' copy = {}; if (tag !== "Object") copy["[type]"] = tag;'
    " Object.keys(value).slice(0, 100).forEach(function (name) {"
    " var own = Object.getOwnPropertyDescriptor(value, name);"
    ' copy[name] = own && "value" in own ? plain(own.value, depth + 1) : "[getter]"; });'
    " return copy;"
    " } finally { seen.pop(); }"
    ' } catch (error) { return "[unreadable]"; } }'
    " state.busy = true;"
    " try {"
    " var data = {}, line, fs, file, size, last; about = JSON.parse(about);"
    " Object.keys(values).forEach(function (name) {"
    " try { data[name] = plain(values[name](), 0); }"
    ' catch (error) { data[name] = "[threw] " + (error && error.message); } });'
    " line = JSON.stringify(Object.assign(about, { data: data, calls: mine.calls, timestamp: now }));"
    ' if (line.length > 60000) line = JSON.stringify(Object.assign(about, { data: "[too large]" }));'
    ' if (typeof process === "object" && process && process.versions && process.versions.node) {'
    ' fs = process.getBuiltinModule ? process.getBuiltinModule("fs")'
    ' : process.mainModule && process.mainModule.require("fs"); }'
    " if (fs) {"
    " file = fs.openSync(log, fs.constants.O_RDWR | fs.constants.O_APPEND);"
    " try { size = fs.fstatSync(file).size; last = new Uint8Array([10]);"
    " if (size) fs.readSync(file, last, 0, 1, size - 1);"
    ' fs.writeSync(file, (last[0] === 10 ? "" : "\\n") + line + "\\n"); } finally { fs.closeSync(file); }'
    ' } else if (!(typeof navigator === "object" && navigator && typeof navigator.sendBeacon === "function"'
    " && navigator.sendBeacon(url, line))) {"
    ' fetch(url, { method: "POST", body: line, credentials: "omit" }).catch(function () {}); }'
    " } finally { state.busy = false; }"
    ' })(typeof globalThis === "object" ? globalThis : typeof self === "object" ? self : global,'
    " @probe@, @about@, @log@, @endpoint@, { @values@ }); } catch (_) {}"
)


def _quote(text: str) -> str:
    """A literal that ends no script element that it stands in."""
    return double(text).replace("</", "<\\/").replace("<!", "<\\!")


def _value(name: str, expression: str) -> str:
    return f"{name}: () => ({expression})"


_BLOCKS: Final = frozenset({"program", "statement_block", "switch_case", "switch_default", "class_static_block"})

JAVASCRIPT: Final = Language(
    name="javascript",
    names=("js", "jsx", "node", "browser"),
    suffixes=(".js", ".mjs", ".cjs", ".jsx"),
    shebangs=("node", "bun"),
    # formatters leave the line as it is, and type checkers say nothing of it
    body=("// prettier-ignore", "// @ts-ignore", _STATEMENT),
    quote=_quote,
    value=_value,
    grammar="tree_sitter_javascript:language",
    blocks=_BLOCKS,
)
