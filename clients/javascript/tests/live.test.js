// Live, with sockets, answers and a clock of the tests' own.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Kept, problem, settled, USER } from "./fakes.js";
import { seqs, World } from "./live-world.js";

const of = (told, type) => told.filter(([each]) => each === type).map(([, detail]) => detail);

test("a Live without a WebSocket is refused at once", async () => {
  const client = await new World().client();
  client.WebSocket = undefined;
  assert.throws(() => client.live(), TypeError);
});

for (const resume of [-1, 1.5, "4", {}, { seq: "4" }]) {
  test(`resume is no ${JSON.stringify(resume)}`, async () => {
    const client = await new World().client();
    assert.throws(() => client.live({ resume }), TypeError);
  });
}

test("the token is the first message", async () => {
  const world = new World();
  await world.live({ resume: { seq: 4, id: "an id" } });
  world.socket.onopen();
  const auth = { type: "auth", token: "socket", resume: 4, resumeId: "an id" };
  assert.deepEqual(world.socket.sent, [auth]);
});

test("into a silence a ping is sent, and without an answer there is another connection in 40 s", async () => {
  const world = new World();
  const { told } = await world.live();
  world.socket.hello(0);
  await world.clock.advance(15_000);
  assert.deepEqual(world.socket.sent.at(-1), { type: "ping" });
  const silent = world.socket;
  await world.clock.advance(25_000);
  assert.ok(silent.isClosed);
  assert.notEqual(world.socket, silent);
  assert.equal(of(told, "waiting")[0].attempt, 1);
});

test("an answered ping keeps the connection, before hello too", async () => {
  const world = new World();
  await world.live();
  world.socket.onopen();
  for (let count = 0; count < 10; count += 1) {
    await world.clock.advance(15_000);
    world.socket.say({ type: "pong" });
  }
  assert.equal(world.sockets.length, 1);
});

test("a socket that does not open is given up", async () => {
  const world = new World();
  await world.live();
  await world.clock.advance(12_000);
  assert.equal(world.sockets.length, 2);
});

test("what a socket says after it was given up is nothing", async () => {
  const world = new World();
  const { told } = await world.live();
  const first = world.socket;
  first.hello(0);
  await world.clock.advance(40_000);
  first.notify(1);
  assert.deepEqual(seqs(told), []);
});

test("the pauses double up to 30 s, times 0.5 to 1.5, and begin anew after a hello", async () => {
  const world = new World();
  const { told } = await world.live();
  for (let count = 0; count < 9; count += 1) {
    world.socket.onclose({ code: 1006, reason: "" });
    await settled();
    await world.clock.advance(of(told, "waiting").at(-1).seconds * 1000);
    await settled();
  }
  const waits = of(told, "waiting");
  assert.equal(waits.length, 9);
  for (const { attempt, seconds } of waits) {
    const middle = Math.min(0.5 * 2 ** (attempt - 1), 30);
    assert.ok(seconds >= middle / 2 && seconds <= middle * 1.5, `${attempt}: ${seconds}`);
  }
  world.socket.hello(0);
  world.socket.onclose({ code: 1006, reason: "" });
  await settled();
  assert.equal(of(told, "waiting").at(-1).attempt, 1);
});

test("a pause that the service asks for is doubled as well", async () => {
  const world = new World();
  const { told } = await world.live();
  world.socket.hello(0);
  world.socket.say({ type: "goodbye", reason: "draining", retryAfter: 4 });
  for (let count = 0; count < 4; count += 1) {
    world.socket.onclose({ code: 1013, reason: "" });
    await settled();
    await world.clock.advance(of(told, "waiting").at(-1).seconds * 1000);
    await settled();
  }
  const [first, ...others] = of(told, "waiting").map(({ seconds }) => seconds);
  assert.ok(first >= 4 && first <= 6, `${first}`);
  for (const [index, middle] of [8, 16, 30].entries()) {
    const seconds = others[index];
    assert.ok(seconds >= middle / 2 && seconds <= middle * 1.5, `${seconds}`);
  }
});

