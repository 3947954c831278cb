// What is sent, what is sent again, and what errors say, against a service that does as a test says.
import assert from "node:assert/strict";
import { test } from "node:test";

import { system } from "../src/clock.js";
import { ApiError, NetworkError } from "../src/index.js";
import { USER, failure, json, loggedInWorld, lost, problem, silence, world } from "./fakes.js";

const STORAGE = "/api/v1/storage";
const CONTENT = "0e1f7a52-6b9c-4d3e-8a41-5c2d9b7f6e10";
const RATING = `/api/v1/user/${USER}/rating/${CONTENT}`;
const CREATED = { status: 201, headers: { Location: "/api/v1/x" } };
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** How often a call is sent whose first answer this is, and what came of it. */
async function sent(answer, work, path = STORAGE, options = {}) {
  const { client, service, clock } = await loggedInWorld(options);
  service.answers[path] = [answer];
  const outcome = work(client).catch((error) => error);
  await clock.advance(60_000);
  return { count: service.of(path).length, outcome: await outcome };
}

test("path, query and body go where the document says", async () => {
  const { client, service } = await loggedInWorld();
  const ids = [CONTENT, USER];
  await client.listContent({ ids, featured: true, q: "a&b", sort: undefined, after: null });
  const query = new URLSearchParams(service.requests[0].search);
  assert.deepEqual(
    [...query],
    [
      ["ids", ids.join(",")],
      ["featured", "true"],
      ["q", "a&b"],
    ],
  );
  await client.putRating({ contentId: CONTENT, body: { value: "1" } });
  const { method, path, body, headers } = service.requests[1];
  assert.deepEqual([method, path, body], ["PUT", RATING, { value: "1" }]);
  assert.equal(headers["content-type"], "application/json");
});

test("what replaces says how it was when it was read", async () => {
  const { client, service } = await loggedInWorld();
  const path = `/api/v1/content/${CONTENT}`;
  service.answers[path] = [() => json(200, {}, { ETag: 'W/"1"' }), () => json(204)];
  const seen = {};
  await client.getContent({ contentId: CONTENT }, { seen });
  await client.putContent({ contentId: CONTENT, body: {} }, { seen });
  assert.deepEqual(
    service.requests.map(({ headers }) => headers["if-match"]),
    [undefined, 'W/"1"'],
  );
});

test("what replaces with a `seen` that has seen nothing is not sent", async () => {
  const { client, service } = await loggedInWorld();
  const error = await failure(client.putContent({ contentId: CONTENT, body: {} }, { seen: {} }));
  assert.ok(error instanceof TypeError);
  assert.equal(service.requests.length, 0);
});

test("a segment of a path is encoded", async () => {
  const { client, service } = await loggedInWorld();
  await client.getProgress({ key: "a/b?c#d%" });
  assert.equal(service.requests[0].path, `/api/v1/user/${USER}/progress/a%2Fb%3Fc%23d%25`);
});

test("a key in the query may be anything", async () => {
  const { client, service } = await loggedInWorld();
  await client.putProgressByKey({ key: "a/b", body: { value: {}, version: 0 } });
  await client.deleteProgressByKey({ key: "../b", version: 1 });
  await client.listProgress({ key: "a/b" });
  const asked = service.requests.map(({ method, path, search }) => [method, path, search]);
  const path = `/api/v1/user/${USER}/progress`;
  assert.deepEqual(asked, [
    ["PUT", path, "?key=a%2Fb"],
    ["DELETE", path, "?key=..%2Fb&version=1"],
    ["GET", path, "?key=a%2Fb"],
  ]);
  assert.ok(service.requests[0].body.writeId);
});

for (const key of ["..", ".", "", undefined, "../sessions", "a/../b", "a/..", "a\\..\\b"]) {
  test(`a segment of a path cannot be ${JSON.stringify(key)}`, async () => {
    const { client, service } = await loggedInWorld();
    assert.ok((await failure(client.deleteProgress({ key }))) instanceof TypeError);
    assert.equal(service.requests.length, 0);
  });
}

