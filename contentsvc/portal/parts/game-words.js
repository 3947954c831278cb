/** What the visitor's game is called. */
import { PLATFORMS } from "../game.js";
import { t } from "../texts.js";
import { platformName } from "./names.js";

/** The game in words.
 * @param {import("../game.js").Game} mine */
export function gameWords({ game, platform, features }) {
  return [
    game && t("game.is-version", { version: game }),
    platform && platformName(platform),
    features && features.replaceAll(",", ", "),
  ]
    .filter(Boolean)
    .join(", ");
}

/** The platforms as options of a choice, with any of them first.
 * @returns {[string, string][]} */
export const platforms = () => [
  ["", t("game.any-platform")],
  ...PLATFORMS.map((name) => /** @type {[string, string]} */ ([name, platformName(name)])),
];
