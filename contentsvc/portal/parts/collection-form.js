/** What a collection says of itself, as a line and as a form. */
import { html } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { ago } from "../format.js";
import { t } from "../texts.js";
import { Both, useEdit } from "./edit.js";
import { Button, Field, Form, Refused } from "./form.js";

/** @typedef {import("../client.js").Collection} Collection */

/** The favourites have no name of their own.
 * @param {Collection} collection */
export const titleOf = ({ kind, name }) => (kind === "favourites" ? t("collections.favourites") : name);

/** @param {{collection: Collection, owner?: boolean}} props */
export function CollectionLine({ collection }) {
  return html`
    <article class="line">
      <h3 dir="auto">
        <a href=${address(`/collections/${collection.id}`)}>${titleOf(collection)}</a>
      </h3>
      <span class="badge static">
        ${t(collection.public ? "collections.public" : "collections.private")}
      </span>
      <span class="facts small faint">
        <span>${t("collections.items", { count: collection.items })}</span>
        <span>${t("collections.updated", { when: ago(collection.updated) })}</span>
      </span>
    </article>
    ${
      collection.description &&
      html`
        <p class="small brief" dir="auto">
          ${collection.description}
        </p>
      `
    }
  `;
}

/** @type {Record<string, import("../texts.js").Key>} */
const REFUSED = { quota_exceeded: "keep.full" };

/** @typedef {{name: string, description: string, public: boolean}} Said */

/** Of the favourites that is all that can be changed.
 * @param {Collection} collection
 * @returns {Said} */
const fields = ({ kind, name, description, public: isPublic }) =>
  /** @type {Said} */ ({ ...(kind === "collection" && { name, description }), public: isPublic });

/** @param {{name: string, collection?: Collection, onSend: (body: import("../client.js").CollectionBody,
 *   options: import("../replace.js").Options) => Promise<unknown>, onDone?: () => unknown}} props `name` is
 *   that of the draft */
export function CollectionForm({ name, collection, onSend, onDone }) {
  const shown = collection ? fields(collection) : { name: "", description: "", public: false };
  const isKept = collection?.kind === "favourites";
  const { values, change, save, both } = useEdit(`collection.${name}`, shown, {
    read: collection ? (options) => client.getCollection({ collectionId: collection.id }, options) : null,
    fields,
    write: ({ name, description, public: isPublic }, _, options) =>
      onSend(
        isKept ? /** @type {any} */ ({ public: isPublic }) : { name, description, public: isPublic },
        options,
      ),
    done: () => onDone?.(),
  });
  const labels = {
    name: t("field.name"),
    description: t("field.description"),
    public: t("collections.is-public"),
  };
  return html`
    <${Form}
      of=${save}
      limits=${limits.putCollection}
      instead=${REFUSED}
      onSend=${() => save.run()}
    >
      ${
        !isKept &&
        html`
          <${Field}
            label=${labels.name}
            name="name"
            needed=${t("error.needs-name")}
            required
            focused=${!!collection}
            value=${values.name}
            onChange=${(/** @type {string} */ name) => change({ name })}
          />
          <${Field}
            label=${labels.description}
            lines=${3}
            name="description"
            value=${values.description}
            onChange=${(/** @type {string} */ description) => change({ description })}
          />
        `
      }
      <label class="check">
        <input
          type="checkbox"
          checked=${values.public}
          onChange=${(/** @type {any} */ event) => change({ public: event.target.checked })}
        />${" "}
        ${labels.public}
      </label>
      <${Both} of=${both} labels=${labels} />
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${save.busy}>
          ${t("action.save")}
        <//>
      </p>
    <//>
  `;
}
