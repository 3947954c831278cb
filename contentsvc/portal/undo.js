/** What is taken away at once, and can be put back for a while. There is one such thing at a time: the next
 * one, the end of the log-in and the end of the page have it sent. */
import { tell as draw, warn } from "./notices.js";
import { beforeLogOut, client } from "./session.js";
import { t } from "./texts.js";

/** Milliseconds for which it can be put back, and between two looks at the clock. */
const PATIENCE = 10_000;
const TICK = 200;

/**
 * @typedef {object} Deed
 * @property {string} key the kind of the thing, a blank, and its id
 * @property {"comment" | "message" | "notification" | "notifications" | "item" | "friend" | "withdrawn" |
 *   "decision"} what was done: `undo.WHAT` says it, and `undo.WHAT-failed` that it could not be done, or not
 *   be taken back
 * @property {string} [name] of the thing
 * @property {((userId: string) => Promise<unknown>) | null} send tells the service, when nobody puts it back
 *   any more; null if it knows already. It gets whose log-in it was: no other may do it
 * @property {(() => Promise<unknown>)} [back] takes back what the service knows already
 */

/** What is offered to be put back.
 * @type {{deed: Deed, left: number, userId: string} | null} */
let offered = null;
/** What is not shown: what was taken away, until those who show it know that the service does so too.
 * @type {Set<string>} */
const gone = new Set();
/** What is being sent.
 * @type {Set<Promise<unknown>>} */
const sending = new Set();
/** @type {Set<(key: string, isSent: boolean) => unknown>} */
const listeners = new Set();
let ticking = 0;

/** @param {string} key @param {boolean} [isSent] */
function tell(key, isSent = false) {
  draw();
  return Promise.allSettled([...listeners].map(async (listener) => listener(key, isSent)));
}

/** @param {(key: string, isSent: boolean) => unknown} listener hears what is taken away, put back, and sent:
 *   what it then returns is awaited, and until then the thing is not shown
 * @returns {() => void} which ends it */
export function onGone(listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether this was taken away.
 * @param {string} key */
export const isGone = (key) => gone.has(key);

/** What was done, in words; or that it failed.
 * @param {Deed} deed @param {"" | "-failed"} [failed] */
export const said = ({ what, name = "" }, failed = "") => t(`undo.${what}${failed}`, { name });

/** What can be put back now. */
export const offer = () => offered?.deed ?? null;

/** Take something away, or offer to take back what was just done. What was offered before is sent.
 * @param {Deed} deed */
export function takeAway(deed) {
  void settle();
  if (deed.send) gone.add(deed.key);
  offered = { deed, left: PATIENCE, userId: client.user?.id ?? "" };
  let last = performance.now();
  clearInterval(ticking);
  ticking = setInterval(() => {
    const now = performance.now();
    // Who is about to press it has time.
    if (offered && !document.getElementById("undo")?.matches(":hover, :focus")) offered.left -= now - last;
    last = now;
    if (!offered || offered.left <= 0) void settle();
  }, TICK);
  void tell(deed.key);
}

/** Put it back. */
export async function undo() {
  if (!offered) return;
  const { deed } = offered;
  end();
  gone.delete(deed.key);
  try {
    await deed.back?.();
    await tell(deed.key, !!deed.back);
  } catch (error) {
    warn(said(deed, "-failed"), error);
    await tell(deed.key);
  }
}

function end() {
  clearInterval(ticking);
  offered = null;
}

/** Send what was taken away. Never rejects: what cannot be sent is there again, and an alert says so. */
export async function settle() {
  const { deed, userId } = offered ?? { deed: null, userId: "" };
  end();
  if (deed) {
    // Of a log-in that has ended elsewhere nothing can be sent any more, and by the next one nothing may.
    if (client.user?.id !== userId) gone.delete(deed.key);
    else if (deed.send) {
      const sent = send(deed, () => deed.send?.(userId));
      sending.add(sent);
      void sent.finally(() => sending.delete(sent));
    }
    void tell(deed.key);
  }
  await Promise.all(sending);
}

/** @param {Deed} deed @param {() => unknown} work */
async function send(deed, work) {
  try {
    await work();
    await tell(deed.key, true);
  } catch (error) {
    warn(said(deed, "-failed"), error);
  }
  gone.delete(deed.key);
  await tell(deed.key);
}

addEventListener("pagehide", () => void settle());
beforeLogOut(settle);
