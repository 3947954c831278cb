// What a device is to fetch and to remove, against a service and a Live of the tests' own.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError } from "../src/index.js";
import { Kept, USER, failure, json, loggedInWorld, lost, problem, settled } from "./fakes.js";

const PATH = `/api/v1/user/${USER}/subscriptions/state`;
const active = (revision) => ({ revision, state: "active" });
const unavailable = { revision: null, state: "unavailable" };
const gone = { revision: null, state: "gone" };

/** A Live of which the test says what it tells. */
class Told extends EventTarget {
  over = false;
  tell(type, detail = {}) {
    this.over ||= type === "ended";
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** A device whose user keeps `map`, which the test changes. */
class Device {
  map = {};
  storage = new Kept();

  static async of(map) {
    const device = new Device();
    device.map = map;
    await device.start();
    return device;
  }

  /** A new process with the storage of the one before. */
  async start() {
    const { storage } = this;
    Object.assign(this, await loggedInWorld({ storage, retries: 0 }));
    this.answers = this.service.answers[PATH] = [];
    const usual = ({ headers }) => {
      const etag = `W/"${JSON.stringify(this.map)}"`;
      return headers["if-none-match"] === etag
        ? json(304, undefined, { ETag: etag })
        : json(200, this.map, { ETag: etag });
    };
    this.answers.shift = () => Array.prototype.shift.call(this.answers) ?? usual;
  }

  /** What a loop is given that handles all. */
  async all(options) {
    const found = [];
    for await (const change of this.client.library(options)) found.push(said(change));
    return found;
  }

  /** What is given first, in a loop that ends before it is handled. */
  async first(options) {
    for await (const change of this.client.library(options)) return said(change);
    return null;
  }

  get asked() {
    return this.service.of(PATH);
  }
}

const said = ({ kind, content, revision }) => `${kind} ${content} ${revision}`;

test("what is new is fetched, what has gone is removed, and what is there is not given again", async () => {
  const device = await Device.of({ a: active("1"), b: active("1") });
  assert.deepEqual(await device.all(), ["fetch a 1", "fetch b 1"]);
  device.map = { b: active("2"), c: active("1") };
  assert.deepEqual(await device.all(), ["remove a 1", "fetch b 2", "fetch c 1"]);
  assert.deepEqual(await device.all(), []);
});

test("it is remembered from one process to the next, with the ETag", async () => {
  const device = await Device.of({ a: active("1") });
  await device.all();
  await device.start();
  assert.deepEqual(await device.all(), []);
  assert.equal(device.asked.length, 1);
  assert.ok(device.asked[0].headers["if-none-match"]);
});

test("what the device has goes along", async () => {
  const device = await Device.of({});
  await device.all({ game: "1.4.2", platform: "win64", features: ["vr", "mods"] });
  await device.all({ features: [] });
  const [first, second] = device.asked.map(({ search }) => new URLSearchParams(search));
  assert.deepEqual(Object.fromEntries(first), {
    game: "1.4.2",
    platform: "win64",
    features: "vr,mods",
  });
  assert.deepEqual(Object.fromEntries(second), { features: "" });
});

test("what is unavailable, or has no revision that fits, stays; what is gone goes", async () => {
  const device = await Device.of({ a: active("1"), b: active("1"), c: active("1") });
  await device.all();
  device.map = { a: unavailable, b: gone, c: active(null), d: unavailable, e: gone };
  assert.deepEqual(await device.all(), ["remove b 1"]);
  device.map = { a: active("1"), c: active("2") };
  assert.deepEqual(await device.all(), ["fetch c 2"]);
});

test("what was given and not handled is given again", async () => {
  const device = await Device.of({ a: active("1") });
  assert.equal(await device.first(), "fetch a 1");
  await device.start();
  assert.equal(await device.first(), "fetch a 1");
  assert.deepEqual(await device.all(), ["fetch a 1"]);
});

test("who died in the middle gets again what was there before, and what has gone is removed", async () => {
  const device = await Device.of({ a: active("1") });
  await device.all();
  device.map = { a: active("2"), b: active("1") };
  assert.equal(await device.first(), "fetch a 2");
  device.map = { a: active("1") };
  await device.start();
  assert.equal(await device.first(), "fetch a 1");
  device.map = {};
  await device.start();
  assert.equal(await device.first(), "remove a null");
  device.map = { a: active("1") };
  await device.start();
  assert.deepEqual(await device.all(), ["fetch a 1"]);
});

test("an ETag is kept only for a map of which all was handled", async () => {
  const device = await Device.of({ a: active("1"), b: active("1") });
  for await (const { content } of device.client.library()) if (content === "b") break;
  await device.start();
  assert.deepEqual(await device.all(), ["fetch b 1"]);
  assert.equal(device.asked[0].headers["if-none-match"], undefined);
});

test("after a restore of the service the device follows it back", async () => {
  const device = await Device.of({ a: active("2"), b: active("1") });
  await device.all();
  device.map = { a: active("1"), c: active("1") };
  assert.deepEqual(await device.all(), ["remove b 1", "fetch a 1", "fetch c 1"]);
});

test("without a map nothing is given: an error is thrown, and nothing is forgotten", async () => {
  const device = await Device.of({ a: active("1") });
  await device.all();
  device.answers.push(problem(500, "internal"), lost, new Response("<html>", { status: 200 }));
  assert.ok((await failure(device.all())) instanceof ApiError);
  assert.equal((await failure(device.all())).name, "NetworkError");
  assert.equal((await failure(device.all())).name, "NetworkError");
  assert.deepEqual(await device.all(), []);
});

test("who is not logged in gets an error", async () => {
  const device = await Device.of({});
  await device.client.logOut();
  assert.ok((await failure(device.all())) instanceof TypeError);
});

test("each user has a library of their own", async () => {
  const device = await Device.of({ a: active("1") });
  await device.all();
  assert.ok([...device.storage.strings.keys()].some((key) => key.endsWith(`library ${USER}`)));
});

test("a storage with something else in it is one without anything", async () => {
  const device = await Device.of({ a: active("1") });
  await device.all();
  const key = [...device.storage.strings.keys()].find((each) => each.includes(" library "));
  device.storage.set(key, "{torn");
  assert.deepEqual(await device.all(), ["fetch a 1"]);
});

test("with `confirm`, several at once are handled when `done` says so", async () => {
  const device = await Device.of({ a: active("1"), b: active("1"), c: active("1") });
  const library = device.client.library({ confirm: true });
  const changes = [];
  for await (const change of library) changes.push(change);
  assert.deepEqual(changes.map(said), ["fetch a 1", "fetch b 1", "fetch c 1"]);
  await Promise.all([library.done(changes[2]), library.done(changes[0])]);
  await device.start();
  assert.deepEqual(await device.all(), ["fetch b 1"]);
});

test("with `confirm`, what was given before it changed again counts no more", async () => {
  const device = await Device.of({ a: active("1") });
  const live = new Told();
  const library = device.client.library({ confirm: true, live });
  const changes = library[Symbol.asyncIterator]();
  const { value: first } = await changes.next();
  device.map = { a: active("2") };
  live.tell("message", { type: "library" });
  const { value: second } = await changes.next();
  await library.done(first);
  await changes.return();
  await device.start();
  assert.deepEqual([said(first), said(second)], ["fetch a 1", "fetch a 2"]);
  assert.deepEqual(await device.all(), ["fetch a 2"]);
});

test("what is forgotten is given again", async () => {
  const device = await Device.of({ a: active("1"), b: active("1") });
  await device.all();
  await device.client.library().forget("b");
  assert.deepEqual(await device.all(), ["fetch b 1"]);
});

test("two of one storage overwrite nothing of each other", async () => {
  const device = await Device.of({ a: active("1") });
  const other = device.client.library()[Symbol.asyncIterator]();
  assert.equal(said((await other.next()).value), "fetch a 1");
  device.map = { a: active("1"), b: active("1") };
  assert.deepEqual(await device.all(), ["fetch a 1", "fetch b 1"]);
  await other.next();
  device.map = {};
  assert.deepEqual(await device.all(), ["remove a 1", "remove b 1"]);
});

test("with a Live it goes on: with each hello and each message `library`", async () => {
  const device = await Device.of({});
  const live = new Told();
  const found = [];
  const loop = (async () => {
    for await (const change of device.client.library({ live })) found.push(said(change));
  })();
  await settled();
  device.map = { a: active("1") };
  live.tell("message", { type: "announcements", within: 5 });
  await settled();
  assert.deepEqual(found, []);
  live.tell("message", { type: "library" });
  await settled();
  assert.deepEqual(found, ["fetch a 1"]);
  device.map = {};
  live.tell("open", { seq: 1 });
  await settled();
  assert.deepEqual(found, ["fetch a 1", "remove a 1"]);
  live.tell("ended", { code: 1000 });
  await loop;
});

test("what has changed while one was handled is looked at before the next is given", async () => {
  const device = await Device.of({ a: active("1"), b: active("1") });
  const live = new Told();
  const changes = device.client.library({ live })[Symbol.asyncIterator]();
  assert.equal(said((await changes.next()).value), "fetch a 1");
  device.map = { a: active("1"), c: active("1") };
  live.tell("message", { type: "library" });
  assert.equal(said((await changes.next()).value), "fetch c 1");
  await changes.return();
});

test("with a Live that has ended already, one look is all", async () => {
  const device = await Device.of({ a: active("1") });
  const live = new Told();
  live.tell("ended");
  assert.deepEqual(await device.all({ live }), ["fetch a 1"]);
});

test("with a Live a service that cannot be reached is asked again until it answers", async () => {
  const device = await Device.of({ a: active("1") });
  device.answers.push(lost, problem(503, "unavailable", { "Retry-After": "60" }), lost);
  const live = new Told();
  const changes = device.client.library({ live })[Symbol.asyncIterator]();
  const first = changes.next();
  await device.clock.advance(120_000);
  assert.equal(said((await first).value), "fetch a 1");
  await changes.return();
});

test("a Live that ends ends the waiting for the service too", async () => {
  const device = await Device.of({});
  device.answers.push(problem(503, "unavailable", { "Retry-After": "600" }));
  const live = new Told();
  const all = device.all({ live });
  await settled();
  live.tell("ended", { code: 1000 });
  assert.deepEqual(await all, []);
});

test("a signal ends it while it waits, with its reason", async () => {
  const device = await Device.of({});
  const stop = new AbortController();
  const waiting = failure(device.all({ live: new Told(), signal: stop.signal }));
  await settled();
  stop.abort("enough");
  assert.equal(await waiting, "enough");
});
