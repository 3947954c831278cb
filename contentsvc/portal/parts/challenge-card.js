/** A design challenge as a card in a list. */
import { html } from "../vendor/preact.js";
import { address } from "../router.js";
import { until } from "../format.js";
import { t } from "../texts.js";
import { Icon } from "./icons.js";
import { Picture } from "./pictures.js";

/** When it opens or closes, in words.
 * @param {import("../client.js").Challenge} challenge */
export function timing({ state, opens, closes }) {
  if (state === "upcoming" && opens) return t("challenge.opens", { when: until(opens) });
  if (state === "open" && closes) return t("challenge.closes", { when: until(closes) });
  return t(`challenge.timing-${state}`);
}

/** @param {{challenge: import("../client.js").Challenge}} props */
export function ChallengeCard({ challenge }) {
  const { state, theme, description, entries } = challenge;
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
      <div class="about">
        <h3 dir="auto">
          <a class="over" href=${address(`/challenges/${challenge.id}`)}>${challenge.name}</a>
        </h3>
        ${
          theme &&
          html`
            <p class="small theme">
              ${t("challenge.theme")} <bdi>${theme}</bdi>
            </p>
          `
        }
        ${
          description &&
          html`
            <p class="small brief" dir="auto">
              ${description}
            </p>
          `
        }
      </div>
      <p class="facts small faint">
        ${
          state !== "closed" &&
          html`
            <span class=${state === "judging" ? "" : `time ${state}`}>
              ${state !== "judging" && html`<${Icon} name="clock" />`}
              ${timing(challenge)}
            </span>
          `
        }
        <span>${t("challenge.entries", { count: entries })}</span>
      </p>
    </article>
  `;
}
