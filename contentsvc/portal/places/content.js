/** `/content/{id}`: one thing that somebody has published. */
import { html, useState } from "../vendor/preact.js";
import { client, may } from "../session.js";
import { address } from "../router.js";
import { ago, moment } from "../format.js";
import { t } from "../texts.js";
import { Card } from "../parts/card.js";
import { Comments } from "../parts/comments.js";
import { Files } from "../parts/downloads.js";
import { Alert, Button, Field, Form, separated } from "../parts/form.js";
import { Found } from "../parts/found.js";
import { useAction, useChange, useDraft, useInstant, useLoad, useNews, useSession, useTitle } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { PersonLink } from "../parts/people.js";
import { Picture } from "../parts/pictures.js";
import { Report } from "../parts/report.js";
import { Votes } from "../parts/votes.js";

/** @typedef {import("../client.js").ContentDetail} Detail */

/** @param {import("../router.js").PlaceProps} props */
export default function Content({ parameters }) {
  const contentId = parameters.id;
  const { user } = useSession();
  const found = useLoad((signal) => client.getContent({ contentId }, { signal }), [contentId, user?.id]);
  useTitle(found.data?.name ?? t("place.content"));
  useNews("notification", ({ notification }) => {
    if (notification.content === contentId && /^(Content|Revision)/.test(notification.kind)) void found.reload();
  });
  return html`<${Found} of=${found}>${(/** @type {Detail} */ content) => html`<${Shown} content=${content} found=${found} />`}<//>`;
}

/** @typedef {import("../parts/hooks.js").Loaded<Detail>} Read */

/** @param {{content: Detail, found: Read}} props */
function Shown({ content, found }) {
  const { reload } = found;
  const { user } = useSession();
  const own = user?.id === content.authorId;
  const [editing, setEditing] = useState(false);
  const author = { id: content.authorId, username: content.authorUsername, avatar: content.authorAvatar };
  return html`<div class="content">
    <div class="content-main">
      <${Screens} content=${content} />
      <h1 dir="auto">${content.name}</h1>
      <p class="facts"><${PersonLink} person=${author} size=${32} /><span class="faint">${t(`type.${content.type}`)}</span>
        ${content.featured && html`<span class="badge static">${t("content.featured")}</span>`}
        ${content.status !== "active" && html`<span class="badge warn static">${t(`status.${content.status}`)}</span>`}</p>
      <${Votes} content=${content} />
      ${editing
        ? html`<${Edit} content=${content} onDone=${async () => (setEditing(false), await reload())} />`
        : html`<p class="text" dir="auto">${content.description}</p>`}
      ${!editing && content.tags.length > 0 &&
      html`<ul class="tags" aria-label=${t("field.tags")}>${content.tags.map(
        (tag) => html`<li><a href=${address(`/browse?${new URLSearchParams({ tags: tag })}`)} dir="auto">${tag}</a></li>`,
      )}</ul>`}
      ${user && !own && html`<p class="actions"><${Report} operation="reportContent" parameters=${{ contentId: content.id }} /></p>`}
      ${may("curate") && html`<${Feature} content=${content} found=${found} />`}
      ${own && html`<${Owner} content=${content} found=${found} onEdit=${() => setEditing(!editing)} />`}
      <${Comments} content=${content} />
    </div>
    <aside class="content-side">
      <section><h2>${t("content.about")}</h2>
        <dl>
          <dt>${t("content.version")}</dt><dd dir="auto">${content.revision.version}</dd>
          <dt>${t("content.created")}</dt><dd><time title=${moment(content.created)}>${ago(content.created)}</time></dd>
          <dt>${t("content.updated")}</dt><dd><time title=${moment(content.updated)}>${ago(content.updated)}</time></dd>
        </dl></section>
      <${Files} content=${content} />
      <${Uses} content=${content} />
      <${Revisions} content=${content} own=${own} reload=${reload} />
      <${Dependents} content=${content} />
    </aside>
  </div>`;
}

/** @param {{content: Detail}} props */
function Screens({ content }) {
  const [at, setAt] = useState(0);
  const shots = content.screenshotUris.filter(Boolean);
  const shown = shots[Math.min(at, shots.length - 1)] ?? null;
  return html`<figure class="screens">
    <${Picture} path=${shown} name=${content.name} id=${content.id} width=${1280} height=${720} since=${content.updated} alt=${t("content.screenshot", { number: at + 1, name: content.name })} />
    ${shots.length > 1 &&
    html`<figcaption>${shots.map(
      (path, index) => html`<button type="button" aria-label=${t("content.show", { number: index + 1 })} aria-pressed=${index === at}
        onClick=${() => setAt(index)}><${Picture} path=${path} name=${content.name} id=${content.id} width=${160} height=${90} since=${content.updated} /></button>`,
    )}</figcaption>`}
  </figure>`;
}

