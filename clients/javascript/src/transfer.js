import { linked } from "./clock.js";
import { ApiError, NetworkError } from "./errors.js";

const AT_ONCE = 4;

/** Statuses of a store's answer that pass; 416 when a download has begun anew. */
export const PASSING = [408, 409, 416, 500, 502, 503, 504];

/** Do some work for each item, four at once. Where one fails, the others are aborted. */
export async function forEach(items, work, signal) {
  const [stop, part] = linked(signal);
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item, stop.signal);
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  } catch (error) {
    stop.abort(error);
    throw error;
  } finally {
    part();
  }
}

/** A wait for the network, in which a byte moves within the client's timeout. */
export class Patience {
  #client;
  #outer;
  #stop;
  #part;
  #timer;

  constructor(client, signal) {
    this.#client = client;
    this.#outer = signal;
    [this.#stop, this.#part] = linked(signal);
  }

  /** Aborted by the caller, when it takes too long, and in the end. */
  get signal() {
    return this.#stop.signal;
  }

  /** A byte has moved. */
  moved() {
    const { clock, timeout } = this.#client;
    clock.clearTimeout(this.#timer);
    if (this.signal.aborted) return;
    const late = () => this.#stop.abort(new Error(`No byte moved within ${timeout} s.`));
    this.#timer = clock.setTimeout(late, timeout * 1000);
  }

  /** What the network gives. Rejects with the caller's reason, ApiError or NetworkError. `isSeen`:
   * whether each byte is seen to move. */
  async with(promise, isSeen = true) {
    if (isSeen) this.moved();
    try {
      return await promise;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      this.#outer?.throwIfAborted();
      const cause = this.signal.reason ?? error;
      throw new NetworkError(cause.message, { cause });
    } finally {
      this.#client.clock.clearTimeout(this.#timer);
    }
  }

  end() {
    this.#part();
    this.#stop.abort();
    this.#client.clock.clearTimeout(this.#timer);
  }
}
