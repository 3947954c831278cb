/** `/console/actions`: what those who keep order have done. */
import { html } from "../vendor/preact.js";
import { address } from "../router.js";
import { ago, moment } from "../format.js";
import { hasText, t } from "../texts.js";
import { List, useList } from "../parts/list.js";
import { Empty } from "../parts/states.js";
import { Frame } from "./frame.js";
import { useNames } from "./names.js";

export default function All() {
  return html`<${Frame} place="/console/actions"><${Actions} /><//>`;
}

/** @param {{kind: string, id: string}} subject */
function target({ kind, id }) {
  return { content: `/content/${id}`, user: `/console/users/${id}`, challenge: `/challenges/${id}` }[kind];
}

/** All, or those about one subject.
 * @param {{subject?: string}} props */
export function Actions({ subject }) {
  const found = useList("listModerationActions", { limit: 50, ...(subject && { subject }) }, [subject]);
  const done = found.data?.items ?? [];
  const name = useNames(done.flatMap((one) => [one.subject, { kind: "user", id: one.admin }]));
  return html`<${List} of=${found} label=${t("console.actions")} item=${(/** @type {any} */ one) => {
      const key = `act.${one.action}`;
      const path = target(one.subject);
      const what = `${t(/** @type {any} */ (`subject.${one.subject.kind}`))} ${name(one.subject)}`;
      return html`<p class="line"><b>${hasText(key) ? t(key) : one.action}</b> ${path ? html`<a href=${address(path)}><bdi>${what}</bdi></a>` : what}
        <span class="faint small">${t("console.by")} <a href=${address(`/console/users/${one.admin}`)}><bdi>${name({ kind: "user", id: one.admin })}</bdi></a></span>
        <time class="faint small" title=${moment(one.created)}>${ago(one.created)}</time></p>
        ${one.reason && html`<p class="text small" dir="auto">${one.reason}</p>`}`;
    }} empty=${subject ? html`<p class="faint">${t("console.no-actions")}</p>` : html`<${Empty} title=${t("console.no-actions")} />`} />`;
}
