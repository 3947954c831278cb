/** A number with its sign: how often something was played, fetched or kept. */
import { html } from "../vendor/preact.js";
import { number } from "../format.js";
import { t } from "../texts.js";
import { Icon } from "./icons.js";

/** What it counts is read aloud.
 * @param {{name: "plays" | "downloads" | "subscribers" | "favourites" | "votes", count: number,
 *   sign?: boolean, shown?: string, values?: Record<string, number>}} props `shown` stands beside
 *   the sign, if not the number itself; `values` are what else its text has */
export function Count({ name, count, sign = true, shown = number(count), values = {} }) {
  const text = t(`counts.${name}`, { count, ...values });
  return html`
    <span class="count" title=${text}>
      ${sign && html`<${Icon} name=${name} />`}
      <span aria-hidden="true">${shown}</span>
      <span class="unseen">${text}</span>
    </span>
  `;
}
