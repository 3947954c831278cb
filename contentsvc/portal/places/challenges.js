/** `/challenges`: the design challenges, the open ones first. */
import { html } from "../vendor/preact.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { ChallengeCard } from "../parts/challenge-card.js";
import { useLoad, useTitle } from "../parts/hooks.js";
import { Empty, Loaded } from "../parts/states.js";

const STATES = /** @type {const} */ (["open", "judging", "upcoming", "closed"]);

export default function Challenges() {
  useTitle(t("place.challenges"));
  const found = useLoad((signal) => client.listChallenges({}, { signal }), []);
  return html`
    <h1>${t("place.challenges")}</h1>
    <${Loaded} of=${found}>
      ${(/** @type {import("../client.js").Challenge[]} */ all) =>
        all.length
          ? STATES.map((state) => {
              const some = all.filter((one) => one.state === state);
              return (
                some.length > 0 &&
                html`
                  <section aria-labelledby=${state}>
                    <h2 id=${state}>${t(`challenge.state-${state}`)}</h2>
                    <ul class="cards">
                      ${some.map(
                        (one) =>
                          html`
                            <li key=${one.id}>
                              <${ChallengeCard} challenge=${one} />
                            </li>
                          `,
                      )}
                    </ul>
                  </section>
                `
              );
            })
          : html`<${Empty} title=${t("challenges.none")} />`}
    <//>
  `;
}
