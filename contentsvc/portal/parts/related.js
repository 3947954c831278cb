/** Content beside a content: what it uses, what uses it, and what else its author has made. */
import { html } from "../vendor/preact.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { Card, Cards } from "./card.js";
import { useLoad } from "./hooks.js";
import { List, useList } from "./list.js";
import { Picture } from "./pictures.js";

/** @typedef {import("../client.js").ContentDetail} Detail */
/** @typedef {import("../client.js").ContentInfo} Info */

/** So many cards are in a row. */
const ROW = 4;

/** What it uses, each as a link. A part that is the core of a content has that content's id; of other parts
 * nobody knows where they are from.
 * @param {{content: Detail}} props */
export function Uses({ content }) {
  const ids = [...new Set(content.using.map((one) => one.entityId))];
  const found = useLoad(
    async (signal) =>
      ids.length ? client.listContent({ ids: ids.slice(0, 100).join(",") }, { signal }) : [],
    [content.revisionId],
  );
  if (!ids.length) return null;
  const others = ids.length - (found.data?.length ?? 0);
  return html`
    <section class="panel" aria-labelledby="uses">
      <h2 id="uses">${t("content.uses")}</h2>
      <ul class="used">
        ${found.data?.map(
          (one) =>
            html`
              <li key=${one.id}>
                <a href=${address(`/content/${one.id}`)}>
                  <${Picture}
                    path=${one.thumbnailUri}
                    name=${one.name}
                    id=${one.id}
                    width=${160}
                    height=${90}
                    since=${one.created}
                  />
                  <span>
                    <bdi>${one.name}</bdi>
                    <span class="faint small">${t("content.by", { name: one.authorUsername })}</span>
                  </span>
                </a>
              </li>
            `,
        )}
      </ul>
      ${
        !found.loading &&
        others > 0 &&
        html`<p class="small faint">${t("content.parts", { count: others })}</p>`
      }
    </section>
  `;
}

/** @param {{content: Detail}} props */
export function Dependents({ content }) {
  const found = useList("listDependents", { contentId: content.id, limit: ROW }, [content.id]);
  if (!found.data?.items.length) return null;
  return html`
    <section aria-labelledby="used-by">
      <h2 id="used-by">${t("content.used-by")}</h2>
      <${List}
        of=${found}
        kind="cards"
        item=${(/** @type {Info} */ one) => html`<${Card} content=${one} />`}
        empty=${null}
      />
    </section>
  `;
}

/** @param {{content: Detail}} props */
export function MoreBy({ content }) {
  const { authorId, authorUsername } = content;
  const found = useLoad(
    async (signal) => {
      const all = await client.listContent({ author: authorId, limit: ROW + 1 }, { signal });
      return all.filter((one) => one.id !== content.id).slice(0, ROW);
    },
    [authorId, content.id],
  );
  if (!found.data?.length) return null;
  return html`
    <section aria-labelledby="more-by">
      <div class="row-head">
        <h2 id="more-by" dir="auto">${t("content.more-by", { name: authorUsername })}</h2>
        <a href=${address(`/user/${authorId}`)}>${t("content.all-of-theirs")}</a>
      </div>
      <${Cards} of=${found.data} />
    </section>
  `;
}
