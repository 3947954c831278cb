/** What of others a work is built upon: found by a search, and credited. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { client, state } from "../session.js";
import { t } from "../texts.js";
import { Combobox } from "./combobox.js";
import { Alert, useField } from "./form.js";
import { useAction, useLoad } from "./hooks.js";
import { Icon } from "./icons.js";
import { Picture } from "./pictures.js";

/** @typedef {{entityId: string, revisionId: string, contentId?: string}} Part `contentId` is that of the
 *   content whose core it is, where that has another id */
/** @typedef {import("../client.js").ContentInfo} Info */

/** Milliseconds after the last letter when it searches; how many it finds; how many ids one request takes. */
const PAUSE = 250;
const FOUND = 8;
const MOST = 100;

/** What is known of content, which outlives the form.
 * @type {Map<string, Info>} */
const known = new Map();

/** The content that a part is of. The core of one that the portal has published has its id.
 * @param {Part} part */
const contentOf = ({ contentId, entityId }) => contentId ?? entityId;

/** What was found.
 * @param {string} text @param {string[]} without ids of what is not offered */
function useSearch(text, without) {
  const [found, setFound] = useState(/** @type {{q: string, items: Info[]} | null} */ (null));
  const q = text.trim();
  useEffect(() => {
    if (!q) return setFound(null);
    const control = new AbortController();
    const timer = setTimeout(async () => {
      const { signal } = control;
      const items = await client
        .listContent({ q, limit: FOUND + without.length }, { signal })
        .catch(() => null);
      if (signal.aborted || !items) return;
      for (const one of items) known.set(one.id, one);
      setFound({ q, items });
    }, PAUSE);
    return () => (clearTimeout(timer), control.abort());
  }, [q]);
  if (!q || !found) return null;
  return found.items
    .filter(({ id, authorId }) => !without.includes(id) && !state.blocked.has(authorId))
    .slice(0, FOUND);
}

/** @param {{content: Info}} props */
function Small({ content }) {
  return html`
    <${Picture}
      path=${content.thumbnailUri}
      name=${content.name}
      id=${content.id}
      width=${64}
      height=${36}
      since=${content.created}
    />
    <span class="shot-name">
      <bdi>${content.name}</bdi>
      <span class="faint small"><bdi>${content.authorUsername}</bdi></span>
    </span>
  `;
}

/** @param {{parts: Part[], onChange: (change: (was: Part[]) => Part[]) => void, without: string}} props
 *   `without` is the id of the content itself */
export function BuiltUpon({ parts, onChange, without }) {
  const [text, setText] = useState("");
  const ids = [...new Set(parts.map(contentOf))];
  const unknown = ids.filter((one) => !known.has(one)).slice(0, MOST);
  useLoad(
    async (signal) => {
      if (!unknown.length) return;
      for (const one of await client.listContent({ ids: unknown.join(",") }, { signal }))
        known.set(one.id, one);
    },
    [unknown.join(",")],
  );
  const [problem, forget] = useField(parts.length ? "using" : undefined, { value: parts });
  const found = useSearch(text, [...ids, without]);
  /** @param {string} one */
  const remove = (one) => (forget(), onChange((was) => was.filter((part) => contentOf(part) !== one)));
  const others = ids.filter((one) => !known.has(one));
  const choose = useAction(async (/** @type {Info} */ { id: contentId }) => {
    const { entity } = await client.getContent({ contentId });
    const part = { contentId, entityId: entity.entityId, revisionId: entity.revisionId };
    onChange((was) => [...was.filter(({ entityId }) => entityId !== part.entityId), part]);
    setText("");
  });
  const said = !text.trim() || !found ? "" : t("publish.built-found", { count: found.length });
  return html`
    <div class="field built">
      <${Combobox}
        label=${t("field.built-upon")}
        value=${text}
        placeholder=${t("publish.built-search")}
        options=${found ?? []}
        keyOf=${(/** @type {Info} */ one) => one.id}
        option=${(/** @type {Info} */ one) => html`<${Small} content=${one} />`}
        list=${t("publish.built-options")}
        none=${found?.length === 0 && said}
        said=${said}
        hint=${t("publish.built-hint")}
        problem=${problem}
        onInput=${(/** @type {string} */ now) => (forget(), choose.clear(), setText(now))}
        onChoose=${choose.run}
        eager
      />
      <${Alert} error=${choose.error} />
      ${
        ids.length > 0 &&
        html`
          <ul class="shots" aria-label=${t("publish.built-list")}>
            ${ids
              .filter((one) => known.has(one))
              .map(
                (one) =>
                  html`
                    <li key=${one}>
                      <${Small} content=${known.get(one)} />
                      <button
                        type="button"
                        class="icon"
                        aria-label=${t("publish.remove", { name: known.get(one)?.name ?? "" })}
                        onClick=${() => remove(one)}
                      >
                        <${Icon} name="close" />
                      </button>
                    </li>
                  `,
              )}
            ${
              others.length > 0 &&
              html`
                <li key="">
                  <span class="shot-name">${t("publish.built-others", { count: others.length })}</span>
                  <button
                    type="button"
                    class="icon"
                    aria-label=${t("publish.remove", {
                      name: t("publish.built-others", { count: others.length }),
                    })}
                    onClick=${() => (
                      forget(),
                      onChange((was) => was.filter((part) => known.has(contentOf(part))))
                    )}
                  >
                    <${Icon} name="close" />
                  </button>
                </li>
              `
            }
          </ul>
        `
      }
    </div>
  `;
}
