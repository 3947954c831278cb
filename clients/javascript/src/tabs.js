import { within } from "./clock.js";

const PATIENCE = 5000;

/** The other tabs that share a log-in with this one, where this is a page. */
export class Tabs {
  #name;
  #clock;
  #channel;
  #told = [];

  /** `name` is that of the log-ins that they share, null for none; `hear` gets what they tell. */
  constructor(name, hear, clock) {
    this.#name = name;
    this.#clock = clock;
    // Node has channels too: between threads.
    if (!name || !globalThis.location || !globalThis.BroadcastChannel) return;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => {
      hear(data);
      for (const wake of this.#told.splice(0)) wake();
    };
  }

  tell(message) {
    this.#channel?.postMessage(message);
  }

  /** Do work that no other tab does meanwhile, unless one has done it: then `isDone()`. */
  async alone(work, isDone) {
    const locks = this.#channel && globalThis.navigator?.locks; // none on plain http
    if (!locks) return work();
    for (;;) {
      const mine = await locks.request(this.#name, { ifAvailable: true }, async (lock) => {
        if (lock) await work();
        return lock;
      });
      if (mine || isDone()) return;
      try {
        const told = new Promise((resolve) => this.#told.push(resolve));
        await within(PATIENCE, told, this.#clock);
      } catch {
        return work(); // the other tab is frozen; the service takes two renewals for one
      }
      if (isDone()) return;
    }
  }
}
