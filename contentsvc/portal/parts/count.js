/** A number with its sign: how often something was played, fetched or kept. */
import { html } from "../vendor/preact.js";
import { number } from "../format.js";
import { t } from "../texts.js";
import { Icon } from "./icons.js";

/** What it counts is read aloud.
 * @param {{name: "plays" | "downloads" | "subscribers" | "favourites", count: number, sign?: boolean}}
 *   props */
export function Count({ name, count, sign = true }) {
  const text = t(`counts.${name}`, { count });
  return html`
    <span class="count" title=${text}>
      ${sign && html`<${Icon} name=${name} />`}
      <span aria-hidden="true">${number(count)}</span>
      <span class="unseen">${text}</span>
    </span>
  `;
}
