"""Looking for what a session left in a large repository, beside ``git grep`` for the same words; and the short verbs.

The repository has ``--files`` tracked files of some 5 KB, a fifth as many ignored ones, and nothing to find. Each round
runs everything once, in turn, as whole processes with warm caches; seconds of the clock and of the processors.

    python benchmarks/scan.py [--files 50000] [--rounds 5]
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import orjson

from debugloop.probes import traces
from debugloop.session import endpoint
from debugloop.session.layout import Layout

DEBUGLOOP = [sys.executable, "-m", "debugloop"]


def make(top: Path, count: int) -> None:
    """A repository of so many tracked files, and a fifth as many that it ignores."""
    noise = random.Random(1)
    lines = ["".join(noise.choices("abcdefghijklmnopqrstuvwxyz (){};=.", k=noise.randint(10, 70))) for _ in range(5000)]
    for number in range(count + count // 5):
        root = "src" if number < count else "node_modules"
        folder = top / root / f"p{number // 1000}" / f"m{number // 20 % 50}"
        if number % 20 == 0:
            folder.mkdir(parents=True, exist_ok=True)
        text = "\n".join(noise.choices(lines, k=min(int(noise.lognormvariate(3.6, 1.1)) + 1, 3000)))
        (folder / f"f{number}.js").write_text(text, encoding="ascii")
    (top / ".gitignore").write_text("node_modules/\n", encoding="ascii")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(top)]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *arguments], check=True)


def patterns(directory: Path) -> list[str]:
    """The fixed words that ``scan`` looks for, as arguments of git grep."""
    layout = Layout(directory)
    address = endpoint.load(layout)
    assert address is not None
    ours = traces.endpoint_traces(address) + traces.session_traces(directory.name, directory)
    needles = dict.fromkeys(trace.needle.decode() for trace in ours + traces.other_traces())
    return [word for needle in needles for word in ("-e", needle)]


def spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="debugloop-bench-") as temporary:
        folder = Path(temporary).resolve()
        large, small = folder / "large", folder / "small"
        make(large, given.files)
        make(small, 20)
        environment = {**os.environ, "DEBUGLOOP_HOME": str(folder / "home")}

        def run(*command: str, at: Path) -> bytes:
            ran = subprocess.run(command, cwd=at, env=environment, capture_output=True, check=False)
            assert ran.returncode <= 1, ran.stderr
            return ran.stdout

        started = [orjson.loads(run(*DEBUGLOOP, "start", "--json", at=top)) for top in (large, small)]
        words = patterns(Path(started[0]["directory"]))
        place = next(small.glob("src/**/*.js"))
        place.write_text("run();\n", encoding="ascii")
        tasks = {
            "git grep, tracked files": (large, ["git", "grep", "-n", "-F", *words]),
            "git grep, new files too": (large, ["git", "grep", "--untracked", "-n", "-F", *words]),
            "debugloop scan": (large, [*DEBUGLOOP, "scan"]),
            "debugloop strip": (large, [*DEBUGLOOP, "strip"]),
            "instrument, small repository": (small, [*DEBUGLOOP, "instrument", f"{place}:1"]),
            "strip, small repository": (small, [*DEBUGLOOP, "strip"]),
        }
        took: dict[str, list[tuple[float, float]]] = {name: [] for name in tasks}
        for turn in range(given.rounds + 1):
            for name, (top, command) in tasks.items():
                begun, before = time.perf_counter(), spent()
                run(*command, at=top)
                if turn:  # the first round fills caches
                    took[name].append((time.perf_counter() - begun, spent() - before))
        for top in (large, small):
            run(*DEBUGLOOP, "stop", at=top)
    print(f"{'whole process':<30} {'median':>8} {'best':>8} {'processors':>11}   s, {given.rounds} rounds")
    for name, each in took.items():
        clock = [wall for wall, _ in each]
        print(f"{name:<30} {statistics.median(clock):8.2f} {min(clock):8.2f} {min(used for _, used in each):11.2f}")


if __name__ == "__main__":
    main()
