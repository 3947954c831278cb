/** `/console/actions`: what those who keep order have done. */
import { html } from "../vendor/preact.js";
import { may } from "../session.js";
import { address } from "../router.js";
import { ago, moment } from "../format.js";
import { hasText, t } from "../texts.js";
import { List, useList } from "../parts/list.js";
import { Empty } from "../parts/states.js";
import { Actor, useServices } from "./actors.js";
import { Frame } from "./frame.js";
import { useNames } from "./names.js";
import { roleName } from "./role.js";

export default function All() {
  return html`
    <${Frame} place="/console/actions">
      <${Actions} />
    <//>
  `;
}

/** @param {{kind: string, id: string}} subject */
function target({ kind, id }) {
  if (kind === "webhook" || kind === "service_account")
    return may("administer") ? `/console/${kind === "webhook" ? "webhooks" : "service-accounts"}` : undefined;
  if (kind === "announcement") return "/console/announcements";
  if (kind === "notification") return may("notify") ? "/console/notifications" : undefined;
  return { content: `/content/${id}`, user: `/console/users/${id}`, challenge: `/challenges/${id}` }[kind];
}

/** How much an act was about, of a kind. A later release may have others.
 * @param {string} kind @param {number} count */
function counted(kind, count) {
  const key = `console.clear-${kind}`;
  return hasText(key) ? t(/** @type {"console.clear-content"} */ (key), { count }) : `${kind} ${count}`;
}

/** All, or those about one subject.
 * @param {{subject?: string}} props */
export function Actions({ subject }) {
  const found = useList("listModerationActions", { limit: 50, ...(subject && { subject }) }, [subject]);
  const done = found.data?.items ?? [];
  const services = useServices();
  const name = useNames(
    done.flatMap((one) => [
      one.subject,
      ...(one.adminKind !== "user" ? [] : [{ kind: "user", id: one.admin }]),
    ]),
  );
  return html`
    <${List}
      of=${found}
      label=${t("console.actions")}
      item=${(/** @type {any} */ one) => {
        const key = `act.${one.action}`;
        const path = target(one.subject);
        const kind = `subject.${one.subject.kind}`;
        const named = services.get(one.subject.id) ?? name(one.subject);
        const what = `${hasText(kind) ? t(kind) : one.subject.kind} ${named}`;
        return html`
          <p class="line">
            <b>${hasText(key) ? t(key) : one.action}</b>${" "}
            ${
              path
                ? html`
                  <a href=${address(path)}>
                    <bdi>${what}</bdi>
                  </a>
                `
                : what
            }
            ${
              one.adminKind === "operator"
                ? html`
                  <span class="faint small">
                    ${t("console.by")} ${t("console.operator")}
                  </span>
                `
                : html`
                  <${Actor}
                    id=${one.admin}
                    services=${services}
                    name=${name}
                    isService=${one.adminKind === "service"}
                  />
                `
            }
            <time class="faint small" title=${moment(one.created)}>
              ${ago(one.created)}
            </time>
          </p>
          ${
            one.counts &&
            html`
              <p class="small">
                ${Object.entries(one.counts)
                  .map(([kind, count]) => counted(kind, Number(count)))
                  .join(", ")}
              </p>
            `
          }
          ${
            one.reason &&
            html`
              <p class="text small" dir="auto">
                ${one.action === "role_changed" ? roleName(one.reason) : one.reason}
              </p>
            `
          }
        `;
      }}
      empty=${
        subject
          ? html`<p class="faint">${t("console.no-actions")}</p>`
          : html`<${Empty} title=${t("console.no-actions")} />`
      }
    />
  `;
}
