/** A clock and a service that a test moves itself. */
import { setImmediate } from "node:timers/promises";

import { Client } from "../src/index.js";

export const USER = "6f2d1f6e-6a51-4f0e-8a0b-0b7c8f3e2a10";

/** Time stands still until a test moves it on. */
export class Clock {
  #now = 0;
  #timers = new Map();
  #last = 0;

  now = () => this.#now;

  setTimeout = (work, ms) => {
    this.#last += 1;
    this.#timers.set(this.#last, { work, at: this.#now + ms });
    return this.#last;
  };

  clearTimeout = (timer) => this.#timers.delete(timer);

  /** How long the timers that wait do so, in milliseconds. */
  get waiting() {
    return [...this.#timers.values()].map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  /** Let so many milliseconds pass, and what is due then. */
  async advance(ms) {
    const end = this.#now + ms;
    for (;;) {
      await settled();
      const due = [...this.#timers].filter(([, { at }]) => at <= end);
      if (due.length === 0) break;
      const [timer, { work, at }] = due.reduce((a, b) => (b[1].at < a[1].at ? b : a));
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, at);
      work();
    }
    this.#now = end;
    await settled();
  }
}

/** All that can go on without time has gone on. */
export async function settled() {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
}

export const json = (status, body, headers) =>
  new Response(body === undefined ? null : JSON.stringify(body), { status, headers });
export const problem = (status, code, headers) =>
  json(status, { status, code, title: "Title", detail: "Detail.", requestId: "r-1" }, headers);
export const oauth = (status, error) => json(status, { error, error_description: "Detail." });
export const lost = () => {
  throw new TypeError("fetch failed");
};
/** No answer comes. */
export const silence = ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

/** A service that logs anybody in. `answers`, by path, are what it says before all else. */
export class Service {
  requests = [];
  answers = {};
  lifetime = 900;
  #tokens = 0;

  fetch = async (url, { method, headers, body, signal }) => {
    const { pathname: path, search } = new URL(url);
    const form = body instanceof URLSearchParams ? Object.fromEntries(body) : undefined;
    const sent = form ?? (body && JSON.parse(body));
    const request = { method, path, search, headers, body: sent, signal };
    this.requests.push(request);
    const next = this.answers[path]?.shift() ?? ((given) => this.#usual(given));
    return typeof next === "function" ? next(request) : next;
  };

  /** Those for a path. */
  of(path) {
    return this.requests.filter((request) => request.path === path);
  }

  get renewals() {
    const all = [...this.of("/oauth/token"), ...this.of("/portal/session")];
    return all.filter(({ body }) => body?.grant_type === "refresh_token");
  }

  #usual({ method, path }) {
    if (method === "DELETE") return json(204);
    if (path === "/oauth/revoke") return json(200, {});
    if (path.endsWith("/info")) return json(200, { id: USER, username: "ada" });
    if (path === "/oauth/token" || path === "/portal/session") return this.tokens();
    return json(200, []);
  }

  tokens() {
    this.#tokens += 1;
    const [access_token, refresh_token] = [`access-${this.#tokens}`, `refresh-${this.#tokens}`];
    const expires_in = this.lifetime;
    return json(200, { access_token, token_type: "Bearer", expires_in, refresh_token, userId: USER });
  }
}

/** A storage like a page's. */
export class Kept {
  strings = new Map();

  get = (key) => this.strings.get(key) ?? null;
  set = (key, value) => void this.strings.set(key, value);
  remove = (key) => void this.strings.delete(key);
}

/** A client of a new service, with what it is made of. `out` are the reasons of `signedout`. */
export function world(options) {
  const [service, clock, out] = [new Service(), new Clock(), []];
  const more = { fetch: service.fetch, clock, ...options };
  const client = new Client("https://play.example.com", more);
  client.addEventListener("signedout", (event) => out.push(event.detail.reason));
  return { client, service, clock, out };
}

/** The same, logged in. */
export async function loggedInWorld(options) {
  const found = world(options);
  await found.client.logIn({ username: "ada", password: "open sesame" });
  found.service.requests.length = 0;
  return found;
}

/** What a promise rejects with. */
export const failure = (promise) =>
  promise.then(
    () => {
      throw new Error("It did not reject.");
    },
    (error) => error,
  );
