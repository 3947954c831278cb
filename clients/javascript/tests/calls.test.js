// Operations, errors and lists, against the daemon.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";

import { ApiError } from "../src/index.js";
import { loggedIn, newClient, register } from "./support.js";

test("logIn says who is logged in", async () => {
  const { username, password } = await register();
  const client = newClient();
  const user = await client.logIn({ username, password });
  assert.equal(user.username, username);
  assert.deepEqual(client.user, user);
});

test("userId is the caller's own where it is left out", async () => {
  const client = await loggedIn();
  assert.equal((await client.getUser()).id, client.user.id);
});

test("an answer 204 is undefined", async () => {
  const [ada, ben] = [await loggedIn(), await loggedIn()];
  assert.equal(await ada.followUser({ otherId: ben.user.id }), undefined);
  assert.equal((await ben.listFollowers()).length, 1);
});

test("an answer 201 has the location", async () => {
  const { username } = await register();
  const body = { username: `${username}x`, email: `${username}x@example.com`, password: "12345678" };
  const { location } = await newClient().registerUser({ body });
  assert.match(location, /^\/api\/v1\/user\//);
});

test("a refusal is an ApiError with the problem's members", async () => {
  const refused = newClient().getContent({ contentId: randomUUID() });
  const error = await refused.catch((found) => found);
  assert.ok(error instanceof ApiError);
  assert.equal(error.status, 404);
  assert.equal(error.code, "content_not_found");
  assert.equal(error.title, "Not Found");
  assert.equal(error.detail, error.problem.detail);
  assert.ok(error.requestId);
});

test("a refused log-in has the code of OAuth's form", async () => {
  const { username } = await register();
  const error = await newClient()
    .logIn({ username, password: "wrong password" })
    .catch((found) => found);
  assert.equal(error.status, 400);
  assert.equal(error.code, "invalid_grant");
});

test("each goes through the parts of a list", async () => {
  const client = await loggedIn();
  const others = [];
  for (let count = 0; count < 3; count += 1) {
    const other = await loggedIn();
    others.unshift(other.user.id);
    await client.followUser({ otherId: other.user.id });
  }
  const found = [];
  for await (const user of client.each("listFollowing", { limit: 2 })) found.push(user.id);
  assert.deepEqual(found, others);
});

test("a log-out ends the session and says so", async () => {
  const client = await loggedIn();
  const heard = [];
  client.addEventListener("signedout", (event) => heard.push(event.detail));
  const token = await client.token();
  await client.logOut();
  assert.equal(client.user, null);
  assert.deepEqual(heard, [{ reason: "logout" }]);
  const headers = { Authorization: `Bearer ${token}` };
  const refused = newClient().listSessions({ userId: randomUUID() }, { headers });
  assert.equal((await refused.catch((found) => found)).code, "invalid_token");
});
