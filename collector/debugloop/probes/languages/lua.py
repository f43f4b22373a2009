"""Lua 5.1 and later: a protected call in a block of its own; what it counts stands in ``package.loaded``.

The log is opened for reading first, as appending would make a file that is not there. Lua's clock knows seconds.
"""

from __future__ import annotations

from typing import Final

from debugloop.probes.languages.base import SHOWN, Language, double

LUA: Final = Language(
    name="lua",
    names=(),
    suffixes=(".lua",),
    shebangs=("lua", "lua5.3", "lua5.4"),
    comment="--",
    body=(
        "do local values, probe = { @values@ }, @probe@; pcall(function()",
        "  local all = package.loaded.debugloop or {}",
        "  package.loaded.debugloop = all",
        "  local mine, now = all[probe] or { calls = 0, since = 0, sent = 0, more = 0 }, os.time()",
        "  all[probe] = mine",
        "  mine.calls = mine.calls + 1",
        "  if mine.since ~= now then mine.since, mine.sent, mine.more = now, 0, 128 end",
        "  mine.sent = mine.sent + 1",
        f"  if mine.busy or (mine.sent > {SHOWN} and mine.sent < mine.more) then return end",
        "  if mine.sent >= mine.more then mine.more = mine.more * 2 end",
        "  mine.busy = true",
        "  local left = 1000",
        "  local function text(value)",
        "    value = tostring(value)",
        "    if #value > 2000 then value = value:sub(1, 2000) .. '... ' .. #value end",
        "    if utf8 and not utf8.len(value) then value = value:gsub('[\\128-\\255]', '?') end",
        (
            "    return '\"' .. value:gsub('[%c\"\\\\]', function(each) return string.format('\\\\u%04x', each:byte()) end)"
            " .. '\"'"
        ),
        "  end",
        "  local function plain(value, depth)",
        "    local kind = type(value)",
        "    if kind == 'boolean' then return tostring(value) end",
        "    if kind == 'nil' then return 'null' end",
        (
            "    if kind == 'number' and value % 1 == 0 and value > -2^53 and value < 2^53 then"
            " return string.format('%d', value) end"
        ),
        (
            "    if kind == 'number' and value == value and value - value == 0 then"
            " return (string.format('%.17g', value):gsub(',', '.')) end"
        ),
        "    left = left - 1",
        "    if kind ~= 'table' or depth > 6 or left < 0 then return text(value) end",
        "    local parts = {}",
        "    for key, each in next, value do",
        "      parts[#parts + 1] = text(key) .. ': ' .. plain(each, depth + 1)",
        "      if #parts == 100 then break end",
        "    end",
        "    return '{' .. table.concat(parts, ', ') .. '}'",
        "  end",
        "  pcall(function()",
        "    local data = {}",
        "    for _, pair in ipairs(values) do",
        "      local _, value = pcall(pair[2])",
        "      local fine, plained = pcall(plain, value, 0)",
        "      data[#data + 1] = text(pair[1]) .. ': ' .. (fine and plained or text('[unreadable]'))",
        "    end",
        "    data = '{' .. table.concat(data, ', ') .. '}'",
        "    if #data > 60000 then data = text('[too large]') end",
        (
            '    local line = (@about@):sub(1, -2) .. string.format(\', "calls": %d, "timestamp": %d000, "data": \','
            " mine.calls, now) .. data .. '}\\n'"
        ),
        "    local there = io.open(@log@, 'r')",
        "    if not there then return end",
        "    if there:seek('end', -1) and there:read(1) ~= '\\n' then line = '\\n' .. line end",
        "    there:close()",
        "    local file = io.open(@log@, 'a')",
        "    if not file then return end",
        "    file:setvbuf('full', #line + 1)",
        "    file:write(line)",
        "    file:close()",
        "  end)",
        "  mine.busy = nil",
        "end) end",
    ),
    quote=double,
    value=lambda name, expression: f"{{ {name}, function() return ({expression}) end }}",
    grammar="tree_sitter_lua:language",
    blocks=frozenset({"chunk", "block"}),
    around=frozenset({"vararg_expression"}),
)
