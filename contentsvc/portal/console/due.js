/** When something is to be answered, as a colour and as words; and the way to a hold. */
import { html } from "../vendor/preact.js";
import { may } from "../session.js";
import { address } from "../router.js";
import { ago, moment, until } from "../format.js";
import { t } from "../texts.js";

/** Seconds before it is due in which that is soon. */
const SOON = 6 * 3_600;

/** How a deadline stands.
 * @param {number} at Unix seconds
 * @returns {"late" | "soon" | "later"} */
export function standing(at) {
  const left = at - Date.now() / 1000;
  return left <= 0 ? "late" : left <= SOON ? "soon" : "later";
}

/** @param {{at: number}} props Unix seconds */
export function Due({ at }) {
  const kind = standing(at);
  const text =
    kind === "late" ? t("console.overdue", { when: ago(at) }) : t("console.due", { when: until(at) });
  return html`
    <time
      class=${`badge static due ${kind}`}
      datetime=${new Date(at * 1000).toISOString()}
      title=${moment(at)}
    >
      ${text}
    </time>
  `;
}

/** Leads admins to the hold of something, or to the form for one.
 * @param {{kind: "content" | "user" | "file", id: string}} props */
export function HoldLink({ kind, id }) {
  if (!may("administer")) return null;
  return html`
    <a class="button plain" href=${address(`/console/holds/${kind}/${id}`)}>
      ${t("console.hold-link")}
    </a>
  `;
}
