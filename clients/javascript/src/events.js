import { again } from "./again.js";

const WAIT = 25; // seconds for which one question waits: proxies cut what is silent for longer

/** What has happened, each event once and in order, over one question after another. */
export class Events {
  #client;
  #asked; // {kinds, limit}
  #stop = new AbortController();
  #signal;

  constructor(client, { after, signal, ...asked } = {}) {
    this.#client = client;
    this.#asked = asked;
    this.#signal = signal;
    /** The number of the event that was given last. With `kinds` it also moves on over others, when
     * the next is asked for. */
    this.after = after ?? null;
  }

  /** End it at once, also while it waits. `after` stays. */
  close() {
    this.#stop.abort(this);
  }

  async *[Symbol.asyncIterator]() {
    const signal = this.#stop.signal;
    const leave = () => this.#stop.abort(this.#signal.reason);
    this.#signal?.addEventListener("abort", leave);
    try {
      this.#signal?.throwIfAborted();
      while (!signal.aborted) {
        const { items, next } = await this.#read(signal);
        for (const event of items) {
          if (event.number <= this.after) continue; // what a cache between has kept
          if (signal.aborted) break;
          this.after = event.number;
          yield event;
        }
        signal.throwIfAborted();
        this.after = Math.max(next, this.after ?? 0);
      }
    } catch (error) {
      if (error !== this) throw error;
    } finally {
      this.#signal?.removeEventListener("abort", leave);
    }
  }

  #read(signal) {
    const { timeout, clock } = this.#client;
    const { after } = this;
    const wait = after == null ? undefined : WAIT;
    const parameters = { ...this.#asked, after, wait };
    const options = { signal, retries: 0, timeout: timeout + WAIT };
    const ask = () => this.#client.call("listEvents", parameters, options);
    return again(ask, { retries: Infinity, longest: Infinity, signal, clock });
  }
}
