// The memory that large files take.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createWriteStream, openAsBlob } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { test } from "node:test";

import { loggedIn, publication } from "./support.js";

const SIZE = 300_000_000;
const MOST = 100_000; // KiB; most of it waits for the garbage collector, which a busy machine has wait
const taken = () => process.resourceUsage().maxRSS;

test("a file of 300 MB is published and fetched in memory that does not depend on it", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "contentsvc-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = await open(join(folder, "file"), "w");
  await file.write(randomBytes(16));
  await file.truncate(SIZE);
  await file.close();
  const client = await loggedIn();
  const before = taken();
  const given = publication(await openAsBlob(join(folder, "file")));
  await client.publish(given);
  const into = () => Writable.toWeb(createWriteStream(join(folder, "got")));
  for await (const { data } of client.download(given.contentId, { into })) {
    assert.equal(data, undefined);
  }
  t.diagnostic(`${before} KiB before, ${taken()} KiB at most`);
  assert.ok(taken() - before < MOST, `${taken() - before} KiB`);
});
