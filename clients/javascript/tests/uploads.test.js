// How an upload asks, by a service in memory.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, DigestError, NetworkError } from "../src/index.js";
import { failure } from "./fakes.js";

const LIMITS = { fileBytes: 100, imageBytes: 50, userBytes: 0 };

/** A service that keeps files, unless `keeps` says no: `put` gives the answer of a PUT. */
class Service {
  kept = new Set();
  announced = [];
  sent = 0;
  atOnce = 0;
  most = 0;

  constructor({ keeps = () => true, put = () => new Response(null, { status: 204 }) } = {}) {
    this.keeps = keeps;
    this.put = put;
    this.client = new Client("http://service.example", { fetch: this.answer, retries: 0 });
  }

  answer = async (url, { method, body }) => {
    if (url.endsWith("/storage")) {
      return Response.json({ files: "local", mediaTypes: ["image/png"], limits: LIMITS });
    }
    if (method === "PUT") return this.#take(url, body);
    const { files } = JSON.parse(body);
    this.announced.push(files.length);
    const upload = { method: "PUT", headers: {}, expires: 0 };
    const found = files.map(({ sha256 }) => {
      const isThere = this.kept.has(sha256);
      const there = { ...upload, url: `http://store.example/${sha256}` };
      return { sha256, path: sha256, upload: isThere ? null : there };
    });
    return Response.json({ files: found });
  };

  async #take(url, body) {
    this.sent += 1;
    this.atOnce += 1;
    this.most = Math.max(this.most, this.atOnce);
    for await (const piece of body) assert.ok(piece.length);
    await new Promise((resolve) => setImmediate(resolve));
    this.atOnce -= 1;
    const sha256 = url.slice(-64);
    if (this.keeps(sha256)) this.kept.add(sha256);
    return this.put();
  }
}

const numbered = (count) =>
  Array.from({ length: count }, (_, at) => ({ use: "entity", data: Buffer.from(`file ${at}`) }));

test("any number of files is announced in parts, and four are sent at once", async () => {
  const service = new Service();
  const paths = await service.client.upload(numbered(1500));
  assert.equal(new Set(paths).size, 1500);
  assert.deepEqual(service.announced, [1000, 1000, 500, 500]);
  assert.equal(service.sent, 1500);
  assert.equal(service.most, 4);
});

test("only what is missing is asked for again", async () => {
  const service = new Service();
  await service.client.upload(numbered(2));
  await service.client.upload(numbered(3));
  assert.deepEqual(service.announced, [2, 2, 3, 1]);
  assert.equal(service.sent, 3);
});

test("a file that is taken and never there ends an upload", async () => {
  const service = new Service({ keeps: () => false });
  const error = await failure(service.client.upload(numbered(1)));
  assert.ok(error instanceof NetworkError, error);
  assert.equal(service.sent, 2);
});

test("a refusal of a file whose bytes are others by now is a DigestError", async () => {
  let reads = 0;
  class Changing extends Blob {
    slice() {
      return new Blob([`${(reads += 1)}`]);
    }
  }
  const put = () => Response.json({ code: "wrong_digest" }, { status: 400 });
  const service = new Service({ keeps: () => false, put });
  const data = new Changing(["0"]);
  const error = await failure(service.client.upload([{ use: "entity", data }]));
  assert.ok(error instanceof DigestError, error);
});

test("a status that does not pass is thrown at once", async () => {
  const put = () => new Response(null, { status: 507 });
  const service = new Service({ keeps: () => false, put });
  const error = await failure(service.client.upload(numbered(1)));
  assert.equal(error.status, 507);
  assert.equal(service.sent, 1);
});

test("an empty file, a large image and another type are refused before anything is sent", async () => {
  const { client } = new Service();
  const png = (size, type = "image/png") => new Blob([new Uint8Array(size)], { type });
  for (const [data, code] of [
    [png(0), "invalid_body"],
    [png(51), "file_too_large"],
    [png(1, "image/gif"), "media_type_not_allowed"],
  ]) {
    assert.equal((await failure(client.upload([{ use: "avatar", data }]))).code, code);
  }
});
