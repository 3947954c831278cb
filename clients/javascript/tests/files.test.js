// Uploads and downloads, against the daemon.
import assert from "node:assert/strict";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, open, rm } from "node:fs/promises";
import { openAsBlob } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { ApiError, DigestError, NetworkError } from "../src/index.js";
import { failure } from "./fakes.js";
import { proxy } from "./proxy.js";
import { PICTURE, loggedIn, published } from "./support.js";

const SIZE = 3_000_000;

const isPut = ({ method }) => method === "PUT";
const isFile = ({ method, url }) => method === "GET" && url.startsWith("/files/");

/** Say `faults` of the first requests of this kind, one each. */
function first(is, ...faults) {
  const seen = [];
  const act = (request) => {
    if (!is(request)) return undefined;
    seen.push(request);
    return faults.shift();
  };
  return Object.assign(act, { seen });
}

async function all(items) {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
}

const bytesOf = async (blob) => Buffer.from(await blob.arrayBuffer());

test("upload gives the paths in order", async () => {
  const client = await loggedIn();
  const data = randomBytes(SIZE);
  const files = [
    { use: "entity", data: new Blob([data]) },
    { use: "screenshot", data: PICTURE, mediaType: "image/png" },
    { use: "package", data: new Uint8Array(data.subarray(0, 10)) },
  ];
  const paths = await client.upload(files);
  const digest = createHash("sha256").update(data).digest("hex");
  assert.equal(paths[0], `${digest.slice(0, 2)}/${digest}`);
  assert.match(paths[1], /\.png$/);
  assert.deepEqual(await client.upload(files), paths);
});

test("progress of an upload ends with all bytes of each file", async () => {
  const client = await loggedIn();
  const steps = [];
  const files = [{ use: "entity", data: randomBytes(SIZE) }];
  await client.upload(files, { onProgress: (step) => steps.push(step) });
  assert.deepEqual(steps.at(0), { file: 0, done: 0, total: SIZE });
  assert.deepEqual(steps.at(-1), { file: 0, done: SIZE, total: SIZE });
  assert.ok(steps.length > 5);
  await client.upload(files, { onProgress: (step) => assert.equal(step.done, SIZE) });
});

test("a file that is given twice is sent once", async (t) => {
  const act = first(isPut);
  const client = await loggedIn({}, await proxy(t, act));
  const data = randomBytes(1000);
  const paths = await client.upload([
    { use: "entity", data },
    { use: "entity", data },
  ]);
  assert.equal(paths[0], paths[1]);
  assert.equal(act.seen.length, 1);
});

test("an upload whose connection is cut is sent again", async (t) => {
  const act = first(isPut, { take: 1_000_000 }, { take: 10 });
  const client = await loggedIn({}, await proxy(t, act));
  await client.upload([{ use: "entity", data: randomBytes(SIZE) }]);
  assert.equal(act.seen.length, 3);
});

test("losses in a row end an upload", async (t) => {
  const act = (request) => (isPut(request) ? { take: 10 } : undefined);
  const client = await loggedIn({ retries: 2 }, await proxy(t, act));
  const error = await failure(client.upload([{ use: "entity", data: randomBytes(SIZE) }]));
  assert.ok(error instanceof NetworkError, error);
});

test("URLs that are refused are read anew", async (t) => {
  const act = first(isPut, { status: 403 });
  const client = await loggedIn({}, await proxy(t, act));
  await client.upload([{ use: "entity", data: randomBytes(SIZE) }]);
  assert.equal(act.seen.length, 2);
});

test("a refusal of new URLs too is thrown", async (t) => {
  const act = (request) => (isPut(request) ? { status: 403 } : undefined);
  const client = await loggedIn({}, await proxy(t, act));
  const error = await failure(client.upload([{ use: "entity", data: randomBytes(10) }]));
  assert.ok(error instanceof ApiError, error);
  assert.equal(error.status, 403);
});

test("a URL that is not signed so is read anew, whatever has been sent", async () => {
  let broken = 0;
  const spoilt = (url, request) => {
    if (request?.method !== "PUT" || broken) return fetch(url, request);
    broken += 1;
    return fetch(
      url.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
      request,
    );
  };
  const client = await loggedIn({ fetch: spoilt });
  await client.upload([{ use: "entity", data: randomBytes(8 * SIZE) }]);
  assert.equal(broken, 1);
});

test("a file over the limit is refused before a byte is read", async () => {
  const client = await loggedIn();
  const { limits } = await client.getStorage();
  class Huge extends Blob {
    get size() {
      return limits.fileBytes + 1;
    }
    slice() {
      throw new Error("read");
    }
  }
  const error = await failure(client.upload([{ use: "entity", data: new Huge(["x"]) }]));
  assert.ok(error instanceof ApiError, error);
  assert.deepEqual([error.status, error.code], [422, "file_too_large"]);
  assert.equal(error.errors[0].pointer, "/files/0/size");
});

