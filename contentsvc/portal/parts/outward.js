/** Links that players write: they lead elsewhere, and say where. */
import { html } from "../vendor/preact.js";

/** An address that may be a link; null if it may not.
 * @param {string} address
 * @returns {URL | null} */
export function outside(address) {
  return /^https?:/i.test(address) && URL.canParse(address) ? new URL(address) : null;
}

/** Whether a text is the address itself, so that it says where it leads. What stands before an `@` in an address may
 * look like another host.
 * @param {string} text @param {URL} url */
const says = (text, { href, username, password }) =>
  !username && !password && (text === href || `${text}/` === href);

/** A link to what is elsewhere, in a new tab, with its host in brackets.
 * @param {{href: string, text: string, children?: any}} props `href` is the address of an URL, `text` what is
 *   shown, without marks */
export function Outward({ href, text, children }) {
  const url = new URL(href);
  return html`
    <a class="outward" href=${href} target="_blank" rel="nofollow noopener ugc">${children}</a>${
      !says(text, url) && html`${" "}<bdi class="host faint" dir="ltr">(${url.host})</bdi>`
    }
  `;
}
