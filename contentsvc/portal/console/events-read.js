/** Events from the newest down. The service gives them from a number upwards. */
import { ApiError } from "../client.js";
import { client } from "../session.js";

/** @typedef {import("../client.js").Event} Event */

/** Events that are shown at once, and the most that one answer has. */
const PART = 50;
const MOST = 1000;
/** By so much each step back is longer than the one before, where there was little. */
const GROWTH = 4;

/** The number of the newest event of all.
 * @param {AbortSignal} [signal] */
export async function newest(signal) {
  return (await client.listEvents({}, { signal })).next;
}

/** Those after a number; those that are kept, where that one is gone.
 * @param {number} after @param {string} kinds @param {AbortSignal} [signal] */
async function page(after, kinds, signal) {
  const asked = { limit: MOST, ...(kinds && { kinds }) };
  try {
    return { ...(await client.listEvents({ ...asked, after }, { signal })), after };
  } catch (error) {
    if (!after || !(error instanceof ApiError) || error.code !== "cursor_expired") throw error;
    return { ...(await client.listEvents({ ...asked, after: 0 }, { signal })), after: 0 };
  }
}

/** Some of these kinds with numbers up to `high`, the newest first. `low` is where the next ones are: 0
 * where there are none.
 * @param {number} high @param {string} kinds a comma list; all, if it is empty
 * @param {AbortSignal} [signal]
 * @returns {Promise<{items: Event[], low: number}>} */
export async function before(high, kinds, signal) {
  /** @type {Event[]} */
  let items = [];
  for (let span = PART; high > 0 && items.length < PART; span *= GROWTH) {
    let found = await page(Math.max(high - span, 0), kinds, signal);
    // A full answer does not reach up to `high`: a shorter step does.
    while (found.next < high && found.items.length === MOST && span > MOST) {
      span = Math.max(Math.floor(span / GROWTH), MOST);
      found = await page(Math.max(high - span, 0), kinds, signal);
    }
    const some = found.items.filter((one) => one.number <= high).reverse();
    items = [...items, ...some];
    high = found.after;
  }
  const shown = items.slice(0, PART);
  return { items: shown, low: items.length > PART ? shown[PART - 1].number - 1 : high };
}
