/** The answer of an issuer, which the browser brings to `/log-in`. */
import { address } from "./router.js";

/** @type {URLSearchParams | null} */
let answer = null;

/** Have the answer leave the address, before anything is asked: it has the code of a log-in. */
export function hideAnswer() {
  const { origin, pathname, search } = location;
  const found = new URLSearchParams(search);
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
