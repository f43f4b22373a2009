// The shelves that hold least, a small Node job that tells debugloop what it does.
//
//     node shelf.js 9 10 80 100
//
// The bug: the shelf that is said to hold least sometimes holds more than another one.

"use strict";

const http = require("node:http");

// POSTs one event to the endpoint of a debug session; without one, or if anything is wrong, does nothing.
function probe(hypothesisId, location, message, data) {
  try {
    const body = JSON.stringify({ hypothesisId, location, message, data, timestamp: Date.now() });
    // an agent of its own knows no proxy; 500 ms is all that the program's end is ever held up
    const request = http.request(process.env.DEBUGLOOP_ENDPOINT, { method: "POST", agent: new http.Agent(), timeout: 500 });
    request.on("timeout", () => request.destroy());
    request.on("response", (response) => response.resume());
    request.on("error", () => {});
    request.end(body);
  } catch {
    // a probe never breaks the program
  }
}

function least(counts) {
  probe("H1", "shelf.js:least", "the counts as they were read", { counts, types: counts.map((count) => typeof count) });
  const ordered = [...counts].sort();
  probe("H2", "shelf.js:least", "the counts in order", { ordered });
  return ordered[0];
}

const counts = process.argv.slice(2).map(Number);
console.log(`The emptiest shelf holds ${least(counts)}.`);
