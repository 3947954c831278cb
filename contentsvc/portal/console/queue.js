/** `/console/reports`: what was reported, the oldest first in need. */
import { html } from "../vendor/preact.js";
import { address } from "../router.js";
import { ago } from "../format.js";
import { t } from "../texts.js";
import { Choice } from "../parts/form.js";
import { useKept } from "../parts/hooks.js";
import { HowMany } from "../parts/how-many.js";
import { List, useList } from "../parts/list.js";
import { Empty } from "../parts/states.js";
import { Frame } from "./frame.js";
import { useNames } from "./names.js";

/** A part of the list: each comment in it is read by itself. */
const PART = 20;
const KINDS = /** @type {const} */ (["content", "comment", "user", "collection"]);

/** Where a subject is looked at.
 * @param {{kind: string, id: string, content?: string}} subject */
export function place({ kind, id, content }) {
  return `/console/reports/${kind}/${id}${content ? `?content=${content}` : ""}`;
}

/** The reasons with their numbers, the most frequent first.
 * @param {Record<string, number>} reasons */
export function counted(reasons) {
  return Object.entries(reasons)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => t("console.reason", { reason: t(/** @type {any} */ (`reason.${name}`)), count }))
    .join(", ");
}

export default function Queue() {
  return html`
    <${Frame} place="/console/reports">
      <${Subjects} />
    <//>
  `;
}

function Subjects() {
  const [kind, setKind] = useKept("kind", "");
  const found = useList("listReportedSubjects", { limit: PART, ...(kind && { kind }) }, [kind]);
  const name = useNames((found.data?.items ?? []).map(({ subject }) => subject));
  return html`
    <div class="narrow-field">
      <${Choice}
        label=${t("console.kind")}
        value=${kind}
        onChange=${setKind}
        options=${[["", t("console.all-kinds")], ...KINDS.map((name) => [name, t(`subject.${name}`)])]}
      />
    </div>
    <${HowMany} of=${found} />
    <${List}
      of=${found}
      label=${t("console.queue")}
      item=${(/** @type {any} */ one) =>
        html`
          <article>
            <div class="line">
              <span class="badge static">${t(/** @type {any} */ (`subject.${one.subject.kind}`))}</span>
              <a class="subject" href=${address(place(one.subject))} dir="auto">
                ${name(one.subject)}
              </a>
            </div>
            <p class="facts small">
              <b>${t("console.reports", { count: one.reports })}</b>
              <span>${counted(one.reasons)}</span>
              <span class="faint">${t("console.since", { when: ago(one.first) })}</span>
            </p>
          </article>
        `}
      empty=${html`<${Empty} title=${t("console.nothing")} text=${t("console.nothing-text")} />`}
    />
  `;
}
