/** How many there are of what was asked for: it is read aloud when that changes. */
import { html } from "../vendor/preact.js";
import { t } from "../texts.js";

/** @param {{of: {data?: {items: any[], next: object | null}}}} props */
export function HowMany({ of }) {
  const { data } = of;
  return html`
    <p class="found small faint" role="status">
      ${data && t(data.next ? "list.found-more" : "list.found", { count: data.items.length })}
    </p>
  `;
}
