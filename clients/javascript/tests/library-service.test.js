// The library against a daemon that is killed, and a device that dies or is away.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";

import { WebSocket } from "ws";

import { Kept } from "./fakes.js";
import { loggedIn, newClient, publication } from "./support.js";

const control = (what) => fetch(`${process.env.CONTROL_URL}/${what}`, { method: "POST" });

/** New content of an author: {contentId, revisionId}. */
async function publish(author, contentId) {
  const given = publication(randomBytes(100));
  if (contentId) given.contentId = contentId;
  await author.publish(given);
  return given;
}

const said = ({ kind, content, revision }) => `${kind} ${content} ${revision}`;

async function all(client, options) {
  const found = [];
  for await (const change of client.library(options)) found.push(said(change));
  return found.sort();
}

test("a device that was away has the library after one loop", async () => {
  const storage = new Kept();
  const [author, client] = [await loggedIn(), await loggedIn({ storage })];
  const [tower, castle, bridge] = [await publish(author), await publish(author), await publish(author)];
  await client.putSubscription({ contentId: tower.contentId, body: {} });
  await client.putSubscription({ contentId: castle.contentId, body: {} });
  assert.deepEqual(
    await all(client),
    [tower, castle].map(({ contentId, revisionId }) => `fetch ${contentId} ${revisionId}`).sort(),
  );

  await client.putSubscription({ contentId: bridge.contentId, body: {} });
  await client.deleteSubscription({ contentId: castle.contentId });
  const newer = await publish(author, tower.contentId);
  const later = newClient({ storage });
  assert.deepEqual(
    await all(later),
    [
      `fetch ${tower.contentId} ${newer.revisionId}`,
      `fetch ${bridge.contentId} ${bridge.revisionId}`,
      `remove ${castle.contentId} ${castle.revisionId}`,
    ].sort(),
  );
  assert.deepEqual(await all(later), []);
});

test("an old game keeps the newest revision that fits it", async () => {
  const [author, client] = [await loggedIn(), await loggedIn()];
  const { contentId, revisionId } = await publish(author);
  const given = { ...publication(randomBytes(100)), contentId };
  given.content = { ...given.content, requires: { game: { min: "2.0" } } };
  await author.publish(given);
  await client.putSubscription({ contentId, body: {} });
  assert.deepEqual(await all(client, { game: "1.4.2" }), [`fetch ${contentId} ${revisionId}`]);
  assert.deepEqual(await all(client, { game: "2.1" }), [`fetch ${contentId} ${given.revisionId}`]);
});

test("what is withdrawn stays, and is not fetched again when it is back", async () => {
  const [author, client] = [await loggedIn(), await loggedIn()];
  const { contentId } = await publish(author);
  await client.putSubscription({ contentId, body: {} });
  await all(client);
  await author.setContentVisibility({ contentId, body: { visibility: "private" } });
  assert.deepEqual(await all(client), []);
  await author.setContentVisibility({ contentId, body: { visibility: "public" } });
  assert.deepEqual(await all(client), []);
});

test("with a Live it goes on through kills of the daemon, and over devices", async () => {
  const [author, client] = [await loggedIn(), await loggedIn({ WebSocket })];
  const [tower, castle] = [await publish(author), await publish(author)];
  const live = client.live();
  const changes = client.library({ live })[Symbol.asyncIterator]();
  const next = async () => said((await changes.next()).value);

  await client.putSubscription({ contentId: tower.contentId, body: {} });
  assert.equal(await next(), `fetch ${tower.contentId} ${tower.revisionId}`);
  const newer = await publish(author, tower.contentId);
  assert.equal(await next(), `fetch ${tower.contentId} ${newer.revisionId}`);

  const coming = next();
  await control("kill");
  await control("start");
  await client.putSubscription({ contentId: castle.contentId, body: {} });
  assert.equal(await coming, `fetch ${castle.contentId} ${castle.revisionId}`);
  const last = changes.next();
  live.close();
  assert.deepEqual(await last, { done: true, value: undefined });
});
