/** Where a log-in leads back to. */
import { base } from "../base.js";
import { address, here } from "../router.js";

/** The whole address of the log-in, which leads back to this place.
 * @param {string} [then] */
export function logInAddress(then = here()) {
  return address(`/log-in?then=${encodeURIComponent(then)}`);
}

/** The place that `?then=` names, below the portal's own path: as a path, or as a whole address. What leads
 * elsewhere is `/`.
 * @param {string | null} then */
export function destination(then) {
  if (!then) return "/";
  try {
    const url = new URL(then, base);
    if (url.origin !== new URL(base).origin) return "/";
    // A path is below the portal's own; what begins with two slashes or a backslash was a host.
    if (then.startsWith("/")) return url.href.slice(url.origin.length);
    return url.href.startsWith(base) ? url.href.slice(base.length - 1) : "/";
  } catch {
    return "/"; // No address at all.
  }
}