test("a number that is missing again is missed, and the rest is given", async () => {
  const world = new World();
  const { told } = await world.live();
  world.socket.hello(0);
  world.socket.notify(1, 3);
  await settled();
  assert.equal(world.sockets.length, 2);
  assert.equal(of(told, "waiting").length, 0);
  world.socket.hello(1);
  world.socket.notify(3);
  assert.deepEqual(of(told, "missed"), [{ code: "trimmed" }]);
  assert.deepEqual(seqs(told), [1, 3]);
});

test("messages of other types are told", async () => {
  const world = new World();
  const { told } = await world.live();
  world.socket.hello(0);
  world.socket.say({ type: "news", of: "tower" });
  world.socket.say({ type: "pong" });
  world.socket.onmessage({ data: "no JSON" });
  world.socket.onmessage({ data: new ArrayBuffer(1) });
  assert.deepEqual(of(told, "message"), [{ type: "news", of: "tower" }]);
});

test("unread counts those above the state's number", async () => {
  const world = new World();
  const { told } = await world.live();
  world.socket.hello(4, 2);
  world.socket.notify(5, 6);
  world.socket.say({ type: "state", seq: 5, unread: 0 });
  world.socket.say({ type: "state", seq: 6, unread: 0 });
  const numbers = of(told, "unread").map(({ unread }) => unread);
  assert.deepEqual(numbers, [2, 3, 4, 1, 0]);
});

test("a state is told although the number of the unread stays", async () => {
  const world = new World();
  const { told } = await world.live();
  world.socket.hello(4, 2);
  world.socket.say({ type: "state", seq: 4, unread: 2 });
  world.socket.say({ type: "state", seq: 4, unread: 2 });
  assert.deepEqual(of(told, "state"), Array(2).fill({ seq: 4, unread: 2 }));
  assert.equal(of(told, "unread").length, 1);
});

test("after a resumed hello unread is read once", async () => {
  const world = new World();
  world.state = { newest: 6, unread: 3 };
  const { told } = await world.live({ resume: { seq: 4, id: "an id" } });
  world.socket.hello(4, 3);
  world.socket.notify(5, 6, 7);
  await settled();
  const numbers = of(told, "unread").map(({ unread }) => unread);
  assert.equal(numbers.at(-1), 4);
});

test("unread follows a log that has gone back", async () => {
  const world = new World();
  const { told } = await world.live();
  world.socket.hello(4, 0);
  world.socket.notify(5);
  world.socket.say({ type: "error", code: "log_changed", detail: "", seq: 2, id: "b" });
  world.socket.say({ type: "state", seq: 2, unread: 1 });
  world.socket.notify(3);
  assert.equal(of(told, "unread").at(-1).unread, 2);
  assert.deepEqual(seqs(told), [5, 3]);
});

test("online connects at once instead of waiting", async () => {
  const world = new World();
  const there = globalThis.addEventListener;
  const heard = new EventTarget();
  globalThis.addEventListener = (...given) => heard.addEventListener(...given);
  try {
    await world.live();
  } finally {
    globalThis.addEventListener = there;
  }
  world.socket.hello(0);
  world.socket.onclose({ code: 1006, reason: "" });
  await settled();
  heard.dispatchEvent(new Event("online"));
  await settled();
  assert.equal(world.sockets.length, 2);
  world.socket.hello(0);
  heard.dispatchEvent(new Event("online"));
  await settled();
  assert.equal(world.sockets.length, 3);
});

test("close ends it with 1000, and nothing comes afterwards", async () => {
  const world = new World();
  const { live, told } = await world.live();
  world.socket.hello(0);
  live.close();
  live.close();
  assert.deepEqual(of(told, "ended"), [{ code: 1000, reason: "" }]);
  await settled();
  assert.ok(world.socket.isClosed);
  world.socket.notify(1);
  await world.clock.advance(60_000);
  assert.equal(world.sockets.length, 1);
  assert.deepEqual(seqs(told), []);
});

