/** What the visitor keeps and likes. It is read once for all cards, and again when the service says that it
 * may be another. */
import { client, news, onState, state } from "./session.js";

/** @typedef {"subscribed" | "favourite"} Mark */

/** @type {Record<Mark, Set<string>>} */
const marks = { subscribed: new Set(), favourite: new Set() };

/** Whose these are, while they are asked for. */
let owner = /** @type {string | null} */ (null);
/** Counts what the visitor has changed: what was read before does not undo it. */
let clock = 0;
/** @type {Map<string, number>} */
const changes = new Map();
/** @type {Set<() => void>} */
const listeners = new Set();

function tell() {
  for (const listener of listeners) listener();
}

/** @param {Mark} mark @param {string} id */
const key = (mark, id) => `${mark} ${id}`;

/** Take what was read, but for what was changed since.
 * @param {Mark} mark @param {string[]} ids @param {string} of whose it is @param {number} begun */
function take(mark, ids, of, begun) {
  if (of !== owner) return;
  const now = new Set(ids);
  for (const [name, when] of changes) {
    if (when <= begun || !name.startsWith(mark)) continue;
    const id = name.slice(mark.length + 1);
    if (marks[mark].has(id)) now.add(id);
    else now.delete(id);
  }
  marks[mark] = now;
  tell();
}

async function readSubscribed() {
  const [of, begun] = [owner, clock];
  if (of) take("subscribed", Object.keys(await client.getLibrary({})), of, begun);
}

async function readFavourites() {
  const [of, begun] = [owner, clock];
  if (!of) return;
  /** @type {string[]} */
  const ids = [];
  for await (const { id } of client.each("listCollectionItems", { collectionId: of, limit: 100 }))
    ids.push(id);
  take("favourite", ids, of, begun);
}

/** Milliseconds until what could not be read is read again. Until then nothing is marked; pressed, it is kept
 * all the same. */
const PAUSE = 10_000;

/** @param {() => Promise<void>} work */
function read(work) {
  const of = owner;
  void work().catch(() => setTimeout(() => of && of === owner && read(work), PAUSE));
}

function follow() {
  const user = state.user?.id ?? null;
  if (user === owner) return;
  owner = user;
  changes.clear();
  marks.subscribed = new Set();
  marks.favourite = new Set();
  tell();
  read(readSubscribed);
  read(readFavourites);
}

let isFollowing = false;

/** Hear when a mark changes.
 * @param {() => void} listener
 * @returns {() => void} which ends it */
export function onSaved(listener) {
  listeners.add(listener);
  if (!isFollowing) {
    isFollowing = true;
    onState(follow);
    news.addEventListener("open", () => read(readSubscribed));
    news.addEventListener("message", (event) => {
      if (/** @type {CustomEvent} */ (event).detail.type === "library") read(readSubscribed);
    });
    follow();
  }
  return () => void listeners.delete(listener);
}

/** @param {Mark} mark @param {string} id */
export const has = (mark, id) => marks[mark].has(id);

/** Show a mark from now on, or no more.
 * @param {Mark} mark @param {string} id @param {boolean} on */
export function show(mark, id, on) {
  changes.set(key(mark, id), ++clock);
  if (on) marks[mark].add(id);
  else marks[mark].delete(id);
  tell();
}

/** Set a mark: it is shown at once, and taken back if it is refused.
 * @param {Mark} mark @param {string} id @param {boolean} on */
export async function mark(mark, id, on) {
  const user = state.user?.id;
  show(mark, id, on);
  try {
    const contentId = id;
    const collectionId = user ?? "";
    if (mark === "subscribed")
      await (on ? client.putSubscription({ contentId, body: {} }) : client.deleteSubscription({ contentId }));
    else
      await (on
        ? client.putCollectionItem({ collectionId, contentId, body: {} })
        : client.deleteCollectionItem({ collectionId, contentId }));
  } catch (error) {
    if (user === owner) show(mark, id, !on);
    throw error;
  }
}
