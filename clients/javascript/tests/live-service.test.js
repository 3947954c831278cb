// Live against a daemon that is killed and started again.
import assert from "node:assert/strict";
import { test } from "node:test";

import { WebSocket } from "ws";

import { Kept } from "./fakes.js";
import { loggedIn, newClient } from "./support.js";

const control = (what) => fetch(`${process.env.CONTROL_URL}/${what}`, { method: "POST" });

/** A Live's events, to wait for. */
class Heard {
  seqs = [];
  #events = [];
  #waiting = [];

  constructor(live) {
    for (const type of ["open", "notification", "unread", "waiting", "missed", "ended"]) {
      live.addEventListener(type, ({ detail }) => {
        if (type === "notification") this.seqs.push(detail.seq);
        this.#events.push([type, detail]);
        this.#waiting = this.#waiting.filter((look) => !look());
      });
    }
  }

  /** The detail of the first event of this type, from now or before, for which `is` holds. */
  until(type, is = () => true) {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.#events.find(([each, detail]) => each === type && is(detail));
        if (found) resolve(found[1]);
        return found;
      };
      if (!look()) this.#waiting.push(look);
    });
  }
}

const notify = (client, ...texts) =>
  texts.reduce(async (before, text) => {
    await before;
    const body = { recipient: client.user.id, text };
    await client.sendDebugNotification({ body });
  }, null);

test("notifications come once and in order through kills of the daemon and a restart", async () => {
  const storage = new Kept();
  const client = await loggedIn({ WebSocket, storage });
  const live = client.live();
  const heard = new Heard(live);
  await heard.until("open");
  await notify(client, "a", "b");
  await heard.until("notification", ({ seq }) => seq === 2);

  await control("kill");
  await heard.until("waiting");
  await control("start");
  await notify(client, "c");
  await heard.until("notification", ({ seq }) => seq === 3);
  assert.deepEqual(heard.seqs, [1, 2, 3]);

  live.close();
  await heard.until("ended");
  await notify(client, "d", "e");
  const later = newClient({ WebSocket, storage });
  const again = later.live();
  const rest = new Heard(again);
  await rest.until("notification", ({ seq }) => seq === 5);
  assert.deepEqual(rest.seqs, [4, 5]);
  again.close();
});

test("a log-out ends it", async () => {
  const client = await loggedIn({ WebSocket });
  const heard = new Heard(client.live());
  await heard.until("open");
  await client.logOut();
  const { code } = await heard.until("ended");
  assert.equal(code, 4403);
});

test("a log-in that has ended elsewhere ends it", async () => {
  const client = await loggedIn({ WebSocket });
  const other = newClient();
  const heard = new Heard(client.live());
  await heard.until("open");
  const [{ id: sessionId }] = await client.listSessions();
  const token = await client.token();
  const options = { headers: { Authorization: `Bearer ${token}` } };
  await other.endSession({ userId: client.user.id, sessionId }, options);
  assert.equal((await heard.until("ended")).code, 4403);
});

test("unread is the number of the service", async () => {
  const client = await loggedIn({ WebSocket });
  const live = client.live();
  const heard = new Heard(live);
  await heard.until("unread", ({ unread }) => unread === 0);
  await notify(client, "a", "b");
  await heard.until("unread", ({ unread }) => unread === 2);
  await client.markNotificationsRead({ body: { upTo: "1" } });
  await heard.until("unread", ({ unread }) => unread === 1);
  live.close();
});

test("a clock that jumps forward costs a renewal and nothing else", async () => {
  let ahead = 0;
  const clock = {
    now: () => performance.now() + ahead,
    setTimeout: (work, ms) => setTimeout(work, ms),
    clearTimeout: (timer) => clearTimeout(timer),
  };
  const client = await loggedIn({ WebSocket, clock });
  const live = client.live();
  const heard = new Heard(live);
  await heard.until("open");
  ahead = 3_600_000;
  await notify(client, "a");
  await heard.until("notification", ({ seq }) => seq === 1);
  live.close();
  assert.deepEqual(heard.seqs, [1]);
});
