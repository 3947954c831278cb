/** What the page shows while the service is closed. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { closed, onMaintenance } from "../maintenance.js";
import { moment } from "../format.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { useSession, useTitle } from "./hooks.js";

/** Why the place is not shown; null if it is. Staff goes on, and must be able to log in.
 * @param {string} path of the place */
export function useClosed(path) {
  const [now, set] = useState(closed);
  useEffect(() => onMaintenance(() => set(closed)), []);
  const { permissions } = useSession();
  return permissions.length || path === "/log-in" ? null : now;
}

/** @param {{closed: import("../maintenance.js").Closed, path: string}} props */
export function Maintenance({ closed, path }) {
  const { user } = useSession();
  useTitle(t("maintenance.title"), true);
  return html`
    <section class="closed" role="status">
      <h1>${t("maintenance.title")}</h1>
      <p class="plain-text" dir="auto">
        ${closed.message ?? t("maintenance.text")}
      </p>
      ${closed.until && html`<p>${t("maintenance.until", { time: moment(closed.until) })}</p>`}
      <p class="faint">${t("maintenance.mends")}</p>
      ${
        !user &&
        html`
          <p class="small">
            <a href=${address(`/log-in?then=${encodeURIComponent(path)}`)}>${t("maintenance.staff")}</a>
          </p>
        `
      }
    </section>
  `;
}