test("close while it waits ends the wait", async () => {
  const world = new World();
  const { live, told } = await world.live();
  world.socket.onclose({ code: 1006, reason: "" });
  live.addEventListener("waiting", () => live.close());
  await world.clock.advance(60_000);
  assert.equal(world.sockets.length, 1);
  assert.equal(of(told, "ended").length, 1);
});

test("a ban at session/connect ends it with 4403", async () => {
  const world = new World();
  world.connect = () => problem(403, "account_banned");
  const { told } = await world.live();
  assert.equal(of(told, "ended")[0].code, 4403);
});

test("nobody is logged in: 4401", async () => {
  const world = new World();
  const client = await world.client();
  await client.logOut();
  const ended = new Promise((resolve) => client.live().addEventListener("ended", resolve));
  assert.equal((await ended).detail.code, 4401);
});

test("without resume a Live goes on where the storage is", async () => {
  const storage = new Kept();
  const world = new World(storage);
  const first = await world.live();
  world.socket.hello(4);
  world.socket.notify(5);
  first.live.close();
  await settled();
  const second = await world.live();
  world.socket.onopen();
  assert.equal(world.socket.sent[0].resume, 5);
  second.live.close();
});

test("without a storage a Live goes on where the one before it ended", async () => {
  const world = new World();
  const client = await world.client();
  const first = client.live();
  await settled();
  world.socket.hello(4);
  world.socket.notify(5);
  first.close();
  await settled();
  client.live();
  await settled();
  world.socket.onopen();
  assert.equal(world.socket.sent[0].resume, 5);
});

test("a storage that fails stops nothing", async () => {
  const fail = () => {
    throw new Error("no room");
  };
  const world = new World({ get: fail, set: fail, remove: fail });
  const { told } = await world.live();
  world.socket.hello(0);
  world.socket.notify(1, 2);
  await settled();
  world.socket.onclose({ code: 1006, reason: "" });
  await world.clock.advance(1_000);
  world.socket.hello(2);
  world.socket.notify(2, 3);
  assert.deepEqual(seqs(told), [1, 2, 3]);
});

test("with confirm, what was not seen comes again after a restart, and what was seen does not", async () => {
  const storage = new Kept();
  const world = new World(storage);
  const first = await world.live({ confirm: true });
  world.socket.hello(0);
  world.socket.notify(1, 2, 3, 4);
  for (const seq of [3, 1, 9]) first.live.seen(seq);
  world.socket.onclose({ code: 1006, reason: "" });
  await world.clock.advance(1_000);
  world.socket.onopen();
  assert.equal(world.socket.sent[0].resume, 4);
  world.socket.hello(4);
  world.socket.notify(4, 5);
  assert.deepEqual(seqs(first.told), [1, 2, 3, 4, 5]);
  first.live.close();
  await settled();

  const second = await world.live({ confirm: true });
  world.socket.onopen();
  assert.equal(world.socket.sent[0].resume, 1);
  world.socket.hello(1);
  world.socket.notify(2, 3, 4, 5);
  assert.deepEqual(seqs(second.told), [2, 4, 5]);
});

test("of two Lives with one storage, the one behind does not put it back", async () => {
  const storage = new Kept();
  const world = new World(storage);
  const ahead = await world.live();
  const [socket] = world.sockets;
  socket.hello(0);
  await settled();
  const behind = await world.live();
  world.socket.hello(0);
  socket.notify(1, 2, 3);
  await settled();
  world.socket.notify(1);
  await settled();
  assert.deepEqual(seqs(behind.told), [1]);
  ahead.live.close();
  behind.live.close();
  await settled();
  await world.live();
  world.socket.onopen();
  assert.equal(world.socket.sent[0].resume, 3);
});