for (const [kind, given] of [
  ["an object", (headers) => headers],
  ["pairs", Object.entries],
  ["Headers", (headers) => new Headers(headers)],
]) {
  test(`further headers are sent, which are ${kind}`, async () => {
    const { client, service } = await loggedInWorld();
    const headers = given({ "If-None-Match": '"1"', "content-type": "text/plain" });
    await client.putRating({ contentId: CONTENT, body: { value: "1" } }, { headers });
    assert.deepEqual(Object.fromEntries(new Headers(service.requests[0].headers)), {
      authorization: "Bearer access-1",
      "content-type": "application/json",
      "if-none-match": '"1"',
    });
  });
}

test("headers that cannot be are a TypeError, and nothing is sent", async () => {
  const { client, service } = await loggedInWorld();
  const error = await failure(client.getStorage({}, { headers: { "a b": "c" } }));
  assert.ok(error instanceof TypeError);
  assert.equal(service.requests.length, 0);
});

test("a base below a path is kept", async () => {
  const { service, client } = world();
  client.base = "https://play.example.com/games/first";
  await client.getStorage();
  assert.equal(service.requests[0].path, `/games/first${STORAGE}`);
});

for (const status of [502, 503, 504]) {
  test(`what is repeatable is sent again after ${status}`, async () => {
    assert.equal((await sent(problem(status, "x"), (client) => client.getStorage())).count, 2);
  });

  test(`what is not repeatable is not sent again after ${status}`, async () => {
    const path = "/api/v1/user";
    const register = (client) => client.registerUser({ body: {} });
    assert.equal((await sent(problem(status, "x"), register, path)).count, 1);
  });
}

for (const status of [400, 404, 409, 500]) {
  test(`nothing is sent again after ${status}`, async () => {
    assert.equal((await sent(problem(status, "x"), (client) => client.getStorage())).count, 1);
  });
}

test("everything is sent again after 429", async () => {
  const register = (client) => client.registerUser({ body: {} });
  assert.equal((await sent(problem(429, "x"), register, "/api/v1/user")).count, 2);
});

test("a PUT that must not be repeated is not", async () => {
  const path = `/api/v1/user/${USER}/password`;
  const change = (client) => client.changePassword({ body: {} });
  assert.equal((await sent(lost, change, path)).count, 1);
});

test("what is repeatable is sent again after a lost connection", async () => {
  assert.equal((await sent(lost, (client) => client.getStorage())).count, 2);
});

test("an answer that is cut off is lost", async () => {
  const cut = () => {
    const pieces = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("[{"));
        controller.error(new TypeError("terminated"));
      },
    });
    return new Response(pieces);
  };
  const { count, outcome } = await sent(cut, (client) => client.getStorage());
  assert.equal(count, 2);
  assert.deepEqual(outcome, []);
});

test("it is sent again at most `retries` times, after pauses that double", async () => {
  const { client, service, clock } = await loggedInWorld();
  service.answers[STORAGE] = Array.from({ length: 9 }, () => lost);
  const call = failure(client.getStorage());
  for (const first of [250, 500, 1000]) {
    await clock.advance(0);
    const [pause] = clock.waiting;
    assert.ok(pause >= first / 2 && pause <= first * 1.5, `${pause} ms`);
    await clock.advance(pause);
  }
  assert.ok((await call) instanceof NetworkError);
  assert.equal(service.of(STORAGE).length, 4);
  service.requests.length = 0;
  await failure(client.getStorage({}, { retries: 0 }));
  assert.equal(service.requests.length, 1);
});

test("it is not sent again before Retry-After", async () => {
  const { client, service, clock } = await loggedInWorld();
  service.answers[STORAGE] = [problem(503, "unavailable", { "Retry-After": "30" })];
  const call = client.getStorage();
  await clock.advance(29_999);
  assert.equal(service.requests.length, 1);
  await clock.advance(1);
  assert.equal(service.requests.length, 2);
  await call;
});

test("a Retry-After over 30 s is thrown at once", async () => {
  const { client, service } = await loggedInWorld();
  service.answers[STORAGE] = [problem(429, "rate_limited", { "Retry-After": "31" })];
  const error = await failure(client.getStorage());
  assert.equal(error.retryAfter, 31);
});

test("a Retry-After can be a date", async () => {
  const { client, service } = await loggedInWorld();
  const date = new Date(Date.now() + 100_000).toUTCString();
  service.answers[STORAGE] = [problem(503, "unavailable", { "Retry-After": date })];
  const { retryAfter } = await failure(client.getStorage());
  assert.ok(retryAfter > 90 && retryAfter <= 100, `${retryAfter} s`);
});

