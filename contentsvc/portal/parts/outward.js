/** Links that players write: they lead elsewhere, and say where. */
import { html } from "../vendor/preact.js";

/** An address that may be a link; null if it may not.
 * @param {string} address
 * @returns {URL | null} */
export function outside(address) {
  return /^https?:/i.test(address) && URL.canParse(address) ? new URL(address) : null;
}

/** Whether a text is the address itself, so that it says where it leads. What stands before an `@` in one
 * looks like another host.
 * @param {string} text @param {URL} url */
const says = (text, { href, username, password }) =>
  !username && !password && (text === href || `${text}/` === href);

/** In the web view of a game there are no tabs, and nothing leads elsewhere. */
const inGame = document.documentElement.dataset.layout === "game";

/** A link that a player has written, in a new tab, with its host in brackets.
 * @param {{href: string, text: string, children?: any}} props `href` is the address of an URL, `text` what is
 *   shown, without marks */
export function Outward({ href, text, children }) {
  const url = new URL(href);
  const isText = inGame && url.origin !== location.origin;
  const more = { href, rel: "nofollow noopener ugc", target: inGame ? undefined : "_blank" };
  return html`
    ${
      isText ? html`<bdi>${children}</bdi>` : html`<a class="outward" ...${more}>${children}</a>`
    }${!says(text, url) && html`${" "}<bdi class="faint" dir="ltr">(${url.host})</bdi>`}
  `;
}
