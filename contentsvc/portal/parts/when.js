/** When something was, as long ago; its date and time for who asks. */
import { html } from "../vendor/preact.js";
import { ago, moment } from "../format.js";

/** @param {{at: number, kind?: string, children?: any}} props `at` in Unix seconds; `kind` are its classes;
 *   the children say it in other words */
export const When = ({ at, kind = "faint small", children }) =>
  html`
    <time class=${kind} datetime=${new Date(at * 1000).toISOString()} title=${moment(at)}>
      ${children ?? ago(at)}
    </time>
  `;
