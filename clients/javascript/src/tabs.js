import { within } from "./clock.js";

const PATIENCE = 30_000; // longer than a renewal whose answers are lost
const DELAY = 1000;

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
  async alone(work, isDone = () => false) {
    const locks = this.#channel && globalThis.navigator?.locks; // none on plain http
    if (!locks) return work();
    const mine = await locks.request(this.#name, { ifAvailable: true }, async (lock) => {
      if (lock) await work();
      return lock;
    });
    if (mine) return;
    const told = new Promise((resolve) => this.#told.push(resolve));
    const stop = new AbortController();
    const timer = this.#clock.setTimeout(() => stop.abort(), PATIENCE);
    try {
      await locks.request(this.#name, { signal: stop.signal }, async () => {
        this.#clock.clearTimeout(timer);
        // What the other has told may come later than its lock.
        await within(DELAY, told, this.#clock).catch(() => {});
        if (!isDone()) await work();
      });
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      await work(); // the other tab is frozen; the service takes two renewals for one
    }
  }
}
