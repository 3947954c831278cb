// Log-ins through what happens to a real service. The test starts and kills it at CONTROL_URL.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, NetworkError } from "../src/index.js";
import { Kept, failure } from "./fakes.js";
import { PASSWORD, SERVICE, loggedIn, newClient } from "./support.js";

const control = (work) => fetch(`${process.env.CONTROL_URL}/${work}`, { method: "POST" });

/** The real time, which a test can move. */
function movable() {
  const clock = {
    moved: 0,
    now: () => performance.now() + clock.moved,
    setTimeout: (work, ms) => setTimeout(work, ms),
    clearTimeout: (timer) => clearTimeout(timer),
  };
  return clock;
}

test("a log-in outlives a kill of the service", async () => {
  const clock = movable();
  const client = await loggedIn({ clock });
  await control("kill");
  assert.ok((await failure(client.getUser({}, { retries: 0 }))) instanceof NetworkError);
  clock.moved += 20 * 60_000;
  assert.ok((await failure(client.getUser({}, { retries: 0 }))) instanceof NetworkError);
  await control("start");
  assert.equal((await client.getUser()).id, client.user.id);
});

test("a renewal whose answer is lost is repeated, and the log-in goes on", async () => {
  const renewals = [];
  const lossy = async (url, sent) => {
    const answer = await fetch(url, sent);
    const form = String(sent.body);
    if (!form.includes("refresh_token=")) return answer;
    renewals.push(form);
    if (renewals.length > 1) return answer;
    await answer.arrayBuffer();
    throw new TypeError("cut off");
  };
  const client = await loggedIn({ fetch: lossy });
  const before = await client.token();
  const after = await client.token({ fresh: true });
  assert.notEqual(after, before);
  assert.equal(renewals[0], renewals[1]);
  await client.token({ fresh: true });
  await client.getUser();
});

test("two programs that renew with the same token at once go on both", async () => {
  const storage = new Kept();
  const first = await loggedIn({ storage });
  const copy = new Kept();
  copy.strings = new Map(storage.strings);
  const second = new Client(SERVICE, { storage: copy });
  await Promise.all([first.token({ fresh: true }), second.token()]);
  await Promise.all([first.getUser(), second.getUser()]);
});

test("a session that ends elsewhere ends here", async () => {
  const client = await loggedIn();
  const out = [];
  client.addEventListener("signedout", (event) => out.push(event.detail.reason));
  const other = newClient();
  await other.logIn({ username: client.user.username, password: PASSWORD });
  await other.endOtherSessions();
  const calls = Array.from({ length: 20 }, () => failure(client.getUser()));
  for (const { code } of await Promise.all(calls)) assert.equal(code, "invalid_grant");
  assert.deepEqual(out, ["ended"]);
});
