// The adapter of this client for tests/conformance: commands and answers are lines of JSON.
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

import { WebSocket as Other } from "ws";

import { ApiError, Client, NetworkError } from "../src/index.js";

const WebSocket = globalThis.WebSocket ?? Other; // Node 20 has none

let client;
let storage;
let events;

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** A storage in a file, which a crash leaves whole enough for these tests. */
function stored(file) {
  const read = () => {
    try {
      return JSON.parse(readFileSync(file));
    } catch {
      return {};
    }
  };
  const write = (key, value) => writeFileSync(file, JSON.stringify({ ...read(), [key]: value }));
  return {
    get: (key) => read()[key] ?? null,
    set: write,
    remove: (key) => write(key, undefined),
  };
}

function fault(error) {
  const { status, code, retryAfter } = error;
  if (error instanceof ApiError) return { kind: "api", status, code, retryAfter };
  if (error instanceof NetworkError) return { kind: "network" };
  return { kind: "bug", detail: `${error.stack}` };
}

async function follow() {
  try {
    for await (const { number, kind, subject, data } of events) {
      storage.set("after", String(events.after));
      say({ event: "event", number, kind, subject: subject.id, data });
    }
    say({ event: "eventsEnded", code: null });
  } catch (error) {
    say({ event: "eventsEnded", ...fault(error) });
  }
}

const COMMANDS = {
  start({ url, folder, timeout = 30 }) {
    storage = stored(`${folder}/storage.json`);
    client = new Client(url, { storage, timeout, WebSocket });
  },
  stop() {
    setTimeout(() => process.exit(), 0);
  },
  logIn: (given) => client.logIn(given),
  logInAsService: (given) => client.logInAsService(given),
  async restore() {
    if (!(await client.token())) throw new Error("There is no log-in.");
  },
  call: ({ operation, parameters }) => client[operation](parameters),
  live({ resume, resumeId, kept }) {
    const place = resume ? { seq: resume, id: resumeId } : resume;
    const live = client.live(kept ? {} : { resume: place });
    live.addEventListener("notification", ({ detail: { seq, notification } }) => {
      const { id, text } = notification;
      // An event is told when it counts as handled: after its listeners.
      setTimeout(() => say({ event: "notification", seq, id, text }), 0);
    });
    for (const event of ["missed", "ended"]) {
      live.addEventListener(event, ({ detail }) => setTimeout(() => say({ event, ...detail }), 0));
    }
  },
  events({ after, kinds, kept }) {
    events = client.events({ after: kept ? +storage.get("after") : after, kinds });
    follow();
  },
  endEvents: () => events.close(),
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, do: command, with: given } = JSON.parse(line);
  try {
    say({ id, result: (await COMMANDS[command](given)) ?? null });
  } catch (error) {
    say({ id, error: fault(error) });
  }
});
