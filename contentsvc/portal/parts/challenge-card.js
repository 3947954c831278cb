/** A design challenge as a card in a list. */
import { html } from "../vendor/preact.js";
import { address } from "../router.js";
import { until } from "../format.js";
import { t } from "../texts.js";
import { Picture } from "./pictures.js";

/** When it opens or closes, in words.
 * @param {import("../client.js").Challenge} challenge */
export function timing({ state, opens, closes }) {
  if (state === "upcoming" && opens) return t("challenge.opens", { when: until(opens) });
  if (state === "open" && closes) return t("challenge.closes", { when: until(closes) });
  return t(`challenge.${state}`);
}

/** @param {{challenge: import("../client.js").Challenge}} props */
export function ChallengeCard({ challenge }) {
  const { emblem } = challenge.win;
  return html`
    <article class="card challenge">
      <${Picture}
        path=${emblem.image}
        name=${challenge.name}
        id=${challenge.id}
        width=${112}
        height=${112}
        kind="emblem"
      />
      <div>
        <h3 dir="auto">
          <a class="whole" href=${address(`/challenges/${challenge.id}`)}>${challenge.name}</a>
        </h3>
        <p class="small" dir="auto">
          ${challenge.theme}
        </p>
        <p class="facts small">
          <span class=${`badge static state-${challenge.state}`}>
            ${t(`challenge.state-${challenge.state}`)}
          </span>
        </p>
        <p class="facts small faint">
          <span>${timing(challenge)}</span>
          <span>${t("challenge.entries", { count: challenge.entries })}</span>
        </p>
      </div>
    </article>
  `;
}