test("what is neither a Blob nor bytes is a TypeError", async () => {
  const client = await loggedIn();
  const error = await failure(client.upload([{ use: "entity", data: "text" }]));
  assert.ok(error instanceof TypeError, error);
});

test("an upload ends with the signal's reason", async (t) => {
  const stop = new AbortController();
  const reason = new Error("enough");
  const client = await loggedIn();
  const onProgress = ({ done }) => done && stop.abort(reason);
  const files = [{ use: "entity", data: randomBytes(SIZE) }];
  assert.equal(await failure(client.upload(files, { onProgress, signal: stop.signal })), reason);
  const aborted = AbortSignal.abort(reason);
  assert.equal(await failure(client.upload(files, { signal: aborted })), reason);
});

test("a file that changes while it is sent ends the upload with the platform's error", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "contentsvc-"));
  t.after(() => rm(folder, { recursive: true }));
  const name = join(folder, "file");
  const file = await open(name, "w");
  t.after(() => file.close());
  await file.write(randomBytes(SIZE));
  const data = await openAsBlob(name);
  const client = await loggedIn();
  const changed = file.write("more");
  await changed;
  const error = await failure(client.upload([{ use: "entity", data }]));
  assert.equal(error.name, "NotReadableError");
});

test("download gives each file, verified", async () => {
  const { client, contentId, data } = await published();
  const steps = [];
  const onProgress = (step) => steps.push(step);
  const [file, ...others] = await all(client.download(contentId, { onProgress }));
  assert.deepEqual(others, []);
  assert.deepEqual(Object.keys(file), ["path", "use", "platform", "mediaType", "data"]);
  assert.equal(file.use, "entity");
  assert.equal(file.data.type, file.mediaType);
  assert.ok(data.equals(await bytesOf(file.data)));
  assert.deepEqual(steps.at(-1), { file: 0, done: data.length, total: data.length });
});

test("a download whose connection is cut goes on where it was", async (t) => {
  const { contentId, data } = await published();
  const act = first(isFile, { give: 1_000_000 }, { give: 500_000 });
  const client = await loggedIn({}, await proxy(t, act));
  const [file] = await all(client.download(contentId));
  assert.ok(data.equals(await bytesOf(file.data)));
  const ranges = act.seen.map(({ headers }) => headers.range);
  assert.deepEqual(ranges, [undefined, "bytes=1000000-", "bytes=1500000-"]);
});

test("losses with progress do not end a download", async (t) => {
  const { contentId, data } = await published();
  const act = first(isFile, ...Array.from({ length: 6 }, () => ({ give: 100_000 })));
  const client = await loggedIn({ retries: 1 }, await proxy(t, act));
  const [file] = await all(client.download(contentId));
  assert.ok(data.equals(await bytesOf(file.data)));
});

test("losses without progress end a download", async (t) => {
  const { contentId } = await published();
  const act = first(isFile, { give: 1000 }, { give: 0 }, { give: 0 });
  const client = await loggedIn({ retries: 2 }, await proxy(t, act));
  const error = await failure(all(client.download(contentId)));
  assert.ok(error instanceof NetworkError, error);
  assert.equal(act.seen.length, 3);
});

test("a URL that is refused is read anew, and the download goes on", async (t) => {
  const { contentId, data } = await published();
  const isList = ({ url }) => url.endsWith("/files");
  const lists = [];
  const files = first(isFile, { give: 1000 }, { status: 403 });
  const act = (request) => {
    if (isList(request)) lists.push(request.url);
    return files(request);
  };
  // Within an hour the service gives the same URL again: this one is another.
  const renewed = async (url, request) => {
    const response = await fetch(url, request);
    if (!isList({ url: String(url) }) || lists.length < 2) return response;
    const found = await response.json();
    return Response.json(found.map((file) => ({ ...file, url: `${file.url}#new` })));
  };
  const client = await loggedIn({ fetch: renewed }, await proxy(t, act));
  const [file] = await all(client.download(contentId));
  assert.ok(data.equals(await bytesOf(file.data)));
  assert.equal(lists.length, 2);
  assert.equal(files.seen.at(-1).headers.range, "bytes=1000-");
});

test("a refusal of the same URL is thrown", async (t) => {
  const { contentId } = await published();
  const client = await loggedIn({}, await proxy(t, first(isFile, { status: 403 })));
  const error = await failure(all(client.download(contentId)));
  assert.equal(error.status, 403);
});

test("other bytes are asked for once more", async (t) => {
  const { contentId, data } = await published();
  const change = (piece) => Buffer.alloc(piece.length);
  const client = await loggedIn({}, await proxy(t, first(isFile, { change })));
  const [file] = await all(client.download(contentId));
  assert.ok(data.equals(await bytesOf(file.data)));
});

test("other bytes twice are a DigestError", async (t) => {
  const { contentId } = await published();
  const change = (piece) => Buffer.alloc(piece.length);
  const client = await loggedIn({}, await proxy(t, first(isFile, { change }, { change })));
  const error = await failure(all(client.download(contentId)));
  assert.ok(error instanceof DigestError, error);
});

