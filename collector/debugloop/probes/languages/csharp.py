"""C# 7 and later: a statement of fully qualified names that posts to the collector, so that no import is needed.

.NET opens no file for append in one step with its writes, and would write over what others append at that moment.
Hence a socket to 127.0.0.1, which knows no proxy, with half a second to send and to be answered. What is counted
stands under one name in the AppDomain. Values are read in place, each in a ``try``: a lambda could read no ``ref``.
"""

from __future__ import annotations

from typing import Final

from debugloop.probes.languages.base import SHOWN, Language, double

_S: Final = "global::System."
_LIST: Final = "global::System.Collections.Generic."

CSHARP: Final = Language(
    name="csharp",
    names=("c#", "cs", "dotnet"),
    suffixes=(".cs", ".csx"),
    body=(
        "try {",
        f"    var debugloop_domain = {_S}AppDomain.CurrentDomain;",
        '    var debugloop_mine = debugloop_domain.GetData("debugloop." + @probe@) as long[];',
        '    if (debugloop_mine == null) debugloop_domain.SetData("debugloop." + @probe@, debugloop_mine = new long[3]);',
        f"    long debugloop_now = ({_S}DateTime.UtcNow.Ticks - 621355968000000000L) / 10000L, debugloop_sent;",
        "    lock (debugloop_mine) {",
        "        debugloop_mine[0]++;",
        "        if (debugloop_now - debugloop_mine[1] >= 1000 || debugloop_now < debugloop_mine[1]) {",
        "            debugloop_mine[1] = debugloop_now; debugloop_mine[2] = 0;",
        "        }",
        "        debugloop_sent = ++debugloop_mine[2];",
        "    }",
        f"    if (debugloop_sent <= {SHOWN} || (debugloop_sent & (debugloop_sent - 1)) == 0) {{",
        f"        var debugloop_data = new {_LIST}Dictionary<string, object>();",
        "        @values@",
        f"        var debugloop_seen = new {_LIST}List<object>();",
        "        int debugloop_left = 1000;",
        f"        {_S}Func<string, string> debugloop_text = text => {{",
        f"            var line = new {_S}Text.StringBuilder().Append('\"');",
        "            for (int at = 0; at < text.Length && at < 2000; at++) {",
        "                if (text[at] >= 32 && text[at] < 127 && text[at] != '\"' && text[at] != '\\\\') line.Append(text[at]);",
        "                else line.Append('\\\\').Append('u').Append(((int)text[at]).ToString(\"x4\"));",
        "            }",
        "            return line.Append('\"').ToString();",
        "        };",
        f"        {_S}Func<object, string> debugloop_plain = null;",
        "        debugloop_plain = value => {",
        "            try {",
        '                if (value == null) return "null";',
        '                if (value is bool) return (bool)value ? "true" : "false";',
        f"                if (value is string || value is char || value is {_S}Enum) return debugloop_text(value.ToString());",
        f'                if (value is {_S}DateTime) return debugloop_text((({_S}DateTime)value).ToString("o"));',
        f"                if (value is {_S}Exception)",
        f'                    return debugloop_text(value.GetType().Name + ": " + (({_S}Exception)value).Message);',
        f"                if (value is {_S}IConvertible && value.GetType().IsValueType) {{",
        f"                    var number = {_S}Convert.ToString(value, {_S}Globalization.CultureInfo.InvariantCulture);",
        '                    return number.EndsWith("NaN") || number.EndsWith("Infinity") ? debugloop_text(number) : number;',
        "                }",
        f"                if (value is {_S}Collections.IEnumerable) {{",
        '                    if (debugloop_seen.Contains(value)) return debugloop_text("[circular]");',
        '                    if (--debugloop_left < 0 || debugloop_seen.Count > 6) return debugloop_text("...");',
        "                    debugloop_seen.Add(value);",
        "                    try {",
        f"                        var parts = new {_LIST}List<string>();",
        f"                        var pairs = value as {_S}Collections.IDictionary;",
        "                        if (pairs == null) {",
        f"                            if (!(value is {_S}Collections.ICollection)) return debugloop_text(value.ToString());",
        f"                            foreach (object each in ({_S}Collections.IEnumerable)value)",
        "                                if (parts.Count < 100) parts.Add(debugloop_plain(each)); else break;",
        '                            return "[" + string.Join(", ", parts) + "]";',
        "                        }",
        f"                        foreach ({_S}Collections.DictionaryEntry each in pairs)",
        f"                            if (parts.Count < 100) parts.Add(debugloop_text({_S}Convert.ToString(each.Key))",
        '                                + ": " + debugloop_plain(each.Value)); else break;',
        '                        return "{" + string.Join(", ", parts) + "}";',
        "                    } finally { debugloop_seen.RemoveAt(debugloop_seen.Count - 1); }",
        "                }",
        f"                return debugloop_text({_S}Convert.ToString(value));",
        f'            }} catch ({_S}Exception) {{ return debugloop_text("[unreadable]"); }}',
        "        };",
        f"        var debugloop_parts = new {_LIST}List<string>();",
        "        foreach (var debugloop_each in debugloop_data)",
        '            debugloop_parts.Add(debugloop_text(debugloop_each.Key) + ": " + debugloop_plain(debugloop_each.Value));',
        '        var debugloop_line = string.Join(", ", debugloop_parts);',
        '        if (debugloop_line.Length > 60000) debugloop_line = "\\"[too large]\\": true";',
        '        debugloop_line = @about@.TrimEnd(\'}\') + ", \\"calls\\": " + debugloop_mine[0] + ", \\"timestamp\\": "',
        '            + debugloop_now + ", \\"data\\": {" + debugloop_line + "}}\\n";',
        f"        var debugloop_url = new {_S}Uri(@endpoint@);",
        f"        using (var debugloop_client = new {_S}Net.Sockets.Socket({_S}Net.Sockets.AddressFamily.InterNetwork,",
        f"                {_S}Net.Sockets.SocketType.Stream, {_S}Net.Sockets.ProtocolType.Tcp)) {{",
        "            debugloop_client.SendTimeout = debugloop_client.ReceiveTimeout = 500;",
        f"            debugloop_client.Connect({_S}Net.IPAddress.Loopback, debugloop_url.Port);",
        f'            debugloop_client.Send({_S}Text.Encoding.ASCII.GetBytes("POST " + debugloop_url.AbsolutePath',
        '                + " HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\nContent-Type: application/json\\r\\n"',
        '                + "Content-Length: " + debugloop_line.Length + "\\r\\n\\r\\n" + debugloop_line));',
        "            debugloop_client.Receive(new byte[512]);",
        "        }",
        "    }",
        f"}} catch ({_S}Exception) {{ }}",
    ),
    quote=double,
    between=" ",
    value=lambda name, expression: (
        f"try {{ debugloop_data[{name}] = {expression}; }}"
        f' catch (global::System.Exception debugloop_e) {{ debugloop_data[{name}] = "[threw] " + debugloop_e.Message; }}'
    ),
    grammar="tree_sitter_c_sharp:language",
    around=frozenset({"await_expression"}),
    blocks=frozenset({"block", "switch_section", "compilation_unit", "global_statement"}),
    first=frozenset({"using_directive", "extern_alias_directive"}),
    beside=frozenset({"global_statement"}),
)
