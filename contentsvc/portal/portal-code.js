/** The code with which a game opens the portal, `/log-in#portal-code=CODE&user=ID&then=PLACE`. It leaves the
 * address at once: this module is the first that runs, and imports nothing that waits. */
import { base } from "./base.js";

/** @typedef {{code: string, user: string, then: string | null}} PortalCode */

/** @type {PortalCode | null} */
let found = null;
/** @type {() => void} */
let listener = () => {};

/** Have it leave the address. What the log-in leads to stays there, as any log-in has it. */
function hide() {
  const { href, origin, pathname, hash } = location;
  if (origin + pathname.replace(/\/$/, "") !== `${base}log-in` || !/[#&]portal-code=/.test(hash)) return;
  const members = new URLSearchParams(hash.slice(1));
  const url = new URL(href);
  url.hash = "";
  url.searchParams.delete("then");
  const then = members.get("then");
  if (then) url.searchParams.set("then", then);
  history.replaceState(history.state, "", url);
  const [code, user] = [members.get("portal-code"), members.get("user")];
  found = { code: code ?? "", user: (user ?? "").toLowerCase(), then };
  listener();
}

hide();
// A web view that is at the log-in already loads nothing where only the fragment is another.
addEventListener("hashchange", hide);

/** The code, once. */
export function takeCode() {
  const code = found;
  found = null;
  return code;
}

/** @param {() => void} hears that there is a code
 * @returns {() => void} which ends it */
export function onCode(hears) {
  listener = hears;
  return () => void (listener = () => {});
}
