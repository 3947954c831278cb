/** Which of the visitor's collections have this content: a press adds it, or takes it out. */
import { guid } from "../client.js";
import { html, useState } from "../vendor/preact.js";
import { show } from "../saved.js";
import { limits } from "../limits.js";
import { client, state } from "../session.js";
import { t } from "../texts.js";
import { titleOf } from "./collection-form.js";
import { Alert, Button, Dialog, Field, Form, Refused } from "./form.js";
import { useAction, useDraft, useInstant, useLoad } from "./hooks.js";
import { Icon } from "./icons.js";
import { Loaded } from "./states.js";

/** @typedef {import("../client.js").Collection} Collection */
/** @typedef {{all: Collection[], holding: string[]}} Held */

/** @type {Record<string, import("../texts.js").Key>} */
const REFUSED = { quota_exceeded: "keep.full" };

/** @param {string} content @param {AbortSignal} signal
 * @returns {Promise<Held>} */
async function read(content, signal) {
  /** @param {object} query */
  const every = async (query) => {
    /** @type {Collection[]} */
    const found = [];
    for await (const one of client.each("listCollections", { limit: 100, ...query }, { signal }))
      found.push(one);
    return found;
  };
  const [all, holding] = await Promise.all([every({}), every({ content })]);
  return { all, holding: holding.map(({ id }) => id) };
}

/** @param {{contentId: string}} props */
export function AddToCollection({ contentId }) {
  const [open, setOpen] = useState(false);
  return html`
    <${Button} aria-haspopup="dialog" onClick=${() => setOpen(true)}>
      <${Icon} name="collect" />
      ${t("collections.add")}
    <//>
    ${open && html`<${Choose} contentId=${contentId} onClose=${() => setOpen(false)} />`}
  `;
}

/** @param {{contentId: string, onClose: () => void}} props */
function Choose({ contentId, onClose }) {
  const found = useLoad((signal) => read(contentId, signal), [contentId]);
  const act = useInstant(found);
  /** @param {string} collectionId @param {boolean} on */
  const put = async (collectionId, on) => {
    await (on
      ? client.putCollectionItem({ collectionId, contentId, body: {} })
      : client.deleteCollectionItem({ collectionId, contentId }));
    if (collectionId === state.user?.id) show("favourite", contentId, on);
  };
  /** @param {string} id @param {boolean} on */
  const toggle = (id, on) =>
    act.run(
      (was) => ({ ...was, holding: on ? [...was.holding, id] : was.holding.filter((one) => one !== id) }),
      () => put(id, on),
    );
  return html`
    <${Dialog} title=${t("collections.add")} onClose=${onClose}>
      <${Loaded} of=${found}>
        ${(/** @type {Held} */ { all, holding }) =>
          html`
            <ul class="choices">
              ${all.map(
                (one) =>
                  html`
                    <li key=${one.id}>
                      <label class="check">
                        <input
                          type="checkbox"
                          checked=${holding.includes(one.id)}
                          onChange=${(/** @type {any} */ event) => toggle(one.id, event.target.checked)}
                        />${" "}
                        <span dir="auto">${titleOf(one)}</span>${" "}
                        <span class="faint small">
                          ${t(one.public ? "collections.public" : "collections.private")}
                        </span>
                      </label>
                    </li>
                  `,
              )}
            </ul>
            <${Alert} error=${act.error} instead=${REFUSED} />
            <${New}
              onMade=${async (/** @type {string} */ id) => (await put(id, true), await found.reload())}
            />
          `}
      <//>
    <//>
  `;
}

/** A new one, private at first, with this content in it. Its id is kept, so that it is made once.
 * @param {{onMade: (id: string) => Promise<unknown>}} props */
function New({ onMade }) {
  const [{ name, id }, change, forget] = useDraft("collection.add", { name: "", id: "" });
  const make = useAction(async () => {
    const collectionId = id || guid();
    change({ id: collectionId });
    await client.putCollection({ collectionId, body: { name, public: false } });
    await onMade(collectionId);
    forget();
  });
  return html`
    <${Form}
      of=${make}
      limits=${limits.putCollection}
      instead=${REFUSED}
      onSend=${() => make.run()}
    >
      <${Field}
        label=${t("collections.new")}
        name="name"
        needed=${t("error.needs-name")}
        value=${name}
        onChange=${(/** @type {string} */ name) => change({ name })}
      />
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" busy=${make.busy}>
          ${t("collections.make")}
        <//>
      </p>
    <//>
  `;
}
