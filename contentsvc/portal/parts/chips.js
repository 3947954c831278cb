/** What a list is narrowed to, as buttons that end it. */
import { html } from "../vendor/preact.js";
import { t } from "../texts.js";
import { Icon } from "./icons.js";

/** @typedef {{text: string, remove: () => void}} Chip */

/** @param {{chips: Chip[], onClear: () => void}} props `onClear` ends all */
export function Chips({ chips, onClear }) {
  if (!chips.length) return null;
  return html`
    <ul class="chips" aria-label=${t("browse.filters")}>
      ${chips.map(
        ({ text, remove }) =>
          html`
            <li key=${text}>
              <button
                type="button"
                class="chip"
                aria-label=${t("browse.remove", { filter: text })}
                onClick=${remove}
              >
                <bdi>${text}</bdi>
                <${Icon} name="close" />
              </button>
            </li>
          `,
      )}
      ${
        chips.length > 1 &&
        html`
          <li key="">
            <button type="button" class="chip all" onClick=${onClear}>${t("browse.clear")}</button>
          </li>
        `
      }
    </ul>
  `;
}
