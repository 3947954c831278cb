// Events one after the other, against a service that does as a test says.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError } from "../src/index.js";
import { failure, json, loggedInWorld, lost, oauth, problem, settled, silence } from "./fakes.js";

const PATH = "/api/v1/events";
const event = (number) => ({ number, kind: "CommentPosted", created: 1, actor: null, data: {} });
const page = (next, ...numbers) => json(200, { items: numbers.map(event), next });

/** A reader whose questions have these answers, then none. `numbers` are what a loop was given. */
async function reading(answers, options, more) {
  const found = await loggedInWorld(more);
  const { client, service, clock } = found;
  service.answers[PATH] = [...answers, silence];
  const events = client.events(options);
  const numbers = [];
  const loop = (async () => {
    for await (const { number } of events) numbers.push(number);
  })();
  loop.catch(() => {});
  await clock.advance(0);
  const queries = () => service.of(PATH).map(({ search }) => Object.fromEntries(new URLSearchParams(search)));
  return { ...found, events, numbers, loop, queries };
}

test("from a number on, each comes once and in order, and the next question goes on", async () => {
  const answers = [page(7, 3, 7), page(9, 8, 9)];
  const { numbers, queries, events } = await reading(answers, { after: 2, limit: 2 });
  assert.deepEqual(numbers, [3, 7, 8, 9]);
  assert.deepEqual(
    queries().map(({ after }) => after),
    ["2", "7", "9"],
  );
  assert.deepEqual(queries()[0], { after: "2", limit: "2", wait: "25" });
  assert.equal(events.after, 9);
});

test("without a number it begins with the next event", async () => {
  const { numbers, queries } = await reading([page(5), page(6, 6)]);
  assert.deepEqual(queries()[0], {});
  assert.deepEqual(queries()[1], { after: "5", wait: "25" });
  assert.deepEqual(numbers, [6]);
});

test("where nothing has ever happened, it waits too", async () => {
  const { queries } = await reading([page(0)]);
  assert.deepEqual(queries().slice(1), [{ after: "0", wait: "25" }]);
});

test("kinds go along, and `after` moves on over others", async () => {
  const options = { after: 1, kinds: ["UserBanned", "BanLifted"] };
  const { events, queries } = await reading([page(40)], options);
  assert.equal(queries()[0].kinds, "UserBanned,BanLifted");
  assert.equal(events.after, 40);
});

test("`after` is the number that was given last", async () => {
  const { client, service } = await loggedInWorld();
  service.answers[PATH] = [page(9, 3, 7)];
  const events = client.events({ after: 2 });
  const loop = events[Symbol.asyncIterator]();
  assert.equal(events.after, 2);
  await loop.next();
  assert.equal(events.after, 3);
  await loop.next();
  assert.equal(events.after, 7);
});

test("after a break another loop goes on", async () => {
  const { client, service } = await loggedInWorld();
  service.answers[PATH] = [page(7, 3, 7), page(7, 7), silence];
  const events = client.events({ after: 2 });
  const numbers = [];
  for (let turn = 0; turn < 2; turn += 1) {
    for await (const { number } of events) {
      numbers.push(number);
      break;
    }
  }
  assert.deepEqual(numbers, [3, 7]);
});

test("what comes a second time is not given again", async () => {
  const { numbers } = await reading([page(7, 3, 7), page(8, 3, 7, 8)], { after: 2 });
  assert.deepEqual(numbers, [3, 7, 8]);
});

for (const [name, answer] of Object.entries({
  "a lost connection": lost,
  429: problem(429, "rate_limited"),
  502: problem(502, "x"),
  503: problem(503, "unavailable"),
  504: problem(504, "x"),
})) {
  test(`after ${name} it asks again, after the same number`, async () => {
    const { clock, numbers, queries } = await reading([answer, page(3, 3)], { after: 2 });
    assert.deepEqual(numbers, []);
    await clock.advance(400);
    assert.deepEqual(numbers, [3]);
    assert.deepEqual(
      queries().map(({ after }) => after),
      ["2", "2", "3"],
    );
  });
}

