/** What is being published. It goes on wherever the visitor goes; the form that it began in finds it again,
 * and the files that were chosen there. */
import { say, underWay, warn } from "./notices.js";
import { go, here } from "./router.js";
import { beforeLogOut, state } from "./session.js";
import { t } from "./texts.js";

/** Milliseconds between two drawings of how far it is, and those that the speed is a mean of. */
const PAUSE = 100;
const WINDOW = 15_000;
/** Milliseconds before which nobody knows how long it takes. */
const SOON = 1_500;

/** @typedef {{file: File, done: number, total: number}} Sent */
/**
 * @typedef {object} Publication
 * @property {string} name of the content
 * @property {Sent[]} files
 * @property {boolean} isSending
 * @property {boolean} isCancelled
 * @property {unknown} error why it failed
 * @property {boolean} isBegun whether the service knows of the files
 * @property {AbortController} control
 * @property {[number, number][]} marks how many bytes had been sent when
 */
/** @typedef {{core: File[], further: File[], shots: File[]}} Chosen */

/** By the user, and the path of the form. @type {Map<string, Publication>} */
const publications = new Map();
/** @type {Map<string, Chosen>} */
const chosen = new Map();
/** @type {Set<() => void>} */
const listeners = new Set();
let timer = 0;

/** @param {string} path */
const key = (path) => `${state.user?.id} ${path}`;

/** Whether this form is shown. @param {string} path */
const isAt = (path) =>
  here()
    .replace(/\/?(\?.*)?$/, "")
    .toLowerCase() === path.toLowerCase();

/** @param {() => void} listener hears of each change
 * @returns {() => void} which ends it */
export function onPublications(listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Have it drawn: at once, or soon. @param {boolean} [atOnce] */
function tell(atOnce = true) {
  if (!atOnce && timer) return;
  clearTimeout(timer);
  const draw = () => ((timer = 0), listeners.forEach((listener) => listener()));
  if (atOnce) draw();
  else timer = setTimeout(draw, PAUSE);
}

/** What was begun in the form at this path, until it is published.
 * @param {string} path */
export const publicationOf = (path) => publications.get(key(path)) ?? null;

/** @param {string} path
 * @returns {Chosen} */
export const chosenOf = (path) => chosen.get(key(path)) ?? { core: [], further: [], shots: [] };

/** @param {string} path @param {(was: Chosen) => Partial<Chosen>} change */
export function choose(path, change) {
  const was = chosenOf(path);
  chosen.set(key(path), { ...was, ...change(was) });
  tell();
}

/** All bytes, and those that were sent.
 * @param {Publication} of */
export function progressOf({ files }) {
  const sum = (/** @type {"done" | "total"} */ member) => files.reduce((all, one) => all + one[member], 0);
  return { done: sum("done"), total: sum("total") };
}

/** Seconds until all is sent, as far as that can be said.
 * @param {Publication} of */
export function secondsLeft(of) {
  const { done, total } = progressOf(of);
  const [[since, from], now] = [of.marks[0] ?? [0, 0], performance.now()];
  if (now - since < SOON || done <= from) return null;
  return (total - done) / ((done - from) / (now - since)) / 1000;
}

/** @param {Publication} of @param {number} index @param {number} done @param {number} total */
function moved(of, index, done, total) {
  of.isBegun = true;
  Object.assign(of.files[index], { done, total });
  const now = performance.now();
  // What the service had already is no speed.
  if (!of.marks.length) of.marks.push([now, progressOf(of).done]);
  of.marks.push([now, progressOf(of).done]);
  while (of.marks.length > 2 && of.marks[0][0] < now - WINDOW) of.marks.shift();
  tell(false);
}

/**
 * Publish what the form at this path has. Never rejects: what went wrong stands in the form, and is said
 * wherever the visitor is then.
 * @param {string} path
 * @param {object} how
 * @param {string} how.name of the content
 * @param {File[]} how.files
 * @param {(options: {signal: AbortSignal, onProgress: (index: number, done: number, total: number) =>
 *   void}) => Promise<string>} how.work gives the path of what is published
 * @param {() => Promise<string | null>} how.look the same, of what may have been published before it was
 *   cancelled
 */
export async function begin(path, { name, files, work, look }) {
  if (publicationOf(path)?.isSending) return;
  const at = key(path);
  const control = new AbortController();
  /** @type {Publication} */
  const own = {
    name,
    files: files.map((file) => ({ file, done: 0, total: file.size })),
    isSending: true,
    isCancelled: false,
    error: null,
    isBegun: false,
    control,
    marks: [],
  };
  publications.set(at, own);
  tell();
  const onProgress = (/** @type {[number, number, number]} */ ...values) => moved(own, ...values);
  try {
    const made = await underWay(
      work({ signal: control.signal, onProgress }).catch(async (error) => {
        const { done, total } = progressOf(own);
        const isLate = control.signal.aborted && own.isBegun && done === total;
        const found = isLate ? await look().catch(() => null) : null;
        if (!found) throw error;
        return found;
      }),
    );
    // Who has logged out meanwhile is told nothing.
    if (publications.get(at) !== own) return;
    publications.delete(at);
    chosen.delete(at);
    // Who has gone on is told, and not taken away from there.
    if (!isAt(path)) say(t("publish.done", { name }), made, t("publish.done-link"), made);
    else {
      await go(made);
      say(t("publish.done-here"), "", "", made);
    }
  } catch (error) {
    if (publications.get(at) !== own) return;
    const isCancelled = control.signal.aborted;
    Object.assign(own, { isSending: false, isCancelled, error: isCancelled ? null : error });
    if (!isCancelled && !isAt(path)) warn(t("publish.not-done", { name }), error, path, t("publish.back"));
  }
  tell();
}

/** @param {string} path */
export function cancel(path) {
  publicationOf(path)?.control.abort();
}

beforeLogOut(async () => {
  for (const { control } of publications.values()) control.abort();
  publications.clear();
  chosen.clear();
  tell();
});
