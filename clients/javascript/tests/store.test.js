// Files that lie in an S3 store, which answers for itself.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";

import { NetworkError } from "../src/index.js";
import { failure } from "./fakes.js";
import { SERVICE, loggedIn, publication } from "./support.js";

const isStore = (url) => !String(url).startsWith(SERVICE);

/** A fetch that leaves the first request to the store with this method to `act`. */
function failing(method, act) {
  const asked = [];
  const send = (url, request = {}) => {
    if (!isStore(url) || (request.method ?? "GET") !== method) return fetch(url, request);
    asked.push(request);
    return asked.length === 1 ? act(url, request) : fetch(url, request);
  };
  return { asked, fetch: send };
}

/** An answer of which a part comes before the connection is lost. */
async function cut(url, request) {
  const response = await fetch(url, request);
  const data = new Uint8Array(await response.arrayBuffer());
  let at = 0;
  const pull = (controller) => {
    if (at) controller.error(new TypeError("lost"));
    else controller.enqueue(data.subarray(0, (at = 1000)));
  };
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), response);
}

test("the store takes what is published, and gives it again, resumed", async () => {
  const author = await loggedIn();
  const given = publication();
  await author.publish(given);
  const { asked, ...options } = failing("GET", cut);
  const client = await loggedIn(options);
  for await (const { data } of client.download(given.contentId)) {
    assert.ok(given.entity.equals(Buffer.from(await data.arrayBuffer())));
  }
  assert.deepEqual(
    asked.map(({ headers }) => headers.Range),
    [undefined, "bytes=1000-"],
  );
});

test("a URL that the store refuses is read anew", async () => {
  const old = (url, request) => fetch(url.replace(/(Signature=.)/i, "$1f"), request);
  const { asked, ...options } = failing("PUT", old);
  const client = await loggedIn(options);
  await client.upload([{ use: "entity", data: randomBytes(3_000_000) }]);
  assert.equal(asked.length, 2);
});

test("a store that is lost ends an upload", async () => {
  const options = { retries: 1, fetch: null };
  options.fetch = (url, request) =>
    isStore(url) ? Promise.reject(new TypeError("fetch failed")) : fetch(url, request);
  const client = await loggedIn(options);
  const error = await failure(client.upload([{ use: "entity", data: randomBytes(10) }]));
  assert.ok(error instanceof NetworkError, error);
});
