/** How the portal is laid out: with `?layout=game`, at any place or in what a log-in leads to, for the web
 * view of a game. It holds for this tab, until another layout is named. */
const KEPT = "contentsvc.layout";

/** @param {string} query
 * @returns {string | null | undefined} */
function named(query) {
  const all = new URLSearchParams(query);
  const then = all.get("then")?.match(/\?([^#]*)/);
  return all.get("layout") ?? (then && named(then[1]));
}

const layout = named(location.search) ?? named(location.hash.slice(1)) ?? sessionStorage.getItem(KEPT);

/** Whether this is the web view of a game. */
export const inGame = layout === "game";
if (inGame) document.documentElement.dataset.layout = "game";
sessionStorage.setItem(KEPT, inGame ? "game" : "");

/** Whether a place is asked for in another layout than this: then it has to be loaded.
 * @param {string} path */
export function isOther(path) {
  const asked = named(path.replace(/^[^?]*|#.*/g, ""));
  return asked != null && (asked === "game") !== inGame;
}

/** What hears of each arrival at a place.
 * @type {(isSame: boolean) => void} */
export let arrived = () => {};

/** @param {typeof arrived} listener */
export const onArrival = (listener) => void (arrived = listener);