/** @param {{content: Detail, onDone: () => Promise<unknown>}} props */
function Edit({ content, onDone }) {
  const was = { description: content.description, tags: content.tags.join(", ") };
  const [{ description, tags }, change, forget] = useDraft(`content.${content.id}`, was);
  const save = useAction(async () => {
    const { id: contentId, screenshotUris } = content;
    await client.putContent({ contentId, body: { description, screenshotUris, tags: separated(tags) } });
    forget();
    await onDone();
  });
  return html`<${Form} onSend=${() => save.run()}>
    <${Field} label=${t("field.description")} lines=${6} value=${description} onChange=${(/** @type {string} */ description) => change({ description })} />
    <${Field} label=${t("field.tags")} value=${tags} onChange=${(/** @type {string} */ tags) => change({ tags })} hint=${t("publish.tags-hint")} />
    <${Alert} error=${save.error} />
    <p class="actions"><${Button} type="submit" kind="main" busy=${save.busy}>${t("action.save")}<//></p>
  <//>`;
}

/** For those who choose what everybody is shown.
 * @param {{content: Detail, found: Read}} props */
function Feature({ content, found }) {
  const act = useInstant(found);
  const featured = !content.featured;
  const other = () => client.setContentFeatured({ contentId: content.id, body: { featured } });
  return html`<p class="actions"><${Button} busy=${act.busy} onClick=${() => act.run((was) => ({ ...was, featured }), other)}>${t(content.featured ? "console.unfeature" : "console.feature")}<//>
      ${may("moderate") && html`<a class="button plain" href=${address(`/console/reports/content/${content.id}`)}>${t("place.console")}</a>`}</p><${Alert} error=${act.error} />`;
}

/** What only the author can do.
 * @param {{content: Detail, found: Read, onEdit: () => void}} props */
function Owner({ content, found, onEdit }) {
  const contentId = content.id;
  const act = useChange(found.reload);
  const lock = useInstant(found);
  const locked = !content.commentsLocked;
  const deleted = content.status === "deleted";
  return html`<section class="owner" aria-label=${t("content.owner")}>
    <p class="actions">
      ${content.status === "active" && html`<${Button} onClick=${onEdit}>${t("action.edit")}<//>`}
      ${!deleted && html`<a class="button plain" href=${address(`/publish/${contentId}`)}>${t("content.revise")}</a>`}
      ${deleted
        ? html`<${Button} busy=${act.busy} onClick=${() => act.run(() => client.restoreContent({ contentId }))}>${t("action.restore")}<//>`
        : html`<${Button} kind="danger" busy=${act.busy} onClick=${() => act.run(() => client.deleteContent({ contentId }))}>${t("action.withdraw")}<//>`}
      <${Button} busy=${lock.busy} aria-pressed=${content.commentsLocked}
        onClick=${() => lock.run((was) => ({ ...was, commentsLocked: locked }), () => client.setCommentsLocked({ contentId, body: { locked } }))}>${t("content.lock")}<//>
    </p>
    <${Alert} error=${act.error ?? lock.error} />
  </section>`;
}

/** @param {{content: Detail, own: boolean, reload: () => Promise<void>}} props */
function Revisions({ content, own, reload }) {
  const found = useList("listContentRevisions", { contentId: content.id, limit: 5 }, [content.listingId]);
  const choose = useChange(reload);
  return html`<section><h2>${t("content.revisions")}</h2>
    <${List} of=${found} label=${t("content.revisions")} item=${(/** @type {any} */ one) => html`<div class="revision">
        <p><b dir="auto">${one.version || t("content.no-version")}</b> <span class="faint small">${ago(one.created)}</span>
          ${one.current && html` <span class="badge static">${t("content.current")}</span>`}</p>
        ${one.description && html`<p class="text small" dir="auto">${one.description}</p>`}
        ${own && !one.current && !one.gone && content.status !== "deleted" &&
        html`<${Button} class="button plain small" busy=${choose.busy} onClick=${() => choose.run(() => client.setCurrentRevision({ contentId: content.id, body: { revisionId: one.id } }))}>${t("content.choose")}<//>`}
      </div>`} />
    <${Alert} error=${choose.error} />
  </section>`;
}

/** What it uses. The core of a content has the content's id, so that it leads there.
 * @param {{content: Detail}} props */
function Uses({ content }) {
  const ids = [...new Set(content.using.map((one) => one.entityId))].slice(0, 100);
  const found = useLoad(async (signal) => (ids.length ? client.listContent({ ids: ids.join(",") }, { signal }) : []), [content.revisionId]);
  if (!ids.length) return null;
  return html`<section><h2>${t("content.uses")}</h2><p class="small faint">${t("content.parts", { count: content.using.length })}</p>
    ${found.data && found.data.length > 0 && html`<ul class="cards one">${found.data.slice(0, 4).map((one) => html`<li key=${one.id}><${Card} content=${one} /></li>`)}</ul>`}</section>`;
}

/** @param {{content: Detail}} props */
function Dependents({ content }) {
  const found = useList("listDependents", { contentId: content.id, limit: 4 }, [content.id]);
  if (!found.data?.items.length) return null;
  return html`<section><h2>${t("content.used-by")}</h2>
    <${List} of=${found} kind="cards one" item=${(/** @type {any} */ one) => html`<${Card} content=${one} />`} empty=${null} /></section>`;
}
