/** Where a log-in leads back to. */
import { base } from "../base.js";
import { address, here } from "../router.js";

/** The whole address of the log-in, which leads back to this place.
 * @param {string} [then] */
export function logInAddress(then = here()) {
  return address(`/log-in?then=${encodeURIComponent(then)}`);
}

/** The place that `?then= names, below the portal's own path. What leads elsewhere is `/`.
 * @param {string | null} then */
export function destination(then) {
  if (!then) return "/";
  try {
    // A path of this origin; what begins with two slashes or a backslash is a host.
    if (then.startsWith("/") && new URL(then, base).origin === new URL(base).origin) return then;
  } catch {
    // No address at all.
  }
  return "/";
}
