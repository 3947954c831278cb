// Tabs that renew one log-in, with a lock and a channel as pages have them.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Tabs } from "../src/tabs.js";
import { Clock, settled } from "./fakes.js";

/** navigator.locks, of one name. */
class Locks {
  #holds = false;
  #waiting = [];

  async request(_, { ifAvailable, signal }, work) {
    if (this.#holds && ifAvailable) return work(null);
    while (this.#holds) {
      await new Promise((resolve, reject) => {
        this.#waiting.push(resolve);
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    }
    this.#holds = true;
    try {
      return await work({});
    } finally {
      this.#holds = false;
      for (const wake of this.#waiting.splice(0)) wake();
    }
  }
}

/** BroadcastChannel, of one name. What is posted comes when a test delivers it. */
class Channel {
  static all = [];
  static posted = [];

  constructor() {
    Channel.all.push(this);
  }

  postMessage(data) {
    Channel.posted.push([this, data]);
  }

  static deliver() {
    for (const [from, data] of Channel.posted.splice(0)) {
      for (const each of Channel.all) if (each !== from) each.onmessage({ data });
    }
  }
}

beforeEach(() => {
  Channel.all = [];
  const globals = { location: {}, navigator: { locks: new Locks() }, BroadcastChannel: Channel };
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
});

/** Two tabs which want one renewal. `renewals` are those who did one, each with how to end it. */
function pair() {
  const clock = new Clock();
  const renewals = [];
  const [first, second] = ["first", "second"].map((name) => {
    const tab = { isDone: false };
    tab.tabs = new Tabs("log-in", () => (tab.isDone = true), clock);
    const work = () =>
      new Promise((resolve, reject) => {
        const end = () => {
          tab.tabs.tell({});
          resolve();
        };
        renewals.push({ name, end, reject });
      });
    tab.renew = () => tab.tabs.alone(work, () => tab.isDone);
    return tab;
  });
  return { clock, renewals, first, second };
}

const names = (renewals) => renewals.map(({ name }) => name);

test("a tab waits for the other's renewal, however slow, and does none", async () => {
  const { clock, renewals, first, second } = pair();
  const both = [first.renew(), second.renew()];
  await clock.advance(20_000);
  renewals[0].end();
  await settled();
  Channel.deliver(); // later than the lock
  await Promise.all(both);
  assert.deepEqual(names(renewals), ["first"]);
});

test("a tab does it where the other has failed", async () => {
  const { clock, renewals, first, second } = pair();
  const failed = first.renew().catch((error) => error.message);
  const renewed = second.renew();
  await settled();
  renewals[0].reject(new Error("lost"));
  assert.equal(await failed, "lost");
  await clock.advance(1000);
  renewals[1].end();
  await renewed;
  assert.deepEqual(names(renewals), ["first", "second"]);
});

test("a tab does it where the other is frozen", async () => {
  const { clock, renewals, first, second } = pair();
  first.renew();
  const renewed = second.renew();
  await clock.advance(30_000);
  renewals[1].end();
  await renewed;
  assert.deepEqual(names(renewals), ["first", "second"]);
});

test("what fails in a tab that has waited is its own error", async () => {
  const { clock, renewals, first, second } = pair();
  const failures = [first.renew(), second.renew()].map((each) => each.catch(({ message }) => message));
  await settled();
  renewals[0].reject(new Error("one"));
  await settled();
  await clock.advance(1000);
  renewals[1].reject(new Error("two"));
  assert.deepEqual(await Promise.all(failures), ["one", "two"]);
});
