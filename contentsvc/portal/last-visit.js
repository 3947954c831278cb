/** What the visitor's library was when they looked at it before: by that is known what is new since. It is
 * kept by ids alone; what they are called is kept as what was typed is, and goes when they log out. */
import { keepDraft, readDraft } from "./drafts.js";

/** @typedef {Record<string, string | null>} Shelf revisions by the ids of content */
/** @typedef {{at: number, before: Shelf, seen: Shelf}} Visit */

const PREFIX = "contentsvc.library.";
const NAMES = "library.names";
/** Seconds without a look after which a look is another visit. */
const PAUSE = 1_800;

/** @param {string} user
 * @returns {Visit | null} */
function read(user) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + user) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} user @param {Visit} visit */
function keep(user, visit) {
  try {
    localStorage.setItem(PREFIX + user, JSON.stringify(visit));
  } catch {
    // Where nothing is kept, nothing is new.
  }
}

/** Note a look at the library, and give what it was at the visit before.
 * @param {string} user
 * @param {Record<string, {revision: string | null, state: string}>} library
 * @returns {Shelf} */
export function look(user, library) {
  const was = read(user);
  const now = Date.now() / 1000;
  const known = was ? (now - was.at > PAUSE ? was.seen : was.before) : {};
  /** @type {Shelf} */
  const before = {};
  /** @type {Shelf} */
  const seen = {};
  for (const [id, { revision }] of Object.entries(library)) {
    const last = was?.seen[id];
    // What is hidden for a while is no news when it is back as it was.
    seen[id] = revision ?? last ?? null;
    before[id] = known[id] ?? last ?? seen[id];
  }
  keep(user, { at: now, before, seen });
  const names = Object.entries(readDraft(user, NAMES) ?? {}).filter(([id]) => id in library);
  keepDraft(user, NAMES, Object.fromEntries(names));
  return before;
}

/** What is kept from now on is known as it is.
 * @param {string} user
 * @param {{id: string, revisionId: string, name: string}} content */
export function meet(user, { id, revisionId, name }) {
  const was = read(user);
  if (was)
    keep(user, {
      ...was,
      before: { ...was.before, [id]: revisionId },
      seen: { ...was.seen, [id]: revisionId },
    });
  remember(user, [{ id, name }]);
}

/** What these are called, for when they can no longer be seen.
 * @param {string} user @param {{id: string, name: string}[]} contents */
export function remember(user, contents) {
  const names = Object.fromEntries(contents.map(({ id, name }) => [id, name]));
  keepDraft(user, NAMES, { ...readDraft(user, NAMES), ...names });
}

/** @param {string} user @param {string} id
 * @returns {string} what it was called; "" if nobody knows */
export const nameOf = (user, id) => readDraft(user, NAMES)?.[id] ?? "";
