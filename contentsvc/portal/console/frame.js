/** The console: its places side by side, for those who keep order. Others see what a wrong address shows. */
import { html, useEffect, useRef } from "../vendor/preact.js";
import { address } from "../router.js";
import { needConsole, t } from "../texts.js";
import { useSession, useTitle } from "../parts/hooks.js";
import NotFound from "../places/not-found.js";

// What a place of the console says is there before it is shown.
await needConsole();

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

/** @param {{place: string, needs?: string, children?: any}} props */
export function Frame({ place, needs = "moderate", children }) {
  const { permissions } = useSession();
  useTitle(t("place.console"));
  const row = useRef(/** @type {HTMLElement | null} */ (null));
  const isShown = permissions.includes(needs);
  useEffect(() => {
    // On a narrow page the row is longer than the page.
    row.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [place, isShown]);
  if (!isShown) return html`<${NotFound} />`;
  return html`
    <h1>${t("place.console")}</h1>
    <nav class="tabs" ref=${row} aria-label=${t("place.console")}>
      ${PLACES.filter(([, , permission]) => permissions.includes(permission)).map(
        ([path, text]) =>
          html`
            <a key=${path} href=${address(path)} aria-current=${place === path ? "page" : undefined}>
              ${t(text)}
            </a>
          `,
      )}
    </nav>
    ${children}
  `;
}
