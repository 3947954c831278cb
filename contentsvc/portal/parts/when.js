/** When something was, as long ago; its date and time for who asks. */
import { html } from "../vendor/preact.js";
import { ago, moment } from "../format.js";

/** @param {{at: number}} props Unix seconds */
export const When = ({ at }) =>
  html`
    <time class="faint small" datetime=${new Date(at * 1000).toISOString()} title=${moment(at)}>
      ${ago(at)}
    </time>
  `;
