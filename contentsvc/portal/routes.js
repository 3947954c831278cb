/** The places, which the router does not know: they import it. */

import { needSheet } from "./sheet.js";
import { needPart } from "./texts.js";

/** Each by its path. What a place is made of is fetched with it. The service reads this table too: it is
 * a line for each. */
export const PLACES = /** @type {import("./router.js").Route[]} */ ([
  ["/", () => import("./places/discover.js")],
  ["/browse", () => import("./places/browse.js")],
  ["/search", () => import("./places/search.js")],
  ["/content/:id", () => import("./places/content.js")],
  ["/content/:id/statistics", () => import("./places/content-statistics.js")],
  ["/user/:id", () => import("./places/user.js")],
  ["/challenges", () => import("./places/challenges.js")],
  ["/challenges/:id", () => import("./places/challenge.js")],
  ["/notifications", () => import("./places/notifications.js")],
  ["/library", () => import("./places/library.js")],
  ["/library/collections", () => import("./places/collections.js")],
  ["/library/memberships", () => import("./places/memberships.js")],
  ["/collections/:id", () => import("./places/collection.js")],
  ["/friends", () => import("./places/friends.js")],
  ["/messages/:id", () => import("./places/messages.js")],
  ["/publish", () => import("./places/publish.js")],
  ["/publish/:id", () => import("./places/publish.js")],
  ["/settings", () => import("./places/settings.js")],
  ["/log-in", () => import("./places/log-in.js")],
  ["/register", () => import("./places/register.js")],
  ["/account", () => import("./places/account.js")],
  ["/decisions", () => import("./places/decisions.js")],
  ["/decisions/:id", () => import("./places/decision.js")],
  ["/appeal", () => import("./places/appeal.js")],
  ["/legal", () => import("./places/legal.js")],
  ["/notice", () => import("./places/notice.js")],
  ["/console", () => import("./console/first.js")],
  ["/console/reports", () => import("./console/queue.js")],
  ["/console/reports/:kind/:subject", () => import("./console/subject.js")],
  ["/console/appeals", () => import("./console/appeals.js")],
  ["/console/holds", () => import("./console/holds.js")],
  ["/console/holds/:kind/:subject", () => import("./console/hold.js")],
  ["/console/actions", () => import("./console/actions.js")],
  ["/console/featured", () => import("./console/featured.js")],
  ["/console/tags", () => import("./console/tags.js")],
  ["/console/announcements", () => import("./console/announcements.js")],
  ["/console/notifications", () => import("./console/notifications.js")],
  ["/console/staff", () => import("./console/staff.js")],
  ["/console/service-accounts", () => import("./console/service-accounts.js")],
  ["/console/webhooks", () => import("./console/webhooks.js")],
  ["/console/events", () => import("./console/events.js")],
  ["/console/statistics", () => import("./console/statistics.js")],
  ["/console/challenges", () => import("./console/challenges.js")],
  ["/console/users", () => import("./console/users.js")],
  ["/console/users/:id", () => import("./console/users.js")],
]);

/** The places of one's own, which have the most modules. */
const OWN = ["/notifications", "/friends", "/publish", "/settings"];

/** When nothing else is to do: where a browser cannot say so (Safari), a little later.
 * @returns {Promise<unknown>} */
const idle = () =>
  new Promise((found) =>
    "requestIdleCallback" in window ? requestIdleCallback(found) : setTimeout(found, 500),
  );

let prepared = false;

/** Fetch the modules of one's own places before one goes there: the first move is then as fast as the
 * next. What does not come now is asked for again by the move, which says so where it fails. */
export async function prepare() {
  if (prepared) return;
  prepared = true;
  await idle();
  await Promise.all([needPart("more"), needSheet()]).catch(() => {});
  for (const [path, load] of PLACES) {
    if (!OWN.includes(path)) continue;
    await idle();
    await load().catch(() => {});
  }
}

/** Any other address. */
export const notFound = () => import("./places/not-found.js");
