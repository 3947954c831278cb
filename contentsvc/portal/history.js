/** What belongs to each entry of the browser's history: how far the page was scrolled, and what was opened,
 * chosen and loaded in it. Back, forward and a reload find it as it was left. */

/** @typedef {{scroll?: number, [name: string]: any}} Kept */

const PREFIX = "contentsvc.entry.";
/** So many entries are remembered. */
const MOST = 50;
/** Milliseconds without another answer after which a page is as tall as it becomes, and those after which it
 * never will be. */
const QUIET = 600;
const LONGEST = 30_000;
/** Frames that go by meanwhile, at least: on a busy machine what asks comes long after what is drawn. */
const FRAMES = 8;

/** The entry that is shown. */
let entry = "";
/** @type {Kept} */
let kept = {};
/** Counts what the page reads now. */
let reading = 0;
/** When something was last read. */
let lastRead = 0;
/** Where the page is being scrolled to; null once it is there. @type {number | null} */
let wanted = null;

/** @param {string} name
 * @returns {Kept} */
function read(name) {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name) ?? "{}");
  } catch {
    return {};
  }
}

/** Store what is kept of the entry that is shown. Without storage it is lost with the page. */
function store() {
  if (wanted === null) kept.scroll = Math.round(scrollY);
  try {
    // The newest are last: an entry that is shown again becomes the newest.
    const all = /** @type {string[]} */ (JSON.parse(sessionStorage.getItem(`${PREFIX}all`) ?? "[]"));
    const now = [...all.filter((one) => one !== entry), entry];
    for (const old of now.splice(0, now.length - MOST)) sessionStorage.removeItem(PREFIX + old);
    sessionStorage.setItem(`${PREFIX}all`, JSON.stringify(now));
    sessionStorage.setItem(PREFIX + entry, JSON.stringify(kept));
  } catch {
    // A full storage, or none.
  }
}

/** Show an entry from now on. */
function enter() {
  entry = history.state?.entry ?? "";
  if (!entry) {
    entry = crypto.getRandomValues(new Uint32Array(2)).join("-");
    history.replaceState({ entry }, "");
  }
  kept = read(entry);
  // Until the place is drawn, the page is not yet scrolled: who reloads it meanwhile loses nothing.
  wanted = kept.scroll ?? null;
}

/** Call once, before anything is shown. */
export function begin() {
  history.scrollRestoration = "manual";
  enter();
  addEventListener("pagehide", store);
}

/** A new entry for this address, or the same entry with another address.
 * @param {string} url @param {boolean} replace */
export function change(url, replace) {
  if (replace || url === location.href) {
    // Another place in the same entry has nothing of the one before.
    if (new URL(url).pathname !== location.pathname) kept = {};
    else if (!replace) delete kept.scroll;
    if (kept.scroll === undefined) stop();
    return history.replaceState({ entry }, "", url);
  }
  store();
  stop();
  history.pushState(null, "", url);
  enter();
}

/** The browser has gone to another entry. */
export function moved() {
  store();
  stop();
  enter();
}

/** Which entry is shown: what is kept belongs to it. */
export const shown = () => entry;

/** What was kept of the entry that is shown.
 * @param {string} name */
export const recall = (name) => kept[name];

/** Keep something with the entry that is shown.
 * @param {string} name @param {any} value what JSON can hold; undefined forgets it */
export function remember(name, value) {
  kept[name] = value;
}

/** The page reads something that it will show: until it ends, the page is not as tall as it was.
 * @returns {() => void} which ends it */
export function begun() {
  reading += 1;
  let open = true;
  return () => {
    if (open) reading -= 1;
    open = false;
    lastRead = performance.now();
  };
}

/** Whether the page reads something that it will show. */
export const isReading = () => reading > 0;

/** Whether this entry was shown before: then it is scrolled to where it was. */
export const wasLeft = () => kept.scroll !== undefined;

function stop() {
  wanted = null;
}

/** Scroll to where the entry was left, or to what the address names, as soon as that is drawn. Whoever
 * scrolls or types meanwhile goes where they want. */
export function restore() {
  const target = location.hash.slice(1);
  const isLeft = wasLeft();
  stop();
  if (!isLeft) scrollTo(0, 0);
  if (!isLeft && !target) return;
  const own = entry;
  const start = performance.now();
  wanted = kept.scroll ?? 0;
  lastRead = start;
  let last = { top: -1, height: -1 };
  let quiet = { since: start, frames: 0 };
  const step = () => {
    if (wanted === null || entry !== own) return;
    const now = performance.now();
    const height = document.documentElement.scrollHeight;
    // Scrolled by somebody else, on a page that has not changed.
    if (last.height === height && Math.abs(scrollY - last.top) > 1) return stop();
    if (isLeft) scrollTo(0, wanted);
    else document.getElementById(target)?.scrollIntoView();
    last = { top: scrollY, height };
    quiet =
      reading || lastRead > quiet.since ? { since: now, frames: 0 } : { ...quiet, frames: quiet.frames + 1 };
    const isDrawn = quiet.frames > FRAMES && now - quiet.since > QUIET;
    if (isDrawn || now - start > LONGEST) stop();
    else requestAnimationFrame(step);
  };
  step();
}

for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"])
  addEventListener(kind, stop, { capture: true, passive: true });