test("the storage has each user's own place", async () => {
  const storage = new Kept();
  const world = new World(storage);
  await world.live();
  world.socket.hello(7);
  await settled();
  assert.ok([...storage.strings.keys()].some((key) => key.endsWith(`live ${USER}`)));
});

for (const there of ['{"seq": "7", "over": []}', '{"seq": 7, "over": 4}', "null", "torn {"]) {
  test(`a storage that has ${there} has no place`, async () => {
    const storage = new Kept();
    storage.set(`contentsvc https://play.example.com live ${USER}`, there);
    const world = new World(storage);
    await world.live();
    world.socket.onopen();
    assert.equal("resume" in world.socket.sent[0], false);
    world.socket.hello(7);
    await settled();
    assert.match(storage.get(`contentsvc https://play.example.com live ${USER}`), /"seq":7/);
  });
}

test("an iterator gives each in order, and ends with the Live", async () => {
  const world = new World();
  const { live } = await world.live();
  const given = (async () => {
    const found = [];
    for await (const { seq, notification } of live) found.push([seq, notification.text]);
    return found;
  })();
  world.socket.hello(0);
  world.socket.notify(1, 2);
  await settled();
  world.socket.notify(3);
  world.socket.onclose({ code: 4410, reason: "" });
  assert.deepEqual(await given, [
    [1, "1"],
    [2, "2"],
    [3, "3"],
  ]);
});

test("what an iterator gave is handled when the next is asked for", async () => {
  const world = new World(new Kept());
  const { live } = await world.live();
  const iterator = live[Symbol.asyncIterator]();
  world.socket.hello(0);
  world.socket.notify(1, 2);
  await iterator.next();
  await iterator.next();
  live.close();
  await settled();
  await world.live();
  world.socket.onopen();
  assert.equal(world.socket.sent[0].resume, 1);
});

test("a loop gets what came before it, where nobody listened", async () => {
  const world = new World(new Kept());
  const live = (await world.client()).live();
  await settled();
  world.socket.hello(0);
  world.socket.notify(1, 2);
  await settled();
  const iterator = live[Symbol.asyncIterator]();
  const found = [await iterator.next(), await iterator.next()];
  assert.deepEqual(
    found.map(({ value }) => value.seq),
    [1, 2],
  );
  live.close();
  await settled();
  await world.live();
  world.socket.onopen();
  assert.equal(world.socket.sent[0].resume, 1);
});

for (const [name, more] of [
  ["that comes later", 2],
  ["that never comes", 1001],
]) {
  test(`what came before a listener ${name} is handled`, async () => {
    const world = new World(new Kept());
    const live = (await world.client()).live();
    await settled();
    world.socket.hello(0);
    world.socket.notify(...Array.from({ length: more }, (_, index) => index + 1));
    if (more === 2) live.addEventListener("notification", () => {});
    live.close();
    await settled();
    await world.live();
    world.socket.onopen();
    assert.equal(world.socket.sent[0].resume, more);
  });
}

test("a loop that was left is gone on with by the next", async () => {
  const world = new World();
  const { live } = await world.live();
  const take = async () => {
    for await (const { seq } of live) return seq;
  };
  const first = take();
  world.socket.hello(0);
  world.socket.notify(1, 2);
  assert.equal(await first, 1);
  assert.equal(await take(), 2);
});

test("a listener that throws does not stop the others", async () => {
  const world = new World();
  const { live, told } = await world.live();
  const heard = [];
  process.setUncaughtExceptionCaptureCallback((error) => heard.push(error.message));
  const fail = () => {
    throw new Error("the program's own");
  };
  live.addEventListener("notification", fail, { once: true });
  world.socket.hello(0);
  world.socket.notify(1, 2);
  await settled();
  process.setUncaughtExceptionCaptureCallback(null);
  assert.deepEqual(heard, ["the program's own"]);
  assert.deepEqual(seqs(told), [1, 2]);
});
