/** How many there are of what was asked for: it is read aloud when that changes. */
import { html } from "../vendor/preact.js";
import { t } from "../texts.js";

/** Where nothing was found, what stands in the place of the list says so: then it is only read aloud.
 * @param {{of: {data?: {items: any[], next: object | null}}}} props */
export function HowMany({ of }) {
  const { data } = of;
  return html`
    <p class=${data && !data.items.length ? "unseen" : "found small faint"} role="status">
      ${data && t(data.next ? "list.found-more" : "list.found", { count: data.items.length })}
    </p>
  `;
}
