/** The visitor's game: its version, its platform and what it has, as they have named it in Settings, or in
 * the filter of this tab. What they look at is compared with it. */

import { service } from "./service.js";

/** What the query of operations has.
 * @typedef {{game?: string, platform?: string, features?: string}} Game */

const NAMED = "contentsvc.game";
/** Those of the service, in its order. */
export const PLATFORMS = service.platforms.map((one) => one.name);
export const MEMBERS = /** @type {const} */ (["game", "platform", "features"]);
const VERSION = /^\d{1,10}(\.\d{1,10}){0,3}$/;
const FEATURES = /^[a-z0-9._-]{1,32}(,[a-z0-9._-]{1,32}){0,255}$/;
const LARGEST = 2 ** 31 - 1;

/** @param {string} text */
export const isVersion = (text) =>
  VERSION.test(text) && text.split(".").every((one) => Number(one) <= LARGEST);

/** Features as the query has them: without blanks.
 * @param {string} text */
export const features = (text) =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean)
    .join(",");

/** @param {string} text a list as `features` gives it */
export const areFeatures = (text) => FEATURES.test(text);

/** What the service takes of these values: what is empty or wrong is not asked.
 * @param {Record<string, string | undefined>} values
 * @returns {Game} */
export function valid({ game = "", platform = "", features = "" }) {
  return {
    ...(isVersion(game) && { game }),
    ...(PLATFORMS.includes(platform) && { platform }),
    ...(areFeatures(features) && { features }),
  };
}

/** @param {Storage} storage
 * @returns {Game} */
function read(storage) {
  try {
    return valid(JSON.parse(storage.getItem(NAMED) ?? "{}"));
  } catch {
    return {};
  }
}

/** @param {Storage} storage @param {Game} game */
function keep(storage, game) {
  try {
    if (Object.keys(game).length) storage.setItem(NAMED, JSON.stringify(game));
    else storage.removeItem(NAMED);
  } catch {
    // Without storage it is named for this page alone.
  }
}

/** That of Settings. */
export const ownGame = () => read(localStorage);

/** @param {Game} game */
export const setOwnGame = (game) => keep(localStorage, game);

/** That of the filter of this tab: it goes before.
 * @param {Game} game */
export const setFilter = (game) => keep(sessionStorage, game);

/** What the visitor looks at is compared with this.
 * @returns {Game} */
export function game() {
  const filter = read(sessionStorage);
  return Object.keys(filter).length ? filter : ownGame();
}