test("a date of Retry-After is one of the service's clock", async () => {
  const { client, service } = await loggedInWorld();
  const [now, date] = [10_000_000_000_000, 10_000_000_040_000].map((ms) => new Date(ms).toUTCString());
  service.answers[STORAGE] = [problem(503, "unavailable", { "Retry-After": date, Date: now })];
  assert.equal((await failure(client.getStorage())).retryAfter, 40);
});

test("a timer is never too early, and one that the platform cannot wait for is no early one", (t) => {
  const set = t.mock.method(globalThis, "setTimeout", () => {});
  system.setTimeout(() => {}, 1000);
  system.setTimeout(() => {}, 9e12);
  system.setTimeout(() => {}, Infinity);
  const waits = set.mock.calls.map(({ arguments: [, ms] }) => ms);
  assert.deepEqual(waits, [1001, 2 ** 31 - 1, 2 ** 31 - 1]);
});

test("a GUID that makes a call repeatable is made, and stays when it is sent again", async () => {
  const { client, service, clock } = await loggedInWorld();
  const path = `/api/v1/user/${USER}/friend/${CONTENT}/messages`;
  service.answers[path] = [lost, new Response(null, CREATED)];
  const call = client.sendMessage({ otherId: CONTENT, body: { text: "hello" } });
  await clock.advance(1000);
  assert.deepEqual(await call, { location: "/api/v1/x" });
  const [first, second] = service.of(path).map(({ body }) => body);
  assert.match(first.id, GUID);
  assert.deepEqual(first, second);
});

test("a GUID is made for what the studio tells its players", async () => {
  const { client, service, clock } = await loggedInWorld();
  const path = "/api/v1/notifications";
  service.answers[path] = [lost, new Response(null, CREATED)];
  const call = client.sendStudioNotification({ body: { to: [USER], topic: "t", data: {} } });
  await clock.advance(1000);
  await call;
  const [first, second] = service.of(path).map(({ body }) => body);
  assert.match(first.id, GUID);
  assert.deepEqual(first, second);
});

test("a GUID of the program's own is kept", async () => {
  const { client, service } = await loggedInWorld();
  await client.putProgress({ key: "k", body: { value: {}, version: 0, writeId: CONTENT } });
  assert.equal(service.requests[0].body.writeId, CONTENT);
});

test("a body that a program gave is not changed", async () => {
  const { client } = await loggedInWorld();
  const parameters = Object.freeze({ key: "k", body: Object.freeze({ value: {}, version: 0 }) });
  await client.putProgress(parameters);
});

test("an answer that does not come within `timeout` is a NetworkError", async () => {
  const { client, service, clock } = await loggedInWorld({ timeout: 2 });
  service.answers[STORAGE] = [silence];
  const call = failure(client.getStorage({}, { retries: 0 }));
  await clock.advance(2000);
  const error = await call;
  assert.ok(error instanceof NetworkError);
  assert.equal(error.cause.message, "No answer came within 2 s.");
  assert.deepEqual(clock.waiting, []);
});

test("an aborted signal is the reason of all that wait for it", async () => {
  const { client, service } = await loggedInWorld();
  const reason = new Error("another page");
  service.answers[STORAGE] = [silence, problem(503, "x", { "Retry-After": "9" })];
  for (let count = 0; count < 2; count += 1) {
    const controller = new AbortController();
    const call = failure(client.getStorage({}, { signal: controller.signal }));
    await new Promise(setImmediate);
    controller.abort(reason);
    assert.equal(await call, reason);
  }
});

test("a signal that was aborted before lets nothing be sent", async () => {
  const { client, service } = await loggedInWorld();
  const call = client.getStorage({}, { signal: AbortSignal.abort("too late") });
  assert.equal(await failure(call), "too late");
  assert.equal(service.requests.length, 0);
});

test("a call that is aborted does not stop the renewal that others wait for", async () => {
  const { client, service, clock } = await loggedInWorld();
  await clock.advance(20 * 60_000);
  let answer;
  service.answers["/oauth/token"] = [() => new Promise((resolve) => (answer = resolve))];
  const controller = new AbortController();
  const aborted = failure(client.getStorage({}, { signal: controller.signal }));
  const other = client.getStorage();
  await new Promise(setImmediate);
  controller.abort("enough");
  assert.equal(await aborted, "enough");
  answer(service.tokens());
  await other;
  assert.equal(service.renewals.length, 1);
});