test("it never gives up, and its pauses double up to half a minute", async () => {
  const answers = Array.from({ length: 20 }, () => lost);
  const { clock, numbers, queries } = await reading([...answers, page(3, 3)], { after: 2 });
  for (let count = 0; count < 20; count += 1) {
    const pause = Math.min(250 * 2 ** count, 30_000);
    const [found] = clock.waiting;
    assert.ok(found >= pause / 2 && found <= pause * 1.5, `${found} ms`);
    assert.equal(queries().length, count + 1);
    await clock.advance(found);
  }
  assert.deepEqual(numbers, [3]);
});

test("it waits as long as the service says, however long", async () => {
  const answer = problem(503, "maintenance", { "Retry-After": "7200" });
  const { clock, queries } = await reading([answer], { after: 2 });
  await clock.advance(7_199_000);
  assert.equal(queries().length, 1);
  await clock.advance(1000);
  assert.equal(queries().length, 2);
});

test("a renewal that gets no answer is no end either", async () => {
  const { client, service, clock } = await loggedInWorld();
  service.answers["/oauth/token"] = Array.from({ length: 6 }, () => lost);
  service.answers[PATH] = [page(3, 3)];
  await clock.advance(899_000);
  const given = client.events({ after: 2 })[Symbol.asyncIterator]().next();
  await clock.advance(60_000);
  assert.equal((await given).value.number, 3);
});

for (const [status, code] of [
  [400, "cursor_expired"],
  [403, "forbidden"],
  [404, "not_found"],
]) {
  test(`${code} is thrown at once`, async () => {
    const { loop, queries } = await reading([problem(status, code)], { after: 2 });
    const error = await failure(loop);
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, code);
    assert.equal(queries().length, 1);
  });
}

test("the end of the log-in is thrown", async () => {
  const { client, service, clock } = await loggedInWorld();
  service.answers["/oauth/token"] = [oauth(400, "invalid_grant")];
  await clock.advance(901_000);
  const error = await failure(client.events()[Symbol.asyncIterator]().next());
  assert.equal(error.code, "invalid_grant");
});

test("an answer may come as late as the wait, and the usual time more", async () => {
  const { clock, queries } = await reading([silence], { after: 2 }, { timeout: 5 });
  await clock.advance(29_900);
  assert.equal(queries().length, 1);
  await clock.advance(1000);
  assert.equal(queries().length, 2);
});

test("close ends it at once while it waits", async () => {
  const { events, loop, service, clock } = await reading([page(3, 3)], { after: 2 });
  events.close();
  await loop;
  assert.ok(service.of(PATH)[1].signal.aborted);
  assert.equal(events.after, 3);
  assert.deepEqual(clock.waiting, []);
});

test("close ends it in a pause, and in the loop itself", async () => {
  const { events, loop, clock } = await reading([lost], { after: 2 });
  events.close();
  await loop;
  assert.deepEqual(clock.waiting, []);
  const { client, service } = await loggedInWorld();
  service.answers[PATH] = [page(9, 3, 7)];
  const [numbers, second] = [[], client.events({ after: 2 })];
  for await (const { number } of second) {
    numbers.push(number);
    second.close();
  }
  assert.deepEqual(numbers, [3]);
  assert.equal(second.after, 3);
});

test("a signal ends it with its reason", async () => {
  const stop = new AbortController();
  const { loop } = await reading([], { after: 2, signal: stop.signal });
  stop.abort("The program ends.");
  assert.equal(await failure(loop), "The program ends.");
});

test("a signal that was aborted before asks nothing", async () => {
  const signal = AbortSignal.abort("The program has ended.");
  const { loop, queries } = await reading([], { after: 2, signal });
  assert.equal(await failure(loop), "The program has ended.");
  await settled();
  assert.deepEqual(queries(), []);
});
