// Whom a user blocks, and what is theirs, against the daemon.
import assert from "node:assert/strict";
import { test } from "node:test";

import { isBlocked } from "../src/index.js";
import { loggedIn } from "./support.js";

test("blocked has the ids of all whom the user blocks", async () => {
  const ada = await loggedIn();
  const others = await Promise.all([1, 2, 3].map(() => loggedIn()));
  assert.deepEqual(await ada.blocked(), new Set());
  for (const { user } of others) await ada.blockUser({ otherId: user.id });
  assert.deepEqual(await ada.blocked(), new Set(others.map(({ user }) => user.id)));
  await ada.unblockUser({ otherId: others[0].user.id });
  assert.equal((await ada.blocked()).size, 2);
});

test("isBlocked knows whose something is, whatever it is", () => {
  const blocked = new Set(["rex"]);
  const by = (id) => [
    { id: "c", authorId: id, authorUsername: "x" },
    { id: 7, authorId: id, body: "x" },
    { id: "l", owner: { id, username: "x" } },
    { id: "m", sender: id, text: "x" },
    { sender: { id, username: "x" }, party: "p" },
    { kind: "ContentPublished", author: id, content: "c" },
    { kind: "CommentOnContent", sender: id, content: "c", comment: 7 },
    { user: { id, username: "x" }, last: {} },
    { content: { id: "c", authorId: id }, role: "tester" },
    { id, username: "x" },
  ];
  for (const thing of by("rex")) assert.ok(isBlocked(blocked, thing), JSON.stringify(thing));
  for (const thing of by("ada")) assert.ok(!isBlocked(blocked, thing), JSON.stringify(thing));
  const others = [null, undefined, {}, { id: "rex" }, { content: null }, { kind: "Debug", text: "x" }];
  for (const thing of others) assert.ok(!isBlocked(blocked, thing));
});
