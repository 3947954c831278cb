/** The console: its places side by side, for those who keep order. Others see what a wrong address shows. */
import { html } from "../vendor/preact.js";
import { needPart, t } from "../texts.js";
import { useSession, useTitle } from "../parts/hooks.js";
import { PlaceTabs } from "../parts/tabs.js";
import NotFound from "../places/not-found.js";

// What a place of the console says is there before it is shown.
await needPart("console");

const PLACES = /** @type {const} */ ([
  ["/console/reports", "console.queue", "moderate"],
  ["/console/users", "console.users", "moderate"],
  ["/console/actions", "console.actions", "moderate"],
  ["/console/featured", "discover.featured", "curate"],
  ["/console/challenges", "console.challenges", "curate"],
  ["/console/announcements", "console.announcements", "curate"],
  ["/console/notifications", "console.notifications", "notify"],
  ["/console/staff", "console.staff", "administer"],
  ["/console/service-accounts", "console.service-accounts", "administer"],
  ["/console/webhooks", "console.webhooks", "administer"],
  ["/console/events", "console.events", "events"],
  ["/console/statistics", "console.statistics", "events"],
]);

/** The first of them that may be seen with these permissions.
 * @param {string[]} permissions
 * @returns {string | undefined} */
export const firstPlace = (permissions) =>
  PLACES.find(([, , permission]) => permissions.includes(permission))?.[0];

/** @param {{place: string, needs?: string, title?: string, children?: any}} props `title` is that of what the
 *   place is about, which is not the place's own */
export function Frame({ place, needs = "moderate", title, children }) {
  const { permissions } = useSession();
  const places = PLACES.filter(([, , permission]) => permissions.includes(permission)).map(
    ([path, text]) => /** @type {const} */ ([path, t(text)]),
  );
  const name = title ?? places.find(([path]) => path === place)?.[1] ?? t("place.console");
  useTitle(name);
  if (!permissions.includes(needs)) return html`<${NotFound} />`;
  return html`
    <h1>${t("place.console")}</h1>
    <${PlaceTabs} places=${places} place=${place} label=${t("place.console")} />
    <h2 dir="auto">${name}</h2>
    ${children}
  `;
}
