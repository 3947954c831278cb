/** The items of one's own collection, in an order that is changed by dragging, and by keys on the handle.
 * What is changed is shown at once, and taken back if it is refused. */
import { html, useRef, useState } from "../vendor/preact.js";
import { show } from "../saved.js";
import { client, state } from "../session.js";
import { inGame } from "../layout.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { takeAway } from "../undo.js";
import { Folded } from "./folded.js";
import { Alert } from "./form.js";
import { useGone } from "./gone.js";
import { useLoad } from "./hooks.js";
import { typeName } from "./names.js";
import { Picture } from "./pictures.js";
import { Handle, moved, useReorder } from "./reorder.js";
import { Empty, Loaded } from "./states.js";

/** @typedef {import("../client.js").Collection} Collection */
/** @typedef {import("../client.js").ContentInfo} Item */

/** All of them: what comes before what must be known.
 * @param {string} collectionId @param {AbortSignal} signal */
async function read(collectionId, signal) {
  /** @type {Item[]} */
  const items = [];
  for await (const one of client.each("listCollectionItems", { collectionId, limit: 100 }, { signal }))
    items.push(one);
  return items;
}

/** What an item is called: not by the name that a blocked player gave it.
 * @param {Pick<Item, "authorId" | "name">} one */
const nameOf = (one) => (state.blocked.has(one.authorId) ? t("place.content") : one.name);

/** @param {{collection: Collection, onChange: (change: (was: Collection) => Collection) => void}} props */
export function Order({ collection, onChange }) {
  const collectionId = collection.id;
  const found = useLoad((signal) => read(collectionId, signal), [collectionId]);
  const [said, say] = useState("");
  /** Moves come one after the other, in the order in which they were made. */
  const line = useRef(/** @type {Promise<unknown>} */ (Promise.resolve()));
  const [error, setError] = useState(/** @type {unknown} */ (null));

  /** @param {number} from @param {number} to */
  const move = (from, to) => {
    const items = (found.data ?? []).filter(({ id }) => !isGone(id));
    if (from === to || to < 0 || to >= items.length) return;
    const now = moved(items, from, to);
    const before = now[to + 1]?.id ?? null;
    const contentId = now[to].id;
    // What is taken away keeps its place, for when it is put back.
    found.change((all) => {
      const rest = all.filter(({ id }) => id !== contentId);
      const at = before ? rest.findIndex(({ id }) => id === before) : rest.length;
      return [...rest.slice(0, at), now[to], ...rest.slice(at)];
    });
    say(t("collections.moved", { name: nameOf(now[to]), place: to + 1, count: now.length }));
    setError(null);
    line.current = line.current
      .then(() => client.putCollectionItem({ collectionId, contentId, body: { before } }))
      .catch((failure) => {
        setError(failure);
        // Later moves may have been made on top of it: what the service has is the truth.
        return found.reload();
      });
  };
  const kind = `item ${collectionId}`;
  const isGone = useGone(kind, (contentId) => {
    found.change((items) => items.filter(({ id }) => id !== contentId));
    onChange((was) => ({ ...was, items: was.items - 1 }));
  });
  /** @param {Item} one */
  const remove = ({ id, ...one }) =>
    takeAway({
      key: `${kind} ${id}`,
      what: "item",
      name: nameOf(one),
      send: async () => {
        await client.deleteCollectionItem({ collectionId, contentId: id });
        if (collection.kind === "favourites") show("favourite", id, false);
      },
    });

  const { list, drag, begin, handle } = useReorder(
    () => (found.data ?? []).filter(({ id }) => !isGone(id)).length,
    move,
  );
  return html`
    <section aria-labelledby="items">
      <h2 class="unseen" id="items">
        ${t("collections.what")}
      </h2>
      <${Loaded} of=${found}>
        ${(/** @type {Item[]} */ data) => {
          const all = data.filter(({ id }) => !isGone(id));
          const items = drag ? moved(all, drag.from, drag.to) : all;
          return html`
            ${
              collection.items > data.length &&
              html`
                <p class="faint small">
                  ${t("collections.hidden", { count: collection.items - data.length })}
                </p>
              `
            }
            ${
              all.length > 1 &&
              html`
                <p class="hint" id="order-hint">
                  ${t(inGame ? "in-game.order-hint" : "collections.order-hint")}
                </p>
              `
            }
            ${
              all.length
                ? html`
                  <ol
                    class=${`rows order ${drag ? "moving" : ""}`}
                    ref=${list}
                    aria-label=${t("collections.what")}
                  >
                    ${items.map(
                      (one, at) =>
                        html`
                          <li
                            key=${one.id}
                            class=${drag?.to === at ? "dragged" : ""}
                            onPointerDown=${(/** @type {PointerEvent} */ event) => begin(event, at)}
                          >
                            <article aria-label=${nameOf(one)}>
                              <${Handle} name=${nameOf(one)} hint="order-hint" keys=${handle(at)} />
                              <${Folded} by=${one.authorId}>
                                <${Picture}
                                  path=${one.thumbnailUri}
                                  name=${one.name}
                                  id=${one.id}
                                  width=${160}
                                  height=${90}
                                  since=${one.created}
                                />
                                <div>
                                  <h3 dir="auto">
                                    <a href=${address(`/content/${one.id}`)}>${one.name}</a>
                                  </h3>
                                  <p class="facts small faint">
                                    <bdi>${one.authorUsername}</bdi>
                                    <span>${typeName(one.type)}</span>
                                  </p>
                                </div>
                              <//>
                              <button
                                type="button"
                                class="button plain small"
                                aria-label=${t("collections.take-out", { name: nameOf(one) })}
                                onClick=${() => remove(one)}
                              >
                                ${t("action.remove")}
                              </button>
                            </article>
                          </li>
                        `,
                    )}
                  </ol>
                `
                : html`
                  <${Empty} title=${t("collections.empty")} text=${t("collections.empty-text")}>
                    <a class="button main" href=${address("/browse")}>
                      ${t("place.browse")}
                    </a>
                  <//>
                `
            }
          `;
        }}
      <//>
      <p class="unseen" role="status">
        ${said}
      </p>
      <${Alert} error=${error} />
    </section>
  `;
}
