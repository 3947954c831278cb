/** What others may change meanwhile is replaced only as it was read. */
import { ApiError } from "./client.js";

/** @typedef {{seen?: import("./client.js").Seen}} Options of the call that reads, and of the one that
 *   writes */

/** How often something is read and written again that changes by itself, as votes do. */
const TRIES = 5;

/** Replace something: read it, and write it unless it has changed since. What has changed is read again.
 * @template T
 * @template R
 * @param {(options: Options) => Promise<T>} read
 * @param {(now: T, options: Options) => R} write
 * @returns {Promise<Awaited<R>>} */
export async function replace(read, write) {
  for (let left = TRIES; ; left -= 1) {
    const seen = {};
    const now = await read({ seen });
    try {
      return await write(now, { seen });
    } catch (error) {
      if (left === 1 || !(error instanceof ApiError && error.code === "precondition_failed")) throw error;
    }
  }
}
