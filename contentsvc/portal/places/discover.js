/** `/`: what is new, what is liked, and the challenges that are open. */
import { html } from "../vendor/preact.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { Card } from "../parts/card.js";
import { ChallengeCard } from "../parts/challenge-card.js";
import { useLoad, useSession, useTitle } from "../parts/hooks.js";
import { control } from "../parts/names.js";
import { Empty, Loaded } from "../parts/states.js";

const ROWS = /** @type {const} */ ([
  ["featured", { featured: true, limit: 4 }, "/browse?featured=true"],
  ["trending", { sort: "trending", limit: 8 }, "/browse?sort=trending"],
  ["newest", { sort: "newest", limit: 8 }, "/browse?sort=newest"],
]);

/** @param {{name: "featured" | "trending" | "newest", query: Record<string, any>, more: string}} props */
function Row({ name, query, more }) {
  const found = useLoad((signal) => client.listContent(query, { signal }), [name]);
  if (found.data?.length === 0 && name !== "newest") return null;
  return html`
    <section aria-labelledby=${`row-${name}`}>
      <header class="row-head">
        <h2 id=${`row-${name}`}>${t(`discover.${name}`)}</h2>
        <a
          href=${address(more)}
          aria-label=${control(t("discover.more"), t(`discover.${name}`))}
        >
          ${t("discover.more")}
        </a>
      </header>
      <${Loaded} of=${found}>
        ${(/** @type {any[]} */ items) =>
          items.length
            ? html`
              <ul class="cards">
                ${items.map(
                  (content) =>
                    html`
                      <li key=${content.id}>
                        <${Card} content=${content} />
                      </li>
                    `,
                )}
              </ul>
            `
            : html`
              <${Empty} title=${t("discover.nothing")} text=${t("discover.nothing-text")}>
                <a class="button main" href=${address("/publish")}>
                  ${t("place.publish")}
                </a>
              <//>
            `}
      <//>
    </section>
  `;
}

function OpenChallenges() {
  const found = useLoad((signal) => client.listChallenges({}, { signal }), []);
  const open = found.data?.filter((/** @type {any} */ one) => one.state === "open") ?? [];
  if (!open.length) return null;
  return html`
    <section aria-labelledby="row-challenges">
      <header class="row-head">
        <h2 id="row-challenges">${t("discover.challenges")}</h2>
        <a
          href=${address("/challenges")}
          aria-label=${control(t("discover.more"), t("place.challenges"))}
        >
          ${t("discover.more")}
        </a>
      </header>
      <ul class="cards">
        ${open.slice(0, 4).map(
          (/** @type {any} */ one) =>
            html`
              <li key=${one.id}>
                <${ChallengeCard} challenge=${one} />
              </li>
            `,
        )}
      </ul>
    </section>
  `;
}

export default function Discover() {
  useTitle(t("place.discover"));
  const { user } = useSession();
  return html`
    <div class="hero">
      <h1>${t("place.discover")}</h1>
      <p>${t("discover.lead")}</p>
      ${
        !user &&
        html`
          <p class="actions">
            <a class="button main" href=${address("/browse")}>
              ${t("discover.look")}
            </a>
          </p>
        `
      }
    </div>
    ${ROWS.map(
      ([name, query, more]) => html`<${Row} key=${name} name=${name} query=${query} more=${more} />`,
    )}
    <${OpenChallenges} />
  `;
}
