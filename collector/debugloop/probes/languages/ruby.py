"""Ruby: a statement that leaves no local variable and no match of a regular expression behind.

Its code is compiled once a process, as a module of its own that needs no library; each probe there only hands over
lambdas, so that a value that raises costs itself alone.
"""

from __future__ import annotations

from typing import Final

from debugloop.probes.languages.base import SHOWN, Language, single

_CODE: Final = rf"""
module Debugloop_@session@
  STATE, BUSY = {{}}, {{}}
  def self.text(value)
    value = value.to_s
    value = value.encoding == Encoding::UTF_8 ? value.scrub : value.encode("UTF-8", invalid: :replace, undef: :replace)
    value = value[0, 2000] + "... " + value.length.to_s if value.length > 2000
    34.chr + value.gsub(/["\\\x00-\x1f]/) {{ |each| format("\\u%04x", each.ord) }} + 34.chr
  end
  def self.plain(value, depth, left)
    left[0] -= 1
    case value
    when nil then "null"
    when true, false, Integer then value.to_s
    when Float then value.finite? ? value.to_s : text(value)
    when String, Symbol then text(value)
    when Exception then text(value.class.name + ": " + value.message)
    when Hash, Array
      return text("...") if depth > 6 || left[0] < 0
      kind, parts = Hash === value ? Hash : Array, []
      kind.instance_method(:each).bind(value).call do |each|
        if parts.length == 100
          size = kind.instance_method(:length).bind(value).call
          break parts << (kind == Hash ? text("...") + ": " : "") + text("... " + size.to_s)
        end
        parts << (kind == Hash ? text(each[0]) + ": " + plain(each[1], depth + 1, left) : plain(each, depth + 1, left))
      end
      kind == Hash ? "{{" + parts.join(", ") + "}}" : "[" + parts.join(", ") + "]"
    else text(value.inspect)
    end
  rescue StandardError, SystemStackError, ScriptError
    text("[unreadable]")
  end
  def self.probe(name, about, log, values)
    now = Time.now.to_f
    mine = (STATE[name] ||= [0, now, 0])
    mine[0] += 1
    mine[1], mine[2] = now, 0 unless (now - mine[1]).between?(0, 1)
    mine[2] += 1
    return if (mine[2] > {SHOWN} && mine[2] & (mine[2] - 1) != 0) || BUSY[Thread.current]
    BUSY[Thread.current] = true
    begin
      data = values.map do |key, each|
        value = begin
          plain(each.call, 0, [1000])
        rescue StandardError, ScriptError => error
          text("[raised] " + error.message[/\A.*/])
        end
        text(key) + ": " + value
      end
      rest = format(%q(, "calls": %d, "timestamp": %d, "data": ), mine[0], (now * 1000).to_i)
      data = "{{" + data.join(", ") + "}}"
      data = text("[too large]") if data.bytesize > 60_000
      File.open(log, File::RDWR | File::APPEND) do |file|
        torn = file.size > 0 && file.pread(1, file.size - 1) != "\n"
        file.syswrite((torn ? "\n" : "") + about[0..-2] + rest + data + "}}\n")
      end
    ensure
      BUSY.delete(Thread.current)
    end
  end
end
"""
_NAME: Final = "Debugloop_@session@"

RUBY: Final = Language(
    name="ruby",
    names=("rb",),
    suffixes=(".rb", ".rake"),
    shebangs=("ruby",),
    comment="#",
    body=(
        "begin",
        f"  Object.const_defined?(:{_NAME}) || TOPLEVEL_BINDING.eval({single(_CODE)})",
        f"  ::{_NAME}.probe(@probe@, @about@, @log@, {{ @values@ }})",
        "rescue StandardError, SystemStackError, ScriptError",
        "end",
    ),
    quote=single,
    value=lambda name, expression: f"{name} => -> {{ ({expression}) }}",
    grammar="tree_sitter_ruby:language",
    blocks=frozenset({"program", "body_statement", "then", "else", "do", "block_body", "begin", "ensure"}),
    valued=frozenset({"body_statement", "then", "else", "do", "block_body", "begin"}),
)
