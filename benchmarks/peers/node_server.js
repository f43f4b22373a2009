// A peer: a minimal Node server that appends each event to a file, answers 204. Usage: node_server.js PORT LOG
const fs = require("node:fs");
const http = require("node:http");

const [port, path] = process.argv.slice(2);
const log = fs.openSync(path, "a", 0o600);

http
  .createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const event = JSON.parse(Buffer.concat(chunks).toString());
      fs.writeSync(log, JSON.stringify(event) + "\n");
      response.writeHead(204);
      response.end();
    });
  })
  .listen(Number(port), "127.0.0.1");
