/** `/collections/{id}`: what somebody has gathered. Its owner orders it, by dragging or by keys. */
import { html, useState } from "../vendor/preact.js";
import { inGame } from "../layout.js";
import { client } from "../session.js";
import { go } from "../router.js";
import { ago } from "../format.js";
import { t } from "../texts.js";
import { Card } from "../parts/card.js";
import { CollectionForm, titleOf } from "../parts/collection-form.js";
import { Confirm } from "../parts/confirm.js";
import { CopyLink } from "../parts/copy-link.js";
import { Folded, useBlocks } from "../parts/folded.js";
import { Button, Dialog } from "../parts/form.js";
import { Found } from "../parts/found.js";
import { useLoad, useSession, useTitle } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { Order } from "../parts/order.js";
import { PersonLink } from "../parts/people.js";
import { Report } from "../parts/report.js";
import { Empty } from "../parts/states.js";
import { When } from "../parts/when.js";

/** @typedef {import("../client.js").Collection} Shape */

/** @param {import("../router.js").PlaceProps} props */
export default function Collection({ parameters }) {
  const collectionId = parameters.id.toLowerCase();
  const { user } = useSession();
  const found = useLoad(
    (signal) => client.getCollection({ collectionId }, { signal }),
    [collectionId, user?.id],
  );
  const isBlocked = useBlocks(found.data?.owner.id);
  useTitle(found.data && !isBlocked ? titleOf(found.data) : t("place.collection"));
  return html`
    <${Found} of=${found}>
      ${(/** @type {Shape} */ collection) =>
        html`
          <${Folded} by=${collection.owner.id} title=${t("place.collection")}>
            <${Shown} collection=${collection} found=${found} />
          <//>
        `}
    <//>
  `;
}

/** @param {{collection: Shape, found: import("../parts/hooks.js").Loaded<Shape>}} props */
function Shown({ collection, found }) {
  const { user } = useSession();
  const own = user?.id === collection.owner.id;
  return html`
    <header class="stack">
      <h1 dir="auto">${titleOf(collection)}</h1>
      <p class="facts">
        <${PersonLink} person=${collection.owner} />
        ${
          own &&
          html`
            <span class="badge static">
              ${t(collection.public ? "collections.public" : "collections.private")}
            </span>
          `
        }
        <span class="faint small">${t("collections.items", { count: collection.items })}</span>
        <${When} at=${collection.updated}>${t("collections.updated", { when: ago(collection.updated) })}<//>
      </p>
      ${
        collection.description &&
        html`
          <p class="text" dir="auto">
            ${collection.description}
          </p>
        `
      }
      ${
        own
          ? html`<${Owner} collection=${collection} found=${found} />`
          : html`
            <p class="actions">
              ${
                user &&
                html`<${Report} operation="reportCollection" parameters=${{ collectionId: collection.id }} />`
              }
              <${Link} of=${collection} />
            </p>
          `
      }
    </header>
    ${
      own
        ? html`<${Order} collection=${collection} onChange=${found.change} />`
        : html`<${Items} id=${collection.id} />`
    }
  `;
}

/** Copies the address of what others may see. A game shows no other page, to which one could take it.
 * @param {{of: Shape, kind?: string}} props */
const Link = ({ of, kind = "plain small" }) =>
  !inGame && of.public && html`<${CopyLink} path=${`/collections/${of.id}`} kind=${kind} />`;

/** @param {{id: string}} props */
function Items({ id }) {
  const items = useList("listCollectionItems", { collectionId: id, limit: 24 }, [id]);
  return html`
    <section aria-labelledby="items">
      <h2 class="unseen" id="items">
        ${t("collections.what")}
      </h2>
      <${List}
        of=${items}
        kind="cards"
        item=${(/** @type {any} */ one) => html`<${Card} content=${one} />`}
        empty=${html`<${Empty} title=${t("collections.empty")} />`}
      />
    </section>
  `;
}

/** @param {{collection: Shape, found: import("../parts/hooks.js").Loaded<Shape>}} props */
function Owner({ collection, found }) {
  const collectionId = collection.id;
  const [editing, setEditing] = useState(false);
  const [deleting, setDeleting] = useState(false);
  return html`
    <p class="actions">
      <${Button} onClick=${() => setEditing(true)}>${t("action.edit")}<//>
      ${
        collection.kind === "collection" &&
        html`
          <${Button} aria-haspopup="dialog" onClick=${() => setDeleting(true)}>
            ${t("action.delete")}
          <//>
        `
      }
      <${Link} of=${collection} kind="plain" />
    </p>
    ${
      deleting &&
      html`
        <${Confirm}
          title=${t("collections.delete-title", { name: collection.name })}
          text=${t("collections.delete-text")}
          action=${t("collections.confirm")}
          onClose=${() => setDeleting(false)}
          work=${async () => {
            await client.deleteCollection({ collectionId });
            await go("/library/collections", { replace: true });
          }}
        />
      `
    }
    ${
      editing &&
      html`
        <${Dialog} title=${t("collections.edit")} onClose=${() => setEditing(false)}>
          <${CollectionForm}
            name=${collectionId}
            collection=${collection}
            onDone=${() => setEditing(false)}
            onSend=${async (
              /** @type {import("../client.js").CollectionBody} */ body,
              /** @type {import("../replace.js").Options} */ options,
            ) => {
              // The favourites take whether they are public, and nothing else.
              await client.putCollection({ collectionId, body }, options);
              found.change((was) => ({
                ...was,
                ...(was.kind === "collection" && {
                  name: body.name,
                  description: body.description ?? "",
                }),
                public: body.public,
                updated: Date.now() / 1000,
              }));
            }}
          />
        <//>
      `
    }
  `;
}
