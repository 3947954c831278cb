/** `/console/users` and `/console/users/{id}`: players are found by their names, and looked at. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { address, go } from "../router.js";
import { t } from "../texts.js";
import { Button, Field, Form, Refused } from "../parts/form.js";
import { useLoad, useSession } from "../parts/hooks.js";
import { HowMany } from "../parts/how-many.js";
import { Avatar } from "../parts/people.js";
import { Empty, Loaded } from "../parts/states.js";
import { Account } from "./account.js";
import { Frame } from "./frame.js";

/** What the search takes. */
const NAME = { least: 3, most: 64 };
const MOST = 48;

/** @param {import("../router.js").PlaceProps} props */
export default function Users({ parameters, query }) {
  const [of, setOf] = useState("");
  return html`
    <${Frame} place="/console/users" title=${of || undefined}>
      ${
        parameters.id
          ? html`<${Account} key=${parameters.id} id=${parameters.id} onFound=${setOf} />`
          : html`<${Find} q=${(query.get("q") ?? "").trim()} />`
      }
    <//>
  `;
}

/** Who is called that or nearly so, as the search finds it; who has this whole name comes first, also where
 * it is too short for that. An address is known to those alone who may see it.
 * @param {string} q @param {boolean} seesAddresses @param {AbortSignal} signal
 * @returns {Promise<{items: import("../client.js").UserInfo[], next: object | null}>} */
async function players(q, seesAddresses, signal) {
  const { name, email } = limits.listModeratedUsers;
  const { length } = [...q];
  const whole =
    seesAddresses && q.includes("@") && length <= email.maxLength
      ? client.listModeratedUsers({ email: q }, { signal })
      : length <= name.maxLength && client.listModeratedUsers({ name: q }, { signal });
  const near =
    length >= NAME.least && length <= NAME.most && client.searchUsers({ q, pageSize: MOST }, { signal });
  const [exact, found] = await Promise.all([whole, near]);
  const first = (exact || []).map((one) => one.user);
  const others = (found ? found.items : []).filter((one) => one.id !== first[0]?.id);
  return { items: [...first, ...others], next: found && found.total > found.items.length ? {} : null };
}

/** @param {{q: string}} props */
function Find({ q }) {
  const { permissions } = useSession();
  const seesAddresses = permissions.includes("users.read");
  const [asked, setAsked] = useState(q);
  useEffect(() => setAsked(q), [q]);
  const search = () => go(`/console/users?${new URLSearchParams({ q: asked.trim() })}`);
  return html`
    <${Form} class="find-player" role="search" limits=${{ q: { maxLength: 254 } }} onSend=${search}>
      <${Field}
        label=${t(seesAddresses ? "console.find-by" : "field.name")}
        type="search"
        name="q"
        required
        value=${asked}
        sent=${asked.trim()}
        hint=${t(seesAddresses ? "console.find-hint-address" : "console.find-hint")}
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        onChange=${setAsked}
      />
      <p class="actions">
        <${Button} type="submit" kind="main">${t("action.search")}<//>
      </p>
      <${Refused} />
    <//>
    ${q && html`<${Results} key=${q} q=${q} seesAddresses=${seesAddresses} />`}
  `;
}

/** @param {{q: string, seesAddresses: boolean}} props */
function Results({ q, seesAddresses }) {
  const found = useLoad((signal) => players(q, seesAddresses, signal), [q, seesAddresses]);
  return html`
    <${HowMany} of=${found} />
    <${Loaded} of=${found}>
      ${(/** @type {Awaited<ReturnType<typeof players>>} */ { items }) =>
        items.length
          ? html`
            <ul class="players" aria-label=${t("console.users")}>
              ${items.map(
                (one) =>
                  html`
                    <li key=${one.id}>
                      <a class="card player" href=${address(`/console/users/${one.id}`)}>
                        <${Avatar} person=${one} size=${40} />
                        <b><bdi>${one.username}</bdi></b>
                      </a>
                    </li>
                  `,
              )}
            </ul>
          `
          : html`
            <${Empty}
              title=${t("search.no-players")}
              text=${t([...q].length < NAME.least ? "search.short" : "console.no-players-text")}
            />
          `}
    <//>
  `;
}
