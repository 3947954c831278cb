/** What a collection says of itself, as a line and as a form. */
import { html } from "../vendor/preact.js";
import { address } from "../router.js";
import { ago } from "../format.js";
import { t } from "../texts.js";
import { Alert, Button, Field, Form } from "./form.js";
import { useAction, useDraft } from "./hooks.js";

/** @typedef {import("../client.js").Collection} Collection */

/** The favourites have no name of their own.
 * @param {Collection} collection */
export const titleOf = ({ kind, name }) => (kind === "favourites" ? t("collections.favourites") : name);

/** @param {{collection: Collection, owner?: boolean}} props */
export function CollectionLine({ collection }) {
  return html`<article class="line"><h3 dir="auto"><a href=${address(`/collections/${collection.id}`)}>${titleOf(collection)}</a></h3>
      <span class="badge static">${t(collection.public ? "collections.public" : "collections.private")}</span>
      <span class="facts small faint"><span>${t("collections.items", { count: collection.items })}</span><span>${t("collections.updated", { when: ago(collection.updated) })}</span></span></article>
    ${collection.description && html`<p class="small brief" dir="auto">${collection.description}</p>`}`;
}

/** @type {Record<string, import("../texts.js").Key>} */
const REFUSED = { quota_exceeded: "keep.full", invalid_body: "collections.needs-name" };

/** @param {{name: string, collection?: Collection, onSend: (body: import("../client.js").CollectionBody) => Promise<unknown>}} props
 *   `name` is that of the draft */
export function CollectionForm({ name, collection, onSend }) {
  const was = { name: collection?.name ?? "", description: collection?.description ?? "", public: collection?.public ?? false };
  const [values, change, forget] = useDraft(`collection.${name}`, was);
  const isKept = collection?.kind === "favourites";
  const save = useAction(async () => {
    const { name, description } = values;
    // Of the favourites that is all.
    await onSend(isKept ? /** @type {any} */ ({ public: values.public }) : { name, description, public: values.public });
    forget();
  });
  return html`<${Form} onSend=${() => save.run()}>
    ${!isKept && html`<${Field} label=${t("field.name")} maxlength="128" required value=${values.name} onChange=${(/** @type {string} */ name) => change({ name })} />
      <${Field} label=${t("field.description")} lines=${3} maxlength="4096" value=${values.description} onChange=${(/** @type {string} */ description) => change({ description })} />`}
    <label class="check"><input type="checkbox" checked=${values.public} onChange=${(/** @type {any} */ event) => change({ public: event.target.checked })} /> ${t("collections.is-public")}</label>
    <${Alert} error=${save.error} instead=${REFUSED} />
    <p class="actions"><${Button} type="submit" kind="main" busy=${save.busy}>${t("action.save")}<//></p><//>`;
}
