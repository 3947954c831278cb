/** What an address brings that must leave it at once: the answer of an issuer to `/log-in`, and the tokens
 * of mails' links to `/account` and `/notice`. */
import { address } from "./router.js";

/** @type {URLSearchParams | null} */
let answer = null;
let token = "";
/** @type {{id: string, token: string} | null} */
let notice = null;

/** Have them leave the address, before anything is asked: neither history nor a Referer is to have them. */
export function hideAnswer() {
  const { origin, pathname, search } = location;
  const found = new URLSearchParams(search);
  if (origin + pathname === address("/account") && found.has("token")) {
    token = found.get("token") ?? "";
    history.replaceState(null, "", address("/account"));
  }
  if (origin + pathname === address("/notice") && found.has("token")) {
    notice = { id: found.get("notice") ?? "", token: found.get("token") ?? "" };
    history.replaceState(null, "", address("/notice"));
  }
  if (origin + pathname !== address("/log-in") || !(found.has("code") || found.has("error"))) return;
  answer = found;
  history.replaceState(null, "", address("/log-in"));
}

/** The answer, once. */
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
