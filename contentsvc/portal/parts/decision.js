/** What moderators have decided, in words that the player and the console share. */
import { html } from "../vendor/preact.js";
import { address } from "../router.js";
import { moment } from "../format.js";
import { hasText, language, t } from "../texts.js";

/** @typedef {import("../client.js").UserDecision | import("../client.js").Decision} Decided */

/** What was decided: `Comment removed`.
 * @param {string} action @param {string} kind that of the subject */
export function actionWords(action, kind) {
  const key = [`decision.${action}-${kind}`, `decision.${action}`].find(hasText);
  return key ? t(/** @type {any} */ (key)) : action;
}

/** What a restriction takes away, in a row.
 * @param {string[]} what */
export const whatWords = (what) =>
  new Intl.ListFormat(language).format(
    what.map((one) => (hasText(`restrict.${one}`) ? t(/** @type {any} */ (`restrict.${one}`)) : one)),
  );

/** How long it lasts, of what has an end or may have one.
 * @param {Decided} decision */
export function lastsWords({ action, until }) {
  if (until !== null) return t("decision.until", { time: moment(until) });
  return action === "ban" || action === "restrict" ? t("decision.no-end") : "";
}

/** What has become of it: it stands, or why it does not.
 * @param {Decided} decision
 * @returns {"reversed" | "replaced" | "over" | "stands"} */
export function stateOf({ reversed, replaced, until }) {
  if (reversed) return "reversed";
  if (replaced) return "replaced";
  return until !== null && until * 1000 <= Date.now() ? "over" : "stands";
}

/** Where its subject is looked at; null of what has no place.
 * @param {{kind: string, id: string, content?: string}} subject */
export function placeOf({ kind, id, content }) {
  if (kind === "comment") return `/content/${content}#comment-${id}`;
  return kind === "content" || kind === "user" ? `/${kind}/${id}` : null;
}

/** Why it was decided.
 * @param {{ground: import("../client.js").Ground}} props */
export function Ground({ ground }) {
  const { basis, reference, explanation, category, source, automated } = ground;
  return html`
    <dl class="ground">
      <dt>${t(basis === "illegal" ? "ground.illegal" : "ground.terms")}</dt>
      <dd dir="auto">${reference}</dd>
      ${
        explanation &&
        html`
          <dt>${t("ground.explanation")}</dt>
          <dd class="text" dir="auto">${explanation}</dd>
        `
      }
      ${
        category &&
        html`
          <dt>${t("ground.category")}</dt>
          <dd dir="auto">${category}</dd>
        `
      }
      <dt>${t("ground.how")}</dt>
      <dd>
        ${t(/** @type {any} */ (`ground.source-${source}`))}${" "}
        ${t(/** @type {any} */ (`ground.automated-${automated}`))}
      </dd>
    </dl>
  `;
}

/** The subject as it was then: its texts.
 * @param {{facts: Record<string, any> | null}} props */
export function Facts({ facts }) {
  if (!facts) return null;
  const { name, username, description, body, profile, text, paths } = facts;
  const title = name ?? username;
  const texts = [description, body, profile, text].filter((one) => typeof one === "string" && one);
  if (!title && !texts.length && !paths?.length) return null;
  return html`
    <blockquote>
      ${title && html`<p dir="auto"><b>${title}</b></p>`}
      ${texts.map((one) => html`<p class="text" dir="auto">${one}</p>`)}
      ${paths?.map((/** @type {string} */ one) => html`<p class="mono small">${one}</p>`)}
    </blockquote>
  `;
}

/** The badge of what has become of it.
 * @param {{of: Decided}} props */
export function StateBadge({ of }) {
  const state = stateOf(of);
  const appeal = of.appeals.at(-1)?.state;
  return html`
    <span class=${`badge static ${state === "stands" ? "warn" : ""}`}>
      ${t(/** @type {any} */ (`decision.state-${state}`))}
    </span>${" "}
    ${
      appeal && html`<span class="badge static">${t(/** @type {any} */ (`decision.appeal-${appeal}`))}</span>`
    }
  `;
}

/** A link to a subject, or what it is.
 * @param {{subject: {kind: string, id: string, content?: string}, name?: string, own: boolean}} props `own`
 *   is whether who reads it is whom it concerns */
export function SubjectLink({ subject, name, own }) {
  const place = placeOf(subject);
  const text =
    name ?? t(/** @type {any} */ (own ? `decision.your-${subject.kind}` : `notice.kind-${subject.kind}`));
  return place ? html`<a href=${address(place)} dir="auto">${text}</a>` : html`<span>${text}</span>`;
}
