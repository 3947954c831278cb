/** A decision, as those read it whom it concerns: what, why, until when, and the appeal. */
import { html } from "../vendor/preact.js";
import { client } from "../session.js";
import { moment } from "../format.js";
import { t } from "../texts.js";
import { AppealForm } from "./appeal.js";
import {
  actionWords,
  Facts,
  Ground,
  lastsWords,
  StateBadge,
  stateOf,
  SubjectLink,
  whatWords,
} from "./decision.js";
import { useLoad } from "./hooks.js";
import { Loaded } from "./states.js";

/** @typedef {import("../client.js").UserDecision} UserDecision */

/** Whether its user can appeal against it now.
 * @param {UserDecision} decision */
const isAppealable = (decision) =>
  decision.action !== "warn" &&
  !decision.reversed &&
  !decision.appeals.length &&
  decision.appealUntil * 1000 > Date.now();

/** @param {{decisionId: string, userId?: string, token?: string, heading?: "h1" | "h2"}} props `token` is an
 *   appeal token, of who has no log-in */
export function OwnDecision({ decisionId, userId, token, heading = "h2" }) {
  const asked = { decisionId, ...(userId && { userId }) };
  const found = useLoad(
    (signal) => client.getUserDecision(asked, { signal, ...(token && { token }) }),
    [decisionId, token],
  );
  return html`
    <${Loaded} of=${found}>
      ${(/** @type {UserDecision} */ decision) => {
        const lasts = lastsWords(decision);
        const appeal = decision.appeals.at(-1);
        return html`
          <section class="panel stack">
            <${heading}>${actionWords(decision.action, decision.subject.kind)}<//>
            <p class="line">
              <${StateBadge} of=${decision} />
              <span class="faint small">${moment(decision.created)}</span>
            </p>
            ${
              !token &&
              decision.subject.kind !== "user" &&
              html`<p class="decision-link"><${SubjectLink} subject=${decision.subject} own /></p>`
            }
            ${decision.what && html`<p>${t("decision.restricts", { what: whatWords(decision.what) })}</p>`}
            ${lasts && html`<p>${lasts}</p>`}
            <${Ground} ground=${decision.ground} />
            ${
              decision.facts &&
              html`
                <h3>${t("decision.facts")}</h3>
                <${Facts} facts=${decision.facts} />
              `
            }
            ${
              decision.reversed &&
              html`
                <p>
                  ${t("decision.reversed-at", { time: moment(decision.reversed.created) })}${" "}
                  <span dir="auto">${decision.reversed.reason}</span>
                </p>
              `
            }
          </section>
          <section class="panel stack">
            <h3>${t("appeal.title")}</h3>
            ${
              isAppealable(decision)
                ? html`
                  <${AppealForm}
                    name=${decision.id}
                    hint=${t("appeal.until", { time: moment(decision.appealUntil) })}
                    send=${(/** @type {string} */ text) =>
                      client.appealDecision({ ...asked, body: { text } }, token ? { token } : undefined)}
                  />
                `
                : html`<p>${t(`appeal.${why(decision, appeal?.state)}`)}</p>`
            }
            ${
              decision.redress &&
              decision.action !== "warn" &&
              html`<p class="small text" dir="auto">${decision.redress}</p>`
            }
          </section>
        `;
      }}
    <//>
  `;
}

/** Why there is no form.
 * @param {UserDecision} decision @param {string} [state] that of the appeal */
function why(decision, state) {
  if (state) return /** @type {"state-open-text"} */ (`state-${state}-text`);
  if (stateOf(decision) === "reversed") return "none-reversed";
  return decision.action === "warn" ? "none-warning" : "none-late";
}
