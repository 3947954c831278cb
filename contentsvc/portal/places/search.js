/** `/search`: content and players for what was typed. Where no content is found, what nearly is that. */
import { html } from "../vendor/preact.js";
import { client } from "../session.js";
import { inGame } from "../layout.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { Cards } from "../parts/card.js";
import { Folded } from "../parts/folded.js";
import { SearchField } from "../parts/header.js";
import { useLoad, useTitle } from "../parts/hooks.js";
import { HowMany } from "../parts/how-many.js";
import { Icon } from "../parts/icons.js";
import { Lazy } from "../parts/lazy.js";
import { List, useList } from "../parts/list.js";
import { Avatar } from "../parts/people.js";
import { CardsWaiting, Empty, Loaded } from "../parts/states.js";

/** So much is asked for at a time. */
const CONTENT = 24;
const PLAYERS = 12;
/** What the service takes. */
const LONGEST = 256;
const NAME = { least: 3, most: 64 };

/** @typedef {{items: any[], next: object | null}} Part */

/** What was probably meant. Where nobody can say, nothing is.
 * @param {string} q @param {AbortSignal} signal
 * @returns {Promise<string | null>} */
async function suggestion(q, signal) {
  return client.getSuggestion({ q }, { signal }).then(
    (found) => found.q,
    () => null,
  );
}

/** @param {string} q @param {AbortSignal} signal */
async function contents(q, signal) {
  /** @param {string} q */
  const read = async (q) =>
    /** @type {Part} */ (await client.part("listContent", { q, limit: CONTENT }, { signal }));
  const part = await read(q);
  const meant = part.items.length ? null : await suggestion(q, signal);
  const other = meant ? await read(meant) : part;
  return other.items.length ? { part: other, q: meant ?? q } : { part, q };
}

/** @param {{q: string, found: import("../parts/hooks.js").Loaded<{part: Part, q: string}>}} props */
function OfContent({ q, found }) {
  const { data } = found;
  return html`
    <section aria-labelledby="found-content">
      <header class="row-head">
        <h2 id="found-content">${t("search.content")}</h2>
        <${HowMany} of=${{ data: data?.part }} />
        ${
          !!data?.part.items.length &&
          html`
            <a href=${address(`/browse?${new URLSearchParams({ q: data.q })}`)}>
              ${t(data.part.next ? "search.all" : "search.filter")}
              <${Icon} name="next" />
            </a>
          `
        }
      </header>
      <p role="status" class=${data && data.q !== q ? "notice" : "unseen"}>
        ${data && data.q !== q && t("search.instead", { q, suggestion: data.q })}
      </p>
      <${Loaded} of=${found} waiting=${html`<${CardsWaiting} count=${4} />`}>
        ${(/** @type {{part: Part}} */ { part }) =>
          part.items.length
            ? html`<${Cards} of=${part.items} aria-label=${t("search.content")} />`
            : html`<${Empty} title=${t("search.no-content")} text=${t("search.no-content-text")} />`}
      <//>
    </section>
  `;
}

/** @param {{user: import("../client.js").UserInfo}} props */
function Player({ user }) {
  return html`
    <${Folded} by=${user.id} kind="card">
      <a class="card player" href=${address(`/user/${user.id}`)}>
        <${Avatar} person=${user} size=${40} />
        <b><bdi>${user.username}</bdi></b>
      </a>
    <//>
  `;
}

/** @param {{q: string, hidden: boolean}} props `hidden` while it would be moved by what is above it */
function OfPlayers({ q, hidden }) {
  const found = useList("searchUsers", { q, pageSize: PLAYERS }, [q]);
  return html`
    <section aria-labelledby="found-players" hidden=${hidden}>
      <header class="row-head">
        <h2 id="found-players">${t("search.players")}</h2>
        <${HowMany} of=${found} />
      </header>
      <${List}
        of=${found}
        kind="players"
        label=${t("search.players")}
        item=${(/** @type {any} */ user) => html`<${Player} user=${user} />`}
        empty=${html`<p class="faint">${t("search.no-players")}</p>`}
      />
    </section>
  `;
}

/** @param {{q: string}} props */
function Results({ q }) {
  const found = useLoad((signal) => contents(q, signal), [q]);
  const length = [...q].length;
  return html`
    <${OfContent} q=${q} found=${found} />
    ${length >= NAME.least && length <= NAME.most && html`<${OfPlayers} q=${q} hidden=${found.loading} />`}
    ${length < NAME.least && !found.loading && html`<p class="hint">${t("search.short")}</p>`}
  `;
}

/** @param {import("../router.js").PlaceProps} props */
export default function Search({ query }) {
  useTitle(t("place.search"));
  const q = [...(query.get("q") ?? "").trim()].slice(0, LONGEST).join("");
  return html`
    <h1>${t("place.search")}</h1>
    <${SearchField} q=${q} />
    ${
      q
        ? html`<${Results} key=${q} q=${q} />`
        : inGame
          ? html`<${Lazy} of="all-places" load=${() => import("../parts/all-places.js")} />`
          : html`<${Empty} title=${t("search.empty")} text=${t("search.empty-text")} />`
    }
  `;
}
