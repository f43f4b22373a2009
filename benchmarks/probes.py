"""What a probe costs the program that it stands in, per call: while it appends, and once its rate limit holds it back.

Each program times itself, in microseconds: 90 calls after 10 to warm up, which are all sent, then 100,000 more, of
which the rate limit lets a few through. Measured with a log, and with one that is not there; the best of three runs.

In a page the probe hands a beacon to the browser; there the log is a server that answers, or none.

    python benchmarks/probes.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from debugloop.probes.languages import Event, Target, by_name

PYTHON = """\
import time
def run(count):
    start = time.perf_counter()
    for i in range(count):
        PROBE
    return (time.perf_counter() - start) / count * 1e6
run(10)
print(run(90), run(100000))
"""
NODE = """\
function run(count) {
  const start = process.hrtime.bigint();
  for (let i = 0; i < count; i++) {
PROBE
  }
  return Number(process.hrtime.bigint() - start) / count / 1e3;
}
run(10);
console.log(run(90), run(100000));
"""
GO = """\
package main

import (
	"fmt"
	"time"
)
BEFORE
func run(count int) float64 {
	start := time.Now()
	for i := 0; i < count; i++ {
PROBE
	}
	return float64(time.Since(start).Nanoseconds()) / float64(count) / 1e3
}

func main() {
	run(10)
	first := run(90)
	fmt.Println(first, run(100000))
}
"""
JAVA = """\
public class Cost {
    static double run(int count) {
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
PROBE
        }
        return (System.nanoTime() - start) / 1e3 / count;
    }

    public static void main(String[] arguments) {
        run(10);
        double first = run(90);
        System.out.println(first + " " + run(100000));
    }
}
"""
PAGE = """\
<!doctype html><title>cost</title><script>
function run(count) {
  const start = performance.now();
  for (let i = 0; i < count; i++) {
PROBE
  }
  return (performance.now() - start) / count * 1e3;
}
run(10);
const first = run(90);
document.title = "cost " + first + " " + run(100000);
</script>
"""
CHROMIUM = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
RUNS = 3
PROGRAMS = {
    "python": (PYTHON, "cost.py", [sys.executable]),
    "javascript": (NODE, "cost.js", ["node"]),
    "go": (GO, "cost.go", ["go", "run"]),
    "java": (JAVA, "Cost.java", ["java"]),
}


def measure(name: str, folder: Path, log: Path) -> tuple[float, float]:
    language, (source, file, command) = by_name(name), PROGRAMS[name]
    event = Event("s/1", f"{file}:1", "called", "H1", data=("i",))
    indentation = " " * 8 if name == "python" else ""
    probe = f"\n{indentation}".join(language.lines(event, Target(str(log), "http://127.0.0.1:9/debug/0")))
    program = source.replace("PROBE", probe).replace("BEFORE", "\n".join(language.imports(event)))
    (folder / file).write_text(program, encoding="utf-8")
    ran = subprocess.run([*command, file], cwd=folder, check=True, capture_output=True, text=True)
    append, held = map(float, ran.stdout.split())
    return append, held


class _Answering(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name it has
        pass


def measure_page(folder: Path, port: int) -> tuple[float, float]:
    event = Event("s/1", "cost.html:1", "called", "H1", data=("i",))
    target = Target(str(folder / "debug.jsonl"), f"http://127.0.0.1:{port}/debug/0")
    page = folder / "cost.html"
    page.write_text(PAGE.replace("PROBE", "\n".join(by_name("javascript").lines(event, target))), encoding="utf-8")
    command = ["chromium", *CHROMIUM, f"--user-data-dir={folder / 'profile'}", "--dump-dom", page.as_uri()]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    append, held = map(float, ran.stdout.partition("<title>cost ")[2].partition("</title>")[0].split())
    return append, held


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "debug.jsonl"
        log.touch()
        print("language     log      sent  held back   (microseconds a call)")
        for language, (_, _, command) in PROGRAMS.items():
            if shutil.which(command[0]) is None:
                print(f"{language:12} is not installed")
                continue
            for there, path in (("there", log), ("gone", folder / "gone.jsonl")):
                sent, held = map(min, zip(*(measure(language, folder, path) for _ in range(RUNS)), strict=True))
                print(f"{language:12} {there:6} {sent:6.1f} {held:10.2f}")
        assert log.stat().st_size > 0
        if shutil.which("chromium") is None:
            print("chromium     is not installed")
            return
        server = ThreadingHTTPServer(("127.0.0.1", 0), _Answering)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for there, port in (("there", server.server_port), ("gone", 9)):
            sent, held = map(min, zip(*(measure_page(folder, port) for _ in range(RUNS)), strict=True))
            print(f"{'browser':12} {there:6} {sent:6.1f} {held:10.2f}")
        server.shutdown()


if __name__ == "__main__":
    main()
