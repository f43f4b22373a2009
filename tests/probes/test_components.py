"""Components, compiled by their own compilers and rendered: a probe in their scripts is heard and changes nothing."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.probes.npm import install
from tests.support import GENEROUS, cli, require

VUE = """\
<script setup lang="ts">
import { computed, reactive } from 'vue';
const cart = reactive({ prices: [3, 4] as number[] });
const total = computed<number>(() => {
  return cart.prices.reduce((a: number, b: number) => a + b, 0);
});
</script>
<template>
  <p :title="total > 1 ? 'more' : '<script>'">{{ total }}</p>
</template>
"""
SVELTE = """\
<script lang="ts">
  let cart: { prices: number[] } = $state({ prices: [3, 4] });
  const total = $derived.by(() => {
    return cart.prices.reduce((a: number, b: number) => a + b, 0);
  });
</script>

{#if total > 1}
  <p>{total}</p>
{/if}
"""
RENDER = """\
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
const file = process.argv[2], source = readFileSync(file, 'utf8'), vue = file.endsWith('.vue');
const made = new URL('./made.mjs', import.meta.url);
if (vue) {
  const { parse, compileScript } = await import('vue/compiler-sfc');
  const templateOptions = { ssr: true, ssrCssVars: [] };
  const script = compileScript(parse(source).descriptor, { id: 'a', inlineTemplate: true, templateOptions });
  writeFileSync(made, execFileSync(process.argv[3], ['--loader=ts'], { input: script.content }));
} else {
  const { compile } = await import('svelte/compiler');
  writeFileSync(made, compile(source, { generate: 'server' }).js.code);
}
const { default: Component } = await import(made);
if (vue) {
  const { createSSRApp } = await import('vue'), { renderToString } = await import('vue/server-renderer');
  console.log(await renderToString(createSSRApp(Component)));
} else {
  console.log((await import('svelte/server')).render(Component).body);
}
"""


@pytest.fixture(scope="module")
def renderer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("components")
    install(folder, "vue@3", "svelte@5")
    (folder / "render.mjs").write_text(RENDER)
    return folder / "render.mjs"


@pytest.mark.parametrize(
    ("file", "source", "line"),
    [("Cart.vue", VUE, 4), ("Cart.vue", VUE, 5), ("Cart.svelte", SVELTE, 3), ("Cart.svelte", SVELTE, 4)],
)
def test_a_component_renders_the_same_with_a_probe_that_is_heard(
    file: str, source: str, line: int, renderer: Path, home: Path, workspace: Path
) -> None:
    def rendered() -> str:
        command = [require("node"), str(renderer), str(path), require("esbuild")]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=GENEROUS, check=False)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    path = workspace / file
    path.write_text(source)
    expected = rendered()
    assert ">7</p>" in expected
    log = Path(json.loads(cli("start", "--json", home=home, cwd=workspace).stdout)["log"])
    done = cli("instrument", f"{file}:{line}", "--data", "cart.prices", home=home, cwd=workspace)
    assert done.returncode == 0, done.stderr

    assert rendered() == expected

    [event] = map(json.loads, log.read_text().splitlines())
    assert (event["location"], event["data"]) == (f"{file}:{line}", {"cart.prices": [3, 4]})
    cli("strip", home=home, cwd=workspace)
    assert path.read_text() == source
