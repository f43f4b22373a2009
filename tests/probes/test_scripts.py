"""Pages and components: a probe stands in a script of theirs, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from debugloop.session.session import Session
from tests.probes.test_insert import at, stripped
from tests.support import cli

VUE = """\
<template>
  <p :title="a > b ? '<script>' : ''">{{ total }}</p>
</template>

<script setup lang="ts" generic="T extends Map<string, number>">
import { ref } from 'vue';
const total = ref<number>(105);
</script>
<style scoped>
p { color: red }
</style>
"""
SVELTE = """\
<script context="module">
  export const kind = "cart";
</script>
<script lang='ts'>
  export let items: number[];
  $: total = items.length;
</script>

{#if total > 1}
  <p on:click={() => total++}>{total}</p>
{/if}
"""
HTML = """\
<!doctype html>
<title><script></title>
<!-- <script>
run();
</script> -->
<script src="a.js">
run();
</script>
<script type="application/json">
{"a": 1}
</script>
<script type="module">
  const text = `
    <p>`;
  run(text);
</script>
<p onclick="run()">
<SCRIPT>
run();
</SCRIPT>
"""


@pytest.mark.parametrize(
    ("file", "source", "line", "language"),
    [
        ("Cart.vue", VUE, 7, "typescript"),
        ("Cart.vue", VUE, 8, "typescript"),
        ("Cart.svelte", SVELTE, 2, "javascript"),
        ("Cart.svelte", SVELTE, 6, "typescript"),
        ("cart.html", HTML, 15, "javascript"),
        ("cart.html", HTML, 19, "javascript"),
        ("cart.html", HTML, 20, "javascript"),
        ("cart.html", HTML.replace("\n", "\r\n"), 19, "javascript"),
    ],
)
def test_a_line_of_a_script_takes_a_probe_in_the_script_s_language(
    file: str, source: str, line: int, language: str, home: Path, workspace: Path
) -> None:
    path = workspace / file
    path.write_bytes(source.encode())
    cli("start", home=home, cwd=workspace)

    words = ("--message", "</script><!--", "--data", "1 + 1", "--json")
    ran = cli("instrument", f"{file}:{line}", *words, home=home, cwd=workspace)

    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert (told["language"], told["line"]) == (language, line)
    assert path.read_bytes().count(b"</script>") == source.count("</script>")
    assert path.read_bytes().count(b"<!--") == source.count("<!--")
    cli("strip", home=home, cwd=workspace)
    assert path.read_bytes() == source.encode()


@pytest.mark.parametrize(
    ("file", "source", "line", "nearest"),
    [
        ("Cart.vue", VUE, 2, 6),
        ("Cart.vue", VUE, 5, 6),
        ("Cart.vue", VUE, 10, 7),
        ("Cart.svelte", SVELTE, 10, 6),
        ("cart.html", HTML, 4, 13),
        ("cart.html", HTML, 7, 13),
        ("cart.html", HTML, 10, 13),
        ("cart.html", HTML, 14, 13),
        ("cart.html", HTML, 17, 15),
        ("none.html", "<p>\n</p>\n", 2, 0),
        ("open.html", "<script>\nrun();\n", 2, 0),
    ],
)
def test_elsewhere_it_is_refused_and_the_nearest_line_of_a_script_is_offered(
    file: str, source: str, line: int, nearest: int, session: Session, workspace: Path
) -> None:
    (workspace / file).write_text(source)

    assert at(session, file, line, "a").startswith(f"no, {nearest}: ")

    assert (workspace / file).read_text() == source
    if nearest:
        assert at(session, file, nearest) == f"{file}:{nearest}"
        stripped(session)
        assert (workspace / file).read_text() == source


def test_what_is_logged_cannot_end_the_script(session: Session, workspace: Path) -> None:
    (workspace / "a.html").write_text("<script>\nrun();\n</script>\n")

    told = at(session, "a.html", 2, "a </script>/.exec(b)")

    assert told == "no, 0: what it logs would end the script"
