import { within } from "./clock.js";

const PATIENCE = 5000;

/**
 * What outlives the page: in the program's own storage, else in memory. No storage stops the
 * client: what it does not take, or not in time, is kept in memory.
 */
export class Storage {
  #own;
  #prefix;
  #clock;
  #kept = new Map();
  #last = Promise.resolve();

  constructor(own, prefix, clock) {
    this.#own = own;
    this.#prefix = prefix;
    this.#clock = clock;
  }

  /** The string, or null. What is of one user has the user's id in its key. */
  async get(key) {
    if (this.#kept.has(key)) return this.#kept.get(key);
    return (await this.#ask((own, name) => own.get(name), key)) ?? null;
  }

  set(key, value) {
    return this.#write(key, value, (own, name) => own.set(name, value));
  }

  remove(key) {
    return this.#write(key, null, (own, name) => own.remove(name));
  }

  async #write(key, value, work) {
    this.#kept.set(key, value);
    if (!this.#own) return;
    const written = async (own, name) => {
      await work(own, name);
      if (this.#kept.get(key) === value) this.#kept.delete(key);
    };
    // One after the other, so that the last one counts.
    this.#last = this.#last.then(() => this.#ask(written, key));
    await this.#last;
  }

  async #ask(work, key) {
    if (!this.#own) return null;
    try {
      return await within(PATIENCE, work(this.#own, this.#prefix + key), this.#clock);
    } catch {
      return null;
    }
  }
}
