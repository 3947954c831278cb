/** `/`: a picture and what this is, the challenge that is open, and what is featured, liked and new. */
import { html } from "../vendor/preact.js";
import { site } from "../base.js";
import { service } from "../service.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { Cards } from "../parts/card.js";
import { ChallengeCard } from "../parts/challenge-card.js";
import { useLoad, useSession, useTitle } from "../parts/hooks.js";
import { Icon } from "../parts/icons.js";
import { Picture } from "../parts/pictures.js";
import { CardsWaiting, Empty, Loaded } from "../parts/states.js";

/** @typedef {import("../client.js").ContentInfo} Content */
/** @typedef {"featured" | "trending" | "newest"} Name */

/** What is asked for is more than what is shown: rows before may have some of it. */
const ROWS = /** @type {const} */ ([
  ["featured", { featured: true, sort: "trending", limit: 5 }, 4],
  ["trending", { sort: "trending", limit: 8 }, 4],
  ["newest", { sort: "newest", limit: 12 }, 8],
]);
const FULL = 4;
/** So many challenges are shown, those that close first. */
const CHALLENGES = 2;

/** What is shown: each content once.
 * @param {Content[][]} lists of the rows
 * @param {ReadonlySet<string>} blocked whose content has no large picture */
function arranged(lists, blocked) {
  const hero = lists.flat().find((one) => one.thumbnailUri && !blocked.has(one.authorId));
  const seen = new Set([hero?.id]);
  const rows = ROWS.map(([name, , most], at) => {
    const found = lists[at].filter(({ id }) => !seen.has(id)).slice(0, most);
    const count = found.length > FULL ? found.length - (found.length % FULL) : found.length;
    // A row of one is none: what is featured is among the others then.
    const items = name === "featured" && count < 2 ? [] : found.slice(0, count);
    for (const { id } of items) seen.add(id);
    return /** @type {[Name, Content[]]} */ ([name, items]);
  });
  return { hero, rows: rows.filter(([, items]) => items.length) };
}

/** @param {{name: Name, items: Content[]}} props */
function Row({ name, items }) {
  const query = name === "featured" ? "featured=true" : `sort=${name}`;
  return html`
    <section aria-labelledby=${`row-${name}`}>
      <header class="row-head">
        <h2 id=${`row-${name}`}>${t(`discover.${name}`)}</h2>
        <a href=${address(`/browse?${query}`)}>
          ${t("discover.more")}<span class="unseen">: ${t(`discover.${name}`)}</span>
          <${Icon} name="next" />
        </a>
      </header>
      <${Cards} of=${items} kind=${items.length < FULL ? "row few" : "row"} />
    </section>
  `;
}

/** @param {{open: import("../client.js").Challenge[]}} props */
function OpenChallenges({ open }) {
  return html`
    <section aria-labelledby="row-challenges">
      <header class="row-head">
        <h2 id="row-challenges">${t("discover.challenges")}</h2>
        <a href=${address("/challenges")}>
          ${t("discover.more")}<span class="unseen">: ${t("discover.challenges")}</span>
          <${Icon} name="next" />
        </a>
      </header>
      <ul class="cards">
        ${open.map(
          (one) =>
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

/** @param {{content: Content | undefined}} props whose picture it has; without one, colours stand for it */
function Hero({ content }) {
  return html`
    <div class="hero">
      ${
        content &&
        html`
          <${Picture}
            path=${content.thumbnailUri}
            name=""
            id=${content.id}
            width=${1240}
            height=${420}
            since=${content.created}
            first
          />
        `
      }
      <div class="hero-text">
        <h1>${service.brand ? site : t("place.discover")}</h1>
        <p>${service.brand?.tagline || t("discover.lead")}</p>
        <div class="actions">
          <a class="button main" href=${address("/browse")}>
            ${t("discover.look")}
          </a>
          <a class="button" href=${address("/publish")}>
            ${t("discover.make")}
          </a>
          ${
            content &&
            html`
              <a class="credit" href=${address(`/content/${content.id}`)}>
                <span>
                  <b><bdi>${content.name}</bdi></b> ${t("discover.by")} <bdi>${content.authorUsername}</bdi>
                </span>
              </a>
            `
          }
        </div>
      </div>
    </div>
  `;
}

export default function Discover() {
  useTitle(t("place.discover"));
  const { blocked } = useSession();
  const found = useLoad(async (signal) => {
    const [challenges, ...lists] = await Promise.all([
      client.listChallenges({}, { signal }),
      ...ROWS.map(([, query]) => client.listContent(query, { signal })),
    ]);
    const open = challenges.filter((/** @type {any} */ { state }) => state === "open");
    open.sort(
      (/** @type {any} */ one, /** @type {any} */ other) =>
        (one.closes ?? Infinity) - (other.closes ?? Infinity),
    );
    return { open: open.slice(0, CHALLENGES), lists };
  }, []);
  const { hero, rows } = arranged(found.data?.lists ?? [[], [], []], blocked);
  return html`
    <${Hero} key="hero" content=${hero} />
    <${Loaded}
      of=${found}
      waiting=${html`
        <section>
          <span class="skeleton words short"></span>
          <${CardsWaiting} kind="row" />
        </section>
      `}
    >
      ${() => html`
        ${found.data?.open.length && html`<${OpenChallenges} open=${found.data.open} />`}
        ${rows.map(([name, items]) => html`<${Row} key=${name} name=${name} items=${items} />`)}
        ${
          !hero &&
          !rows.length &&
          html`
            <${Empty} title=${t("discover.nothing")} text=${t("discover.nothing-text")}>
              <a class="button main" href=${address("/publish")}>
                ${t("place.publish")}
              </a>
            <//>
          `
        }
      `}
    <//>
  `;
}
