// Files, while the daemon is killed and started again.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";

import { loggedIn, publication } from "./support.js";

const SIZE = 20_000_000;
const PATIENT = { retries: 8 };

async function order(what) {
  const { status } = await fetch(`${process.env.CONTROL_URL}/${what}`, { method: "POST" });
  assert.equal(status, 204);
}

/** An onProgress that has the daemon killed and started again in the middle of the first file. */
function killing() {
  let restarted;
  const onProgress = ({ file, done, total }) => {
    if (file === 0 && done > total / 3) restarted ??= order("kill").then(() => order("start"));
  };
  const ended = async () => {
    assert.ok(restarted, "nobody was killed");
    await restarted;
  };
  return { onProgress, ended };
}

test("publish goes on when the daemon is killed while it takes a file", async () => {
  const client = await loggedIn(PATIENT);
  const { onProgress, ended } = killing();
  const given = publication(randomBytes(SIZE));
  const { listingId } = await client.publish({ ...given, onProgress });
  await ended();
  assert.equal((await client.getContent({ contentId: given.contentId })).listingId, listingId);
});

test("a download goes on when the daemon is killed while it gives a file", async () => {
  const client = await loggedIn(PATIENT);
  const given = publication(randomBytes(SIZE));
  await client.publish(given);
  const { onProgress, ended } = killing();
  for await (const { data } of client.download(given.contentId, { onProgress })) {
    assert.ok(given.entity.equals(Buffer.from(await data.arrayBuffer())));
  }
  await ended();
});
