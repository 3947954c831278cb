/** What is said beside every place: what has ended meanwhile, and what could not be done. */
import { beforeLogOut, news } from "./session.js";

/** @typedef {{id: number, text: string, path?: string, link?: string, error?: unknown,
 *   copied?: string}} Notice `copied` is the path of what its reader may share */

/** So many are shown. */
const MOST = 3;

/** @type {Notice[]} */
export let notices = [];
let count = 0;

/** @param {Notice[]} now */
function set(now) {
  notices = now.slice(-MOST);
  tell();
}

/** Have it drawn what is said now. The page fetches what draws it when it hears this for the first time. */
export const tell = () => void news.dispatchEvent(new Event("notices"));

/** Say that something has ended, wherever the visitor is now, with a link to it. Without a link it is about
 * the place that is shown, and ends with it.
 * @param {string} text @param {string} path of the place @param {string} link its text
 * @param {string} [copied] the path of a place whose address can be copied */
export function say(text, path, link, copied) {
  set([...notices, { id: ++count, text, path, link, copied }]);
}

/** Say that something could not be done, wherever the visitor is now.
 * @param {string} text @param {unknown} error why @param {string} [path] of a place
 * @param {string} [link] its text */
export function warn(text, error, path, link) {
  set([...notices, { id: ++count, text, error, path, link }]);
}

/** @param {number} id */
export const dismiss = (id) => set(notices.filter((one) => one.id !== id));

let under = 0;

/** @param {BeforeUnloadEvent} event */
function ask(event) {
  event.preventDefault();
  // What older browsers look at.
  event.returnValue = true;
}

/** Files are under way until `work` ends: who closes or reloads the tab meanwhile is asked. A move to another
 * place leaves it alone.
 * @template T
 * @param {Promise<T>} work
 * @returns {Promise<T>} */
export async function underWay(work) {
  if (!under++) addEventListener("beforeunload", ask);
  try {
    return await work;
  } finally {
    if (!--under) removeEventListener("beforeunload", ask);
  }
}

// What one user was told is not for the next.
beforeLogOut(async () => set([]));
