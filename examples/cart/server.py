"""A small shop: this backend, and the page that it serves. Standard library only.

    python server.py [PORT]

Prints the address of the page once it serves. Ctrl-C ends it.
"""

from __future__ import annotations

import csv
import json
import sys
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGES = {"/": ("index.html", "text/html"), "/cart.js": ("cart.js", "text/javascript")}


def read_catalogue() -> dict[str, dict[str, str | int]]:
    """What the shop sells: name and price in cents, by SKU."""
    with (HERE / "catalogue.csv").open(newline="", encoding="utf-8") as file:
        return {row["sku"]: {"name": row["name"], "price_cents": row["price_cents"]} for row in csv.DictReader(file)}


CATALOGUE = read_catalogue()


class Shop(BaseHTTPRequestHandler):
    """The page and its script, the catalogue, and one line of a cart for each item that is put into it."""

    def do_GET(self) -> None:
        """Send the page, the script or the catalogue."""
        if self.path == "/api/catalogue":
            self.send(200, "application/json", json.dumps(CATALOGUE).encode())
        elif self.path in PAGES:
            name, kind = PAGES[self.path]
            self.send(200, kind, (HERE / name).read_bytes())
        else:
            self.send(404, "text/plain", b"There is no such page.\n")

    def do_POST(self) -> None:
        """Take ``{"sku": …}`` and send the line for the cart."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/api/lines":
            self.send(404, "text/plain", b"There is no such page.\n")
            return
        sku = json.loads(body)["sku"]
        line = {"sku": sku, **CATALOGUE[sku]}
        self.send(201, "application/json", json.dumps(line).encode())

    def send(self, status: int, kind: str, body: bytes) -> None:
        """Answer one request."""
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep the terminal quiet."""


def main() -> None:
    """Serve on localhost until Ctrl-C."""
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    with ThreadingHTTPServer(("127.0.0.1", port), Shop) as server:
        sys.stdout.write(f"http://127.0.0.1:{server.server_port}/\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            server.serve_forever()


if __name__ == "__main__":
    main()
