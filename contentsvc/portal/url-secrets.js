/** What an address brings that must leave it at once, so that neither history nor a Referer has it: a game's
 * code to `/log-in`, the answer of an issuer to the same, and the tokens of mails' links to `/account` and
 * `/notice`. This module is the first that runs, and imports nothing that waits. */
import { base } from "./base.js";

/** @typedef {{code: string, user: string, then: string | null}} PortalCode */

/** @type {PortalCode | null} */
let code = null;
/** @type {URLSearchParams | null} */
let answer = null;
let token = "";
/** @type {{id: string, token: string} | null} */
let notice = null;
/** @type {() => void} */
let listener = () => {};

/** Take the code of `/log-in#portal-code=CODE&user=ID&then=PLACE`. What the log-in leads to stays there, as
 * any log-in has it. */
function hideCode() {
  const { href, origin, pathname, hash } = location;
  if (origin + pathname.replace(/\/$/, "") !== `${base}log-in` || !/[#&]portal-code=/.test(hash)) return;
  const members = new URLSearchParams(hash.slice(1));
  const url = new URL(href);
  url.hash = "";
  url.searchParams.delete("then");
  const then = members.get("then");
  if (then) url.searchParams.set("then", then);
  history.replaceState(history.state, "", url);
  const user = members.get("user") ?? "";
  code = { code: members.get("portal-code") ?? "", user: user.toLowerCase(), then };
  listener();
}

/** Take what the query has. */
function hideQuery() {
  const { origin, pathname, search } = location;
  const place = origin + pathname;
  const found = new URLSearchParams(search);
  if (place === `${base}account` && found.has("token")) token = found.get("token") ?? "";
  else if (place === `${base}notice` && found.has("token"))
    notice = { id: found.get("notice") ?? "", token: found.get("token") ?? "" };
  else if (place === `${base}log-in` && (found.has("code") || found.has("error"))) answer = found;
  else return;
  history.replaceState(null, "", place);
}

hideCode();
hideQuery();
// A web view that is at the log-in already loads nothing where only the fragment is another.
addEventListener("hashchange", hideCode);

/** The code, once. */
export function takeCode() {
  const found = code;
  code = null;
  return found;
}

/** @param {() => void} hears that there is a code
 * @returns {() => void} which ends it */
export function onCode(hears) {
  listener = hears;
  return () => void (listener = () => {});
}

/** The answer of the issuer, once. */
export function takeAnswer() {
  const found = answer;
  answer = null;
  return found;
}

/** The token, once. */
export function takeToken() {
  const found = token;
  token = "";
  return found;
}

/** The notice of a mail's link, once. */
export function takeNotice() {
  const found = notice;
  notice = null;
  return found;
}
