"""Perl: a block that keeps ``$@``, ``$!``, ``$?`` and the last match as they were.

Its code is compiled once a process, as a package of its own. Values are read in the block itself, each in an ``eval``,
so that one that dies costs itself alone and ``@_`` is the program's; an array or a hash is handed over whole.
Overloaded operators and ties of objects are not called: their fields are read.
"""

from __future__ import annotations

from typing import Final

from debugloop.probes.languages.base import SHOWN, Language, single

_CODE: Final = rf"""
package Debugloop_@session@;
no strict; no warnings;
require Fcntl; require Scalar::Util; require Time::HiRes;
our (%state, $busy);
sub text {{
  my $text = shift;
  utf8::decode($text) unless utf8::is_utf8($text);
  $text = substr($text, 0, 2000) . "... " . length $text if length $text > 2000;
  $text =~ s/(["\\\x00-\x1f]|[^\x00-\x7e])/ord($1) < 65536 ? sprintf("\\u%04x", ord $1)
    : sprintf("\\u%04x\\u%04x", 55232 + (ord($1) >> 10), 56320 + (ord($1) & 1023))/ge;
  return qq("$text");
}}
sub plain {{
  my ($value, $depth, $left, $seen) = @_;
  return "null" unless defined $value;
  my $type = Scalar::Util::reftype($value);
  unless ($type) {{
    return text($value) unless length((my $none = "") & $value);
    return $value =~ /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?\z/i ? $value : text($value);
  }}
  my $at = Scalar::Util::refaddr($value);
  return text("[circular]") if $seen->{{$at}};
  return text("...") if --$$left < 0 || $depth > 6;
  local $seen->{{$at}} = 1;
  my $class = Scalar::Util::blessed($value);
  if ($type eq "ARRAY") {{
    my @first = @$value > 100 ? @$value[0 .. 99] : @$value;
    return "[" . join(", ", map {{ plain($_, $depth + 1, $left, $seen) }} @first) . "]";
  }}
  if ($type eq "HASH") {{
    my @keys = sort keys %$value;
    @keys = @keys[0 .. 99] if @keys > 100;
    my @parts = map {{ text($_) . ": " . plain($value->{{$_}}, $depth + 1, $left, $seen) }} @keys;
    unshift @parts, '"[class]": ' . text($class) if $class;
    return "{{" . join(", ", @parts) . "}}";
  }}
  return plain($$value, $depth + 1, $left, $seen) if $type eq "SCALAR" || $type eq "REF";
  return text($class || $type);
}}
sub probe {{
  my ($name, $about, $log, $now) = (@_, Time::HiRes::time());
  my $mine = ($state{{$name}} ||= [0, $now, 0]);
  $mine->[0]++;
  @$mine[1, 2] = ($now, 0) if $now - $mine->[1] >= 1 || $now < $mine->[1];
  $mine->[2]++;
  return if $busy || ($mine->[2] > {SHOWN} && ($mine->[2] & ($mine->[2] - 1)));
  local $busy = 1;
  return sub {{
    my @parts;
    local $busy = 1;
    while (my ($key, $value) = splice @_, 0, 2) {{
      my $left = 1000;
      push @parts, text($key) . ": " . (eval {{ plain($value, 0, \$left, {{}}) }} || text("[unreadable]"));
    }}
    my $data = "{{" . join(", ", @parts) . "}}";
    $data = text("[too large]") if length $data > 60000;
    chop $about;
    my $line = $about . sprintf(', "calls": %d, "timestamp": %d, "data": %s}}', $mine->[0], $now * 1000, $data) . "\n";
    sysopen(my $file, $log, Fcntl::O_RDWR() | Fcntl::O_APPEND()) or return;
    my $end;
    $line = "\n$line" if sysseek($file, -1, 2) && sysread($file, $end, 1) && $end ne "\n";
    syswrite($file, $line);
    close $file;
  }};
}}
1;
"""
_PACKAGE: Final = "Debugloop_@session@"


def _value(name: str, expression: str) -> str:
    shape = {"@": f"[{expression}]", "%": f"{{{expression}}}"}.get(expression[:1], f"scalar({expression})")
    return f'{name} => (eval {{ [{shape}] }} || ["[died] $@"])->[0]'


PERL: Final = Language(
    name="perl",
    names=("pl",),
    suffixes=(".pl", ".pm", ".t", ".psgi"),
    shebangs=("perl",),
    comment="#",
    body=(
        "#<<<",
        "{",
        "  local ($@, $!, $?, $SIG{__DIE__}); local $SIG{__WARN__} = sub {};",
        "  eval {",
        f"    defined &{_PACKAGE}::probe or eval {single(_CODE)};",
        f"    if (my $debugloop_send = {_PACKAGE}::probe(@probe@, @about@, @log@)) {{",
        "      $debugloop_send->(@values@);",
        "    }",
        "  };",
        "}",
        "#>>>",
    ),
    quote=single,
    value=_value,
    grammar="tree_sitter_perl:language",
    blocks=frozenset({"source_file", "block"}),
    valued=frozenset({"source_file", "block"}),
)
