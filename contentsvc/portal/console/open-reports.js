/** What has open reports, asked for now and then while a tab of the console is shown. */
import { useEffect, useState } from "../vendor/preact.js";
import { client, state } from "../session.js";
import { useRetry } from "../parts/retry.js";

/** @typedef {import("../client.js").QueuedSubject} Queued */
/** @typedef {{items: Queued[], isMore: boolean}} Open */

/** Milliseconds between two looks. */
const PAUSE = 10_000;
/** So many are asked for: of more it is known that there are more. */
export const MOST = 100;

/** What was found last, and for whom.
 * @type {{user: string | undefined, open: Open | null}} */
let last = { user: undefined, open: null };
/** @type {Set<(open: Open) => void>} */
const listeners = new Set();

/** What stands for a subject.
 * @param {{kind: string, id: string}} subject */
export const keyOf = ({ kind, id }) => `${kind} ${id}`;

async function look() {
  const user = state.user?.id;
  const found = await client.part("listReportedSubjects", { limit: MOST });
  if (user !== state.user?.id) return;
  const open = { items: /** @type {Queued[]} */ (found.items), isMore: !!found.next };
  last = { user, open };
  for (const listener of listeners) listener(open);
}

/** What is open now, as far as it is known.
 * @param {boolean} [asks] whether it is asked for here: once at a time in each page does */
export function useOpen(asks = false) {
  const [open, setOpen] = useState(() => (last.user === state.user?.id ? last.open : null));
  useEffect(() => {
    listeners.add(setOpen);
    return () => void listeners.delete(setOpen);
  }, []);
  useEffect(() => {
    // A place that cannot be read says so itself.
    if (asks) void look().catch(() => {});
  }, [asks]);
  useRetry(asks, PAUSE, look);
  return open;
}