/** A stream that keeps what it gets, and says how it ended. */
class Kept extends WritableStream {
  constructor() {
    const pieces = [];
    let end;
    const ended = new Promise((resolve) => (end = resolve));
    super({
      write: (piece) => void pieces.push(Buffer.from(piece)),
      close: () => end("closed"),
      abort: () => end("aborted"),
    });
    this.pieces = pieces;
    this.ended = ended;
  }
}

test("a stream takes a file, and is closed when it is verified", async (t) => {
  const { contentId, data } = await published();
  const client = await loggedIn({}, await proxy(t, first(isFile, { give: 1000 })));
  const kept = new Kept();
  const [file] = await all(client.download(contentId, { into: () => kept }));
  assert.equal(file.data, undefined);
  assert.equal(await kept.ended, "closed");
  assert.ok(data.equals(Buffer.concat(kept.pieces)));
});

test("a file that begins anew goes to another stream", async (t) => {
  const { contentId, data } = await published();
  const change = (piece) => Buffer.alloc(piece.length);
  const client = await loggedIn({}, await proxy(t, first(isFile, { change })));
  const streams = [];
  const into = () => streams[streams.push(new Kept()) - 1];
  await all(client.download(contentId, { into }));
  const ends = await Promise.all(streams.map(({ ended }) => ended));
  assert.deepEqual(ends, ["aborted", "closed"]);
  assert.ok(data.equals(Buffer.concat(streams[1].pieces)));
});

test("a store that knows no ranges has the file begin anew", async (t) => {
  const { contentId, data } = await published();
  const whole = (request) => {
    delete request.headers.range;
    return undefined;
  };
  const files = first(isFile, { give: 1000 });
  const act = (request) => (isFile(request) ? (whole(request) ?? files(request)) : undefined);
  const client = await loggedIn({}, await proxy(t, act));
  const [file] = await all(client.download(contentId));
  assert.ok(data.equals(await bytesOf(file.data)));
});

test("an error of the stream is thrown as it is", async () => {
  const { client, contentId } = await published();
  const full = new Error("the disk is full");
  const into = () => new WritableStream({ write: () => Promise.reject(full) });
  assert.equal(await failure(all(client.download(contentId, { into }))), full);
});

test("a download ends with the signal's reason, and aborts the stream", async () => {
  const { client, contentId } = await published();
  const stop = new AbortController();
  const reason = new Error("enough");
  const kept = new Kept();
  const onProgress = ({ done }) => done && stop.abort(reason);
  const options = { into: () => kept, onProgress, signal: stop.signal };
  assert.equal(await failure(all(client.download(contentId, options))), reason);
  assert.equal(await kept.ended, "aborted");
});

/** A clock whose time is over when the test says so. */
function waiting() {
  const timers = new Map();
  return {
    now: () => performance.now(),
    setTimeout: (work) => {
      const timer = {};
      timers.set(timer, work);
      return timer;
    },
    clearTimeout: (timer) => timers.delete(timer),
    end: () => timers.forEach((work) => work()),
  };
}

/** A client of a daemon that falls silent at requests of this kind, for longer than it waits. */
async function deserted(t, is) {
  const clock = waiting();
  const act = (request) => {
    if (!is(request)) return undefined;
    setImmediate(clock.end);
    return { silent: true };
  };
  return loggedIn({ retries: 0, clock }, await proxy(t, act));
}

test("a download in which no byte moves is a NetworkError", async (t) => {
  const { contentId } = await published();
  const client = await deserted(t, isFile);
  const error = await failure(all(client.download(contentId)));
  assert.ok(error instanceof NetworkError, error);
});

test("an upload in which no byte moves is a NetworkError", async (t) => {
  const client = await deserted(t, isPut);
  const error = await failure(client.upload([{ use: "entity", data: randomBytes(SIZE) }]));
  assert.ok(error instanceof NetworkError, error);
});

test("a revision that is not there is an ApiError", async () => {
  const { client, contentId } = await published();
  const error = await failure(all(client.download(contentId, { revision: randomUUID() })));
  assert.deepEqual([error.status, error.code], [404, "revision_not_found"]);
});

test("a file that the service does not give has no data", async () => {
  const { contentId } = await published();
  const blocked = async (url, request) => {
    const response = await fetch(url, request);
    if (!url.endsWith("/files")) return response;
    return Response.json((await response.json()).map((file) => ({ ...file, url: null })));
  };
  const client = await loggedIn({ fetch: blocked });
  const [{ data }] = await all(client.download(contentId));
  assert.equal(data, null);
});

test("a range that the store refuses has the file begin anew", async (t) => {
  const { contentId, data } = await published();
  const act = first(isFile, { give: 1000 }, { status: 416 });
  const client = await loggedIn({}, await proxy(t, act));
  const [file] = await all(client.download(contentId));
  assert.ok(data.equals(await bytesOf(file.data)));
  assert.equal(act.seen.at(-1).headers.range, undefined);
});
