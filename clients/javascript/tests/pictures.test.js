// Pictures are sent without their metadata: the cases are those of all clients.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { typeOf } from "../src/pictures.js";
import { Client } from "../src/index.js";
import { failure } from "./fakes.js";

const cases = JSON.parse(await readFile(new URL("../../pictures.json", import.meta.url), "utf8"));
const TYPES = ["image/png", "image/jpeg", "image/webp"];

// A service that takes what is sent.
class Service {
  announced = [];
  sent = [];

  client = new Client("http://service.example", { fetch: (url, request) => this.answer(url, request) });

  async answer(url, { body }) {
    if (url.endsWith("/storage")) {
      return Response.json({ mediaTypes: TYPES, limits: { fileBytes: 1e6, imageBytes: 1e6 } });
    }
    if (!url.endsWith("/uploads")) {
      this.sent.push(Buffer.from(await new Response(body).arrayBuffer()));
      return new Response(null, { status: 204 });
    }
    const { files } = JSON.parse(body);
    const before = new Set(this.announced.map(({ sha256 }) => sha256));
    this.announced.push(...files);
    const upload = (sha256) => ({ method: "PUT", url: `http://store.example/${sha256}`, headers: {} });
    return Response.json({
      files: files.map(({ sha256 }) => ({
        sha256,
        path: sha256,
        upload: before.has(sha256) ? null : upload(sha256),
      })),
    });
  }
}

const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");

for (const { rule, mediaType, data, sha256 } of cases) {
  test(rule, async () => {
    const service = new Service();
    // A browser takes the type from the name.
    const file = new Blob([Buffer.from(data, "base64")], { type: mediaType ? "image/gif" : "" });
    const uploading = service.client.upload([{ use: "screenshot", data: file }]);
    if (mediaType === null) {
      assert.equal((await failure(uploading)).code, "media_type_not_allowed");
      assert.deepEqual(service.announced, []);
      return;
    }
    assert.deepEqual(await uploading, [sha256]);
    const [announced] = service.announced;
    const [sent] = service.sent;
    assert.deepEqual(announced, { use: "screenshot", sha256, size: sent.length, mediaType });
    assert.equal(digest(sent), sha256);
  });
}

test("what is no picture is sent as it is", async () => {
  const service = new Service();
  const data = Buffer.from(cases[1].data, "base64");
  await service.client.upload([{ use: "entity", data }]);
  assert.ok(service.sent[0].equals(data));
});

test("a file of another kind is refused before anything is sent, whatever it is said to be", async () => {
  for (const begin of ["GIF89a", "\0\0\0\x18ftypheic", "BM6\0", "<svg>", "RIFF\0\0\0\0WAVE"]) {
    const service = new Service();
    const file = { use: "avatar", data: new TextEncoder().encode(begin), mediaType: "image/png" };
    assert.equal((await failure(service.client.upload([file]))).code, "media_type_not_allowed");
    assert.deepEqual(service.announced, []);
  }
  assert.equal(await typeOf(new Blob(["what is this?"])), null);
});

test("a picture of more parts than are looked at is sent as it is, and soon", async () => {
  const service = new Service();
  const data = Buffer.concat([Buffer.from([255, 216]), Buffer.alloc(400_000, "\xff\xfe\0\x02", "latin1")]);
  await service.client.upload([{ use: "screenshot", data }]);
  assert.ok(service.sent[0].equals(data));
});