test("a proxy's page is an ApiError without a code", async () => {
  const page = new Response("<h1>Bad Gateway</h1>", {
    status: 500,
    headers: { "X-Request-Id": "r-7" },
  });
  const { outcome } = await sent(page, (client) => client.getStorage());
  assert.ok(outcome instanceof ApiError);
  const { status, code, title, detail, requestId, errors, retryAfter, problem: body } = outcome;
  assert.deepEqual(
    { status, code, title, detail, requestId, errors, retryAfter, body },
    {
      status: 500,
      code: null,
      title: null,
      detail: "The answer has the status 500.",
      requestId: "r-7",
      errors: [],
      retryAfter: null,
      body: null,
    },
  );
});

test("a success that is no JSON is a NetworkError, as from a network that wants a log-in", async () => {
  const { client, service } = await loggedInWorld();
  service.answers[STORAGE] = [new Response("<h1>Welcome to our network</h1>")];
  const error = await failure(client.getStorage({}, { retries: 0 }));
  assert.ok(error instanceof NetworkError);
  assert.ok(error.cause instanceof SyntaxError);
});

test("the parts of a list have the parameters of the next", async () => {
  const { client, service } = await loggedInWorld();
  const Link = '</api/v1/content?limit=2&q=a+b&after=abc>; rel="next"';
  service.answers["/api/v1/content"] = [json(200, [1, 2], { Link }), json(200, [3])];
  const first = await client.part("listContent", { limit: 2, q: "a b" });
  assert.deepEqual(first, { items: [1, 2], next: { limit: 2, q: "a b", after: "abc" } });
  assert.deepEqual(await client.part("listContent", first.next), { items: [3], next: null });
});

test("a list that counts pages is read by pages", async () => {
  const { client, service } = await loggedInWorld();
  const path = `/api/v1/content/${CONTENT}/comments`;
  const page = (number, items) => json(200, { page: number, pageSize: 2, total: 3, items });
  service.answers[path] = [page(0, ["a", "b"]), page(1, ["c"])];
  const found = [];
  for await (const item of client.each("listComments", { contentId: CONTENT })) found.push(item);
  assert.deepEqual(found, ["a", "b", "c"]);
  assert.deepEqual(
    service.of(path).map(({ search }) => search),
    ["", "?page=1"],
  );
});

test("events so far are a list too, by their numbers", async () => {
  const { client, service } = await loggedInWorld();
  const page = (next, ...numbers) => json(200, { items: numbers, next });
  service.answers["/api/v1/events"] = [page(4, 3, 4), page(5, 5), page(5)];
  const found = [];
  for await (const number of client.each("listEvents", { after: 2 })) found.push(number);
  assert.deepEqual(found, [3, 4, 5]);
  const asked = service.of("/api/v1/events").map(({ search }) => search);
  assert.deepEqual(asked, ["?after=2", "?after=4", "?after=5"]);
});

test("a list that shrinks meanwhile ends", async () => {
  const { client, service } = await loggedInWorld();
  const path = `/api/v1/content/${CONTENT}/comments`;
  service.answers[path] = [json(200, { page: 5, pageSize: 2, total: 99, items: [] })];
  const { next } = await client.part("listComments", { contentId: CONTENT });
  assert.equal(next, null);
});

test("what is no list is refused", async () => {
  const { client, service } = await loggedInWorld();
  service.answers[STORAGE] = [json(200, { mediaUrl: null })];
  assert.ok((await failure(client.part("getStorage"))) instanceof TypeError);
});

test("an operation that does not exist is refused", async () => {
  const { client } = await loggedInWorld();
  assert.ok((await failure(client.part("getNothing"))) instanceof TypeError);
});

test("GUIDs and log-ins need no safe origin", async (context) => {
  const { randomUUID, subtle } = Object.getOwnPropertyDescriptors(Crypto.prototype);
  context.after(() => Object.defineProperties(Crypto.prototype, { randomUUID, subtle }));
  delete Crypto.prototype.randomUUID;
  delete Crypto.prototype.subtle;
  const { client, service } = await loggedInWorld();
  await client.putProgress({ key: "k", body: { value: {}, version: 0 } });
  assert.match(service.requests[0].body.writeId, GUID);
});
