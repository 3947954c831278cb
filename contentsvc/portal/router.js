/** Which place is shown: the address is the truth, and each place is fetched when it is needed. */
import { base, isFramed } from "./base.js";
import { begin, change, moved, restore } from "./history.js";
import { arrived, isOther } from "./layout.js";
import { shown } from "./renewal.js";
import { needSheet } from "./sheet.js";
import { needPart } from "./texts.js";

const GUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/**
 * @typedef {object} Place
 * @property {string} path where it is, below the portal's own path
 * @property {Record<string, string>} parameters those of the path
 * @property {URLSearchParams} query
 * @property {import("./vendor/preact.js").ComponentType<PlaceProps>} view
 */
/** @typedef {{parameters: Record<string, string>, query: URLSearchParams}} PlaceProps */

/** What an address may name: the path, and what fetches its module. `:id` is a GUID in the path, each
 * other `:name` any segment.
 * @typedef {[string, () => Promise<{default: any}>]} Route */

/** @type {{match: RegExp, load: Route[1]}[]} */
let routes = [];
/** What is shown where there is no such place, and where a place could not be fetched.
 * @type {{notFound: Route[1], unreachable: Place["view"]}} */
let others;

/** @type {(place: Place) => void} */
let show = () => {};
/** Counts the moves: one that was overtaken is not shown. */
let moves = 0;
/** The place that is shown.
 * @type {Place | null} */
let place = null;

/** What is never in a frame, where a page around it could cover what is pressed: the service says so too. */
const ALONE = /^\/(account|console|register|settings)/i;

/** The whole address of a place of the portal.
 * @param {string} path */
export function address(path) {
  return base + path.slice(1);
}

/** Go to a place. Where only the query changes, the focus stays, and so does the scroll.
 * @param {string} path
 * @param {{replace?: boolean, isLink?: boolean}} [options] who presses a link sees the top */
export function go(path, { replace = false, isLink = false } = {}) {
  if (isFramed && ALONE.test(path)) {
    open(address(path), "_blank", "noopener");
    return Promise.resolve();
  }
  // What is no place, such as /docs, is another page.
  if (isOther(path) || !routes.some((route) => route.match.test(path.replace(/[?#].*$/, "")))) {
    location[replace ? "replace" : "assign"](address(path));
    return Promise.resolve();
  }
  change(address(path), replace);
  if (isLink) scrollTo(0, 0);
  return arrive("here");
}

/** Have the address say what is shown at this place, such as what was chosen: nobody moves.
 * @param {string} path */
export function note(path) {
  change(address(path), true);
  if (place) show((place = { ...place, query: query() }));
}

/** Where we are, below the portal's own path, with the query. */
export function here() {
  return location.href.slice(base.length - 1).replace(/#.*$/, "");
}

/** The whole address of the log-in, which leads back to this place.
 * @param {string} [then] */
export function logInAddress(then = here()) {
  return address(`/log-in?then=${encodeURIComponent(then)}`);
}

/** The place that `?then=` names, below the portal's own path: as a path, or as a whole address. What leads
 * elsewhere is `/`.
 * @param {string | null} then */
export function destination(then) {
  if (!then) return "/";
  try {
    const url = new URL(then, base);
    if (url.origin !== new URL(base).origin) return "/";
    // A path is below the portal's own; what begins with two slashes or a backslash was a host.
    if (then.startsWith("/")) return url.href.slice(url.origin.length);
    return url.href.startsWith(base) ? url.href.slice(base.length - 1) : "/";
  } catch {
    return "/"; // No address at all.
  }
}

/** What shows a place, and the texts and the style that it needs.
 * @param {typeof routes[number] | undefined} found @param {string} path
 * @returns {Promise<Place["view"]>} */
async function fetched(found, path) {
  const load = found?.load ?? others.notFound;
  const loads = path === "/" ? [load()] : [load(), needPart("more"), needSheet()];
  return Promise.all(loads).then(
    ([module]) => (shown(), /** @type {{default: any}} */ (module).default),
    () => others.unreachable,
  );
}

/** What the address asks of the place, of which the layout is none. */
function query() {
  const all = new URLSearchParams(location.search);
  all.delete("layout");
  return all;
}

/** Show the place of the address.
 * @param {"here" | "back"} way `here` if the visitor has asked for it, and `back` if it was left before: then
 *   it is as it was */
async function arrive(way) {
  const move = ++moves;
  const path = location.pathname.slice(new URL(base).pathname.length - 1);
  const found = routes.find((route) => route.match.test(path));
  const isSame = place?.path === path;
  // Another query of the place that is shown is shown at once: what is drawn meanwhile by the one before
  // would take back what a field has.
  const view = place && isSame && place.view !== others.unreachable ? place.view : await fetched(found, path);
  if (move !== moves) return;
  const parameters = found?.match.exec(path)?.groups ?? {};
  place = { path, parameters, query: query(), view };
  show(place);
  arrived(isSame);
  if (way === "here" && isSame && !location.hash) return;
  if (way === "here" && !isSame)
    requestAnimationFrame(() => {
      const main = document.querySelector("main");
      // Where frames come late, the place has given the focus by itself already.
      if (!main?.contains(document.activeElement)) main?.focus({ preventScroll: true });
    });
  restore();
}

/** Call `draw` with each place from now on, and follow the links of the page.
 * @param {readonly Route[]} table the places
 * @param {typeof others} beside
 * @param {(place: Place) => void} draw */
export function start(table, beside, draw) {
  routes = table.map(([pattern, load]) => ({
    match: new RegExp(
      `^${pattern.replace(":id", `(?<id>${GUID})`).replace(/:(\w+)/g, "(?<$1>[^/]+)")}/?$`,
      "i",
    ),
    load,
  }));
  others = beside;
  show = draw;
  begin();
  addEventListener("popstate", () => (moved(), arrive("back")));
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a");
    if (!link || event.defaultPrevented || event.button || link.target || link.hasAttribute("download"))
      return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const path = link.href.slice(base.length - 1);
    const isOurs = link.href.startsWith(base);
    if (isFramed && (!isOurs || ALONE.test(path))) {
      link.target = "_blank";
      link.relList.add("noopener");
      return;
    }
    if (!isOurs || link.hasAttribute("data-outside")) return;
    if (path.startsWith("/#")) return;
    event.preventDefault();
    go(path, { isLink: true });
  });
  return arrive("back");
}
