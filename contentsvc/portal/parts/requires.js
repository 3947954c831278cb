/** What a revision needs of a game: in words, and as fields. */
import { html } from "../vendor/preact.js";
import { features, PLATFORMS } from "../game.js";
import { t } from "../texts.js";
import { Field } from "./form.js";
import { platformName } from "./names.js";

/** @typedef {import("../client.js").Requires} Requires */
/** @typedef {{min: string, max: string, platforms: string[], features: string}} Needs what the fields have */

/** @type {Needs} */
export const NO_NEEDS = { min: "", max: "", platforms: [], features: "" };

/** @param {Requires | null | undefined} requires
 * @returns {Needs} */
export function needsOf(requires) {
  const { game, platforms = [], features = [] } = requires ?? {};
  return { min: game?.min ?? "", max: game?.max ?? "", platforms, features: features.join(", ") };
}

/** @param {Needs} needs
 * @returns {Requires | null} */
export function requiresOf({ min, max, platforms, features: text }) {
  const [low, high] = [min.trim(), max.trim()];
  const list = features(text).split(",").filter(Boolean);
  // One that the service has no more cannot be required anew.
  const some = PLATFORMS.filter((one) => platforms.includes(one));
  const requires = {
    ...((low || high) && { game: { ...(low && { min: low }), ...(high && { max: high }) } }),
    ...(some.length && { platforms: some }),
    ...(list.length && { features: list }),
  };
  return Object.keys(requires).length ? requires : null;
}

/** Whether a version is above another; false while one of both is none.
 * @param {string} one @param {string} other */
function isAbove(one, other) {
  const [first, second] = [one, other].map((version) => version.trim().split(".").map(Number));
  const at = [0, 1, 2, 3].find((at) => (first[at] ?? 0) !== (second[at] ?? 0));
  return at !== undefined && (first[at] ?? 0) > (second[at] ?? 0);
}

/** In words, a part for each thing that is needed.
 * @param {Requires | null | undefined} requires
 * @returns {string[]} */
export function inWords(requires) {
  const { game, platforms, features } = requires ?? {};
  const { min, max } = game ?? {};
  return [
    min && max
      ? t("requires.between", { min, max })
      : min
        ? t("requires.from", { min })
        : max
          ? t("requires.up-to", { max })
          : "",
    (platforms ?? []).map((one) => platformName(one)).join(", "),
    (features ?? []).join(", "),
  ].filter(Boolean);
}

/** In a form with the limits of an operation that takes `requires`.
 * @param {{needs: Needs, onChange: (needs: Needs) => void}} props */
export function NeedsFields({ needs, onChange }) {
  const list = features(needs.features);
  /** @param {string} name */
  const toggle = (name) =>
    onChange({
      ...needs,
      platforms: needs.platforms.includes(name)
        ? needs.platforms.filter((one) => one !== name)
        : [...needs.platforms, name],
    });
  return html`
    <div class="pair">
      <${Field}
        label=${t("requires.min")}
        name="requires/game/min"
        value=${needs.min}
        sent=${needs.min.trim()}
        check=${() => needs.max.trim() && isAbove(needs.min, needs.max) && t("requires.min-above")}
        wrong=${t("game.version-wrong")}
        inputmode="decimal"
        placeholder="1.2"
        onChange=${(/** @type {string} */ min) => onChange({ ...needs, min })}
      />
      <${Field}
        label=${t("requires.max")}
        name="requires/game/max"
        value=${needs.max}
        sent=${needs.max.trim()}
        wrong=${t("game.version-wrong")}
        inputmode="decimal"
        placeholder="1.4"
        onChange=${(/** @type {string} */ max) => onChange({ ...needs, max })}
      />
    </div>
    <fieldset>
      <legend>${t("requires.platforms")}</legend>
      <p class="actions">
        ${PLATFORMS.map(
          (name) =>
            html`
              <label class="check" key=${name}>
                <input
                  type="checkbox"
                  checked=${needs.platforms.includes(name)}
                  onChange=${() => toggle(name)}
                />${" "}
                ${platformName(name)}
              </label>
            `,
        )}
      </p>
    </fieldset>
    <${Field}
      label=${t("requires.features")}
      name="requires/features"
      value=${needs.features}
      sent=${list ? list.split(",") : null}
      wrong=${t("game.features-wrong")}
      hint=${t("game.features-hint")}
      onChange=${(/** @type {string} */ features) => onChange({ ...needs, features })}
    />
  `;
}
