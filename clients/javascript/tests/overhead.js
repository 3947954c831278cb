// node tests/overhead.js: what a call of the client costs beyond the same bare fetch, in
// microseconds of the processor. A server in another process answers.
import { spawn } from "node:child_process";
import { once } from "node:events";

import { Client } from "../src/index.js";

const ROUNDS = 40;
const CALLS = 250;
const SERVER = `
  const body = JSON.stringify({ id: "6f2d1f6e-6a51-4f0e-8a0b-0b7c8f3e2a10", username: "ada" });
  const head = { "Content-Type": "application/json" };
  const server = require("node:http").createServer((_, answer) => {
    answer.writeHead(200, head).end(body);
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function timed(work) {
  const before = process.cpuUsage();
  for (let count = 0; count < CALLS; count += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

const server = spawn(process.execPath, ["--eval", SERVER], { stdio: ["ignore", "pipe", "inherit"] });
const [port] = await once(server.stdout, "data");
const base = `http://127.0.0.1:${String(port).trim()}`;
const userId = "6f2d1f6e-6a51-4f0e-8a0b-0b7c8f3e2a10";
const client = new Client(base);
const bare = async () => (await fetch(`${base}/api/v1/user/${userId}/info`)).json();
const called = () => client.getUserInfo({ userId });

await timed(bare);
await timed(called);
const differences = [];
const costs = [];
for (let round = 0; round < ROUNDS; round += 1) {
  // Each is first in turn: what one leaves to the garbage collector falls upon the other.
  const order = round % 2 ? [bare, called] : [called, bare];
  const times = new Map();
  for (const work of order) times.set(work, await timed(work));
  costs.push(times.get(bare));
  differences.push(times.get(called) - times.get(bare));
}
server.kill();
console.log(`bare fetch ${median(costs).toFixed(0)}, beyond it ${median(differences).toFixed(0)}`);
