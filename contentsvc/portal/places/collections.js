/** `/library/collections`: the visitor's collections, the favourites first. */
import { guid } from "../client.js";
import { html, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { address, go } from "../router.js";
import { t } from "../texts.js";
import { CollectionForm, CollectionLine } from "../parts/collection-form.js";
import { Button, Dialog } from "../parts/form.js";
import { useDraft, useSession } from "../parts/hooks.js";
import { LibraryFrame } from "../parts/library-frame.js";
import { List, useList } from "../parts/list.js";

export default function Collections() {
  const { user } = useSession();
  return html`<${LibraryFrame} place="/library/collections">${user && html`<${All} key=${user.id} />`}<//>`;
}

function All() {
  const found = useList("listCollections", { limit: 50 }, []);
  const [making, setMaking] = useState(false);
  return html`
    <p class="actions">
      <${Button} kind="main" onClick=${() => setMaking(true)}>
        ${t("collections.new")}
      <//>
    </p>
    <h2 class="unseen">${t("library.collections")}</h2>
    <${List}
      of=${found}
      label=${t("library.collections")}
      item=${(/** @type {any} */ one) => html`<${CollectionLine} collection=${one} />`}
      empty=${null}
    />
    ${making && html`<${New} onClose=${() => setMaking(false)} />`}
  `;
}

/** The id is kept with what was typed, so that it is made once.
 * @param {{onClose: () => void}} props */
function New({ onClose }) {
  const [{ id }, keep, forget] = useDraft("collection.new.id", { id: "" });
  return html`
    <${Dialog} title=${t("collections.new")} onClose=${onClose}>
      <${CollectionForm}
        name="new"
        onSend=${async (/** @type {import("../client.js").CollectionBody} */ body) => {
          const collectionId = id || guid();
          keep({ id: collectionId });
          await client.putCollection({ collectionId, body });
          forget();
          await go(`/collections/${collectionId}`);
        }}
      />
    <//>
  `;
}
