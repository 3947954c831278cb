/** `/search`: content and players for what was typed. Where no content is found, what nearly is that. */
import { base } from "../base.js";
import { html } from "../vendor/preact.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { Card } from "../parts/card.js";
import { Folded } from "../parts/folded.js";
import { useLoad, useTitle } from "../parts/hooks.js";
import { Icon } from "../parts/icons.js";
import { List, useList } from "../parts/list.js";
import { Avatar } from "../parts/people.js";
import { SearchField } from "../parts/search-field.js";
import { CardsWaiting, Empty } from "../parts/states.js";

/** So much is asked for at a time. */
const CONTENT = 24;
const PLAYERS = 12;
/** What the service takes. */
const LONGEST = 256;
const NAME = { least: 3, most: 64 };

/** How many were found, as far as that is known.
 * @param {{of: ReturnType<typeof useList>}} props */
function Found({ of }) {
  const { data } = of;
  const count = data?.items.length ?? 0;
  return html`
    <p class="hint" role="status">
      ${data && t(data.next ? "search.more" : "search.count", { count })}
    </p>
  `;
}

/** @param {{of: ReturnType<typeof useList>, empty: any}} props */
function Contents({ of, empty }) {
  return html`
    <${List}
      of=${of}
      kind="cards"
      label=${t("search.content")}
      item=${(/** @type {any} */ content) => html`<${Card} content=${content} />`}
      empty=${empty}
    />
  `;
}

/** What is found for what was probably meant.
 * @param {{q: string, suggestion: string}} props */
function Instead({ q, suggestion }) {
  const found = useList("listContent", { q: suggestion, limit: CONTENT }, [suggestion]);
  if (found.data && !found.data.items.length) return html`<${Nothing} />`;
  return html`
    <p class="notice" role="status">
      ${t("search.instead", { q, suggestion })}
    </p>
    <${Contents} of=${found} empty=${null} />
  `;
}

function Nothing() {
  return html`<${Empty} title=${t("search.no-content")} text=${t("search.no-content-text")} />`;
}

/** @param {{q: string}} props */
function Suggested({ q }) {
  const found = useLoad(
    async (signal) => {
      const query = new URLSearchParams({ q });
      const answer = await fetch(`${base}api/v1/suggestions?${query}`, { signal }).catch(() => null);
      const said = answer?.ok ? await answer.json().catch(() => null) : null;
      return { suggestion: /** @type {string | null} */ (said?.q ?? null) };
    },
    [q],
  );
  if (!found.data) return html`<${CardsWaiting} count=${4} />`;
  const { suggestion } = found.data;
  return suggestion ? html`<${Instead} q=${q} suggestion=${suggestion} />` : html`<${Nothing} />`;
}

/** @param {{q: string}} props */
function OfContent({ q }) {
  const found = useList("listContent", { q, limit: CONTENT }, [q]);
  return html`
    <section aria-labelledby="found-content">
      <header class="row-head">
        <h2 id="found-content">${t("search.content")}</h2>
        <${Found} of=${found} />
        ${
          !!found.data?.items.length &&
          html`
            <a href=${address(`/browse?${new URLSearchParams({ q })}`)}>
              ${t("search.filter")}
              <${Icon} name="next" />
            </a>
          `
        }
      </header>
      <${Contents} of=${found} empty=${html`<${Suggested} q=${q} />`} />
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

/** @param {{q: string}} props */
function OfPlayers({ q }) {
  const found = useList("searchUsers", { q, pageSize: PLAYERS }, [q]);
  return html`
    <section aria-labelledby="found-players">
      <header class="row-head">
        <h2 id="found-players">${t("search.players")}</h2>
        <${Found} of=${found} />
      </header>
      <${List}
        of=${found}
        kind="players"
        label=${t("search.players")}
        item=${(/** @type {any} */ user) => html`<${Player} user=${user} />`}
        empty=${html`<${Empty} title=${t("search.no-players")} />`}
      />
    </section>
  `;
}

/** @param {import("../router.js").PlaceProps} props */
export default function Search({ query }) {
  useTitle(t("place.search"));
  const q = [...(query.get("q") ?? "").trim()].slice(0, LONGEST).join("");
  const length = [...q].length;
  return html`
    <h1>${t("place.search")}</h1>
    <${SearchField} q=${q} />
    ${
      q
        ? html`
          <${OfContent} key=${`content ${q}`} q=${q} />
          ${
            length >= NAME.least && length <= NAME.most
              ? html`<${OfPlayers} key=${`players ${q}`} q=${q} />`
              : html`
                <p class="hint">
                  ${length < NAME.least && t("search.short")}
                </p>
              `
          }
        `
        : html`<${Empty} title=${t("search.empty")} text=${t("search.empty-text")} />`
    }
  `;
}
