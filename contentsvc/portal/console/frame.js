/** The console: its places side by side, for those who keep order. Others see what a wrong address shows. */
import { html } from "../vendor/preact.js";
import { number } from "../format.js";
import { address } from "../router.js";
import { tagGroups } from "../tag-groups.js";
import { needPart, t } from "../texts.js";
import { useSession, useTitle } from "../parts/hooks.js";
import { useRow } from "../parts/tabs.js";
import NotFound from "../places/not-found.js";
import { MOST, useOpen } from "./open-reports.js";

// What a place of the console says is there before it is shown.
await needPart("console");

const GROUPS = /** @type {const} */ ([
  [
    "console.group-moderation",
    [
      ["/console/reports", "console.queue", "moderate"],
      ["/console/users", "console.users", "moderate"],
      ["/console/appeals", "console.appeals", "moderate"],
      ["/console/actions", "console.actions", "moderate"],
      ["/console/holds", "console.holds", "administer"],
    ],
  ],
  [
    "console.group-curation",
    [
      ["/console/featured", "discover.featured", "curate"],
      ["/console/tags", "console.tags", "curate"],
      ["/console/challenges", "console.challenges", "curate"],
      ["/console/announcements", "console.announcements", "curate"],
    ],
  ],
  [
    "console.group-studio",
    [
      ["/console/notifications", "console.notifications", "notify"],
      ["/console/staff", "console.staff", "administer"],
      ["/console/service-accounts", "console.service-accounts", "administer"],
      ["/console/webhooks", "console.webhooks", "administer"],
      ["/console/events", "console.events", "events"],
      ["/console/statistics", "console.statistics", "events"],
    ],
  ],
]);

/** Places that only some services have.
 * @type {Record<string, boolean>} */
const THERE = { "/console/tags": tagGroups.some((group) => group.staff) };

const PLACES = GROUPS.flatMap(([, places]) => /** @type {readonly (typeof places)[number][]} */ (places));

/** The first place that somebody with these permissions may see.
 * @param {string[]} permissions
 * @returns {string | undefined} */
export const firstPlace = (permissions) =>
  PLACES.find(([, , permission]) => permissions.includes(permission))?.[0];

/** @param {{place: string, needs?: string, title?: string, children?: any}} props `title` is that of what the
 *   place is about, which is not the place's own */
export function Frame({ place, needs = "moderate", title, children }) {
  const { permissions } = useSession();
  const text = PLACES.find(([path]) => path === place)?.[1];
  const name = title ?? t(text ?? "place.console");
  useTitle(name);
  if (!permissions.includes(needs)) return html`<${NotFound} />`;
  return html`
    <h1>${t("place.console")}</h1>
    <div class="console">
      <${Places} place=${place} permissions=${permissions} />
      <div class="console-place">
        <h2 dir="auto">${name}</h2>
        ${children}
      </div>
    </div>
  `;
}

/** The places that somebody may see. That of the reports has the number of subjects that wait.
 * @param {{place: string, permissions: string[]}} props */
function Places({ place, permissions }) {
  const row = useRow(place);
  const open = useOpen(permissions.includes("moderate"));
  const count = open?.items.length ?? 0;
  const shown = `${number(count)}${open?.isMore ? "+" : ""}`;
  const groups = GROUPS.map(
    ([group, places]) =>
      /** @type {const} */ ([
        group,
        places.filter(([path, , permission]) => permissions.includes(permission) && THERE[path] !== false),
      ]),
  ).filter(([, places]) => places.length);
  return html`
    <nav class="console-nav" aria-label=${t("place.console")} ref=${row}>
      ${groups.map(
        ([group, places]) =>
          html`
            <div role="group" key=${group} aria-labelledby=${group}>
              <p id=${group}>${t(group)}</p>
              ${places.map(
                ([path, text]) =>
                  html`
                    <a
                      key=${path}
                      href=${address(path)}
                      aria-current=${place === path ? "page" : undefined}
                      aria-describedby=${path === "/console/reports" && count ? "console-open" : undefined}
                    >
                      ${t(text)}
                      ${
                        path === "/console/reports" &&
                        html`<span class=${`mark ${count ? "" : "none"}`} aria-hidden="true">${shown}</span>`
                      }
                    </a>
                  `,
              )}
            </div>
          `,
      )}
      <span id="console-open" hidden>
        ${t(open?.isMore ? "console.open-more" : "console.open", { count: open?.isMore ? MOST : count })}
      </span>
    </nav>
  `;
}
