/** `/library`: what the visitor keeps, with what is new since they looked at it before. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { game } from "../game.js";
import { mark } from "../saved.js";
import { client } from "../session.js";
import { replace } from "../replace.js";
import { address } from "../router.js";
import { ago } from "../format.js";
import { t, Told } from "../texts.js";
import { look, nameOf, remember } from "../last-visit.js";
import { Folded } from "../parts/folded.js";
import { Alert, Button, Choice, Dialog, Form } from "../parts/form.js";
import { useAction, useLoad, useNews, useSession } from "../parts/hooks.js";
import { LibraryFrame } from "../parts/library-frame.js";
import { List, useList } from "../parts/list.js";
import { control, typeName } from "../parts/names.js";
import { Picture } from "../parts/pictures.js";
import { Shaped, shapeable } from "../parts/shaped.js";
import { Empty, Loaded } from "../parts/states.js";
import { When } from "../parts/when.js";

/** @typedef {import("../client.js").Subscription} Saved */

const PART = 24;

export default function Library() {
  const { user } = useSession();
  return html`
    <${LibraryFrame} place="/library">
      ${user && html`<${Shelf} key=${user.id} user=${user.id} />`}
    <//>
  `;
}

/** What has another revision than at the visit before, and what that one was.
 * @param {string} user @param {AbortSignal} signal */
async function readNews(user, signal) {
  const mine = game();
  const library = await client.getLibrary(mine, { signal });
  const before = look(user, library);
  const changed = Object.keys(library).filter(
    (id) => library[id].revision && before[id] && library[id].revision !== before[id],
  );
  const asked = changed
    .slice(0, PART)
    .map((contentId) => client.getSubscription({ contentId, ...mine }, { signal }).catch(() => null));
  const items = /** @type {Saved[]} */ ((await Promise.all(asked)).filter((one) => one?.content));
  return { count: changed.length, items, before };
}

/** @param {{user: string}} props */
function Shelf({ user }) {
  const news = useLoad((signal) => readNews(user, signal), [user]);
  const list = useList("listSubscriptions", { ...game(), limit: PART }, [user]);
  const reload = () => Promise.all([news.reload(), list.reload()]);
  useNews("message", ({ type }) => {
    if (type === "library") void reload();
  });
  useNews("open", () => void reload());
  // What is being removed, whatever is read meanwhile.
  const [leaving, setLeaving] = useState(/** @type {string[]} */ ([]));
  /** @param {Saved} one */
  const stays = (one) => !leaving.includes(one.id);
  const items = /** @type {Saved[]} */ (list.data?.items ?? []).filter(stays);
  useEffect(() => {
    const contents = items.map(({ content }) => content).filter((one) => one !== null);
    if (contents.length) remember(user, contents);
  }, [list.data, news.data]);
  const fresh = (news.data?.items ?? []).filter(stays);
  const isFresh = new Set(fresh.map(({ id }) => id));
  const rest = list.data && {
    ...list,
    data: { ...list.data, items: items.filter(({ id }) => !isFresh.has(id)) },
  };
  /** Take it out of what is shown, until it is put back.
   * @param {Saved} one */
  const remove = async (one) => {
    setLeaving((ids) => [...ids, one.id]);
    try {
      await mark("subscribed", one.id, false);
      list.change((now) => ({ ...now, items: now.items.filter(({ id }) => id !== one.id) }));
      news.change((now) => ({ ...now, items: now.items.filter(({ id }) => id !== one.id) }));
    } finally {
      setLeaving((ids) => ids.filter((id) => id !== one.id));
    }
  };
  const removing = useAction(remove);
  /** @param {Saved} one */
  const row = (one) =>
    html`
      <${Folded} by=${one.content?.authorId}>
        <${Row}
          user=${user}
          saved=${one}
          before=${isFresh.has(one.id) ? news.data?.before[one.id] : null}
          onRemove=${() => removing.run(one)}
          onChange=${async () => void (await reload())}
        />
      <//>
    `;
  const nothing = html`
    <${Empty} title=${t("library.nothing")} text=${t("library.nothing-text")}>
      <a class="button main" href=${address("/browse")}>
        ${t("place.browse")}
      </a>
    <//>
  `;
  return html`
    <${Alert} error=${removing.error} />
    ${
      fresh.length > 0 &&
      html`
        <section aria-labelledby="library-new">
          <h2 id="library-new">${t("library.new")}</h2>
          <p class="faint" role="status">
            ${t("library.new-count", { count: news.data?.count ?? 0 })}
          </p>
          <ul class="rows shelf">
            ${fresh.map((one) => html`<li key=${one.id}>${row(one)}</li>`)}
          </ul>
        </section>
      `
    }
    <section aria-labelledby="library-all">
      <h2 id="library-all">${t(fresh.length ? "library.rest" : "library.all")}</h2>
      ${
        rest
          ? html`<${List} of=${rest} kind="rows shelf" item=${row} empty=${fresh.length ? null : nothing} />`
          : html`<${Loaded} of=${list}>${() => null}<//>`
      }
    </section>
  `;
}

/** @param {{user: string, saved: Saved, before: string | null | undefined, onRemove: () => Promise<boolean>,
 *   onChange: () => Promise<void>}} props `before` is the revision of the visit before, where another one is
 *   there now */
function Row({ user, saved, before, onRemove, onChange }) {
  const { content, state } = saved;
  const [pinning, setPinning] = useState(false);
  const [confirming, setConfirming] = useState(false);
  const name = content?.name ?? (nameOf(user, saved.id) || t("library.unknown"));
  const newer = content !== null && saved.pin !== null && content.revisionId !== saved.revision;
  return html`
    <article class="saved" aria-label=${name}>
      ${
        content
          ? html`
            <${Picture}
              path=${content.thumbnailUri}
              name=${name}
              id=${saved.id}
              width=${160}
              height=${90}
              since=${content.created}
            />
          `
          : html`<${Picture} path=${null} name=${name} id=${saved.id} width=${160} height=${90} />`
      }
      <div>
        <h3 dir="auto">${content ? html`<a href=${address(`/content/${saved.id}`)}>${name}</a>` : name}</h3>
        <p class="facts small faint">
          ${
            content &&
            html`
              <bdi>${content.authorUsername}</bdi>
              <span>${typeName(content.type)}</span>
            `
          }
          <${When} at=${saved.since} kind="">${t("library.since", { when: ago(saved.since) })}<//>
        </p>
        <p class="facts small">
          ${before && html`<span class="badge static good">${t("library.fresh")}</span>`}
          ${saved.pin && html`<span class="badge static">${t("library.pinned")}</span>`}
          ${newer && html`<span>${t("library.newer")}</span>`}
          ${
            state !== "active" &&
            html`
              <span class="badge warn static">${t(`library.${state}`)}</span>${" "}
              <span>${t(`library.${state}-text`)}</span>
            `
          }
          ${content && !saved.revision && html`<span class="badge warn static">${t("fit.none-short")}</span>`}
          ${
            content &&
            saved.revision &&
            !saved.pin &&
            saved.revision !== content.revisionId &&
            html`<span>${t("fit.older-short")}</span>`
          }
        </p>
        ${before && html`<${Changes} contentId=${saved.id} before=${before} />`}
      </div>
      <p class="actions">
        ${
          content &&
          html`
            <${Button}
              class="button plain small"
              aria-label=${control(t("library.pin"), name)}
              onClick=${() => setPinning(true)}
            >
              ${t("library.pin")}
            <//>
          `
        }
        ${
          content === null && !confirming
            ? html`
              <button
                type="button"
                class="button plain small"
                aria-label=${control(t("action.remove"), name)}
                onClick=${() => setConfirming(true)}
              >
                ${t("action.remove")}
              </button>
            `
            : html`
              <button
                type="button"
                class=${`button small ${content ? "plain" : "danger"}`}
                aria-label=${control(t(content ? "action.remove" : "library.confirm"), name)}
                onClick=${onRemove}
              >
                ${t(content ? "action.remove" : "library.confirm")}
              </button>
            `
        }
      </p>
      ${
        pinning &&
        content &&
        html`<${Pin} saved=${saved} name=${name} onClose=${() => setPinning(false)} onChange=${onChange} />`
      }
    </article>
  `;
}

/** The notes of the revisions since this one.
 * @param {{contentId: string, before: string}} props */
function Changes({ contentId, before }) {
  const found = useLoad(
    async (signal) => {
      const revisions = await client.listContentRevisions({ contentId, limit: 5 }, { signal });
      await shapeable(...revisions.map(({ description }) => description));
      return revisions;
    },
    [contentId],
  );
  const all = found.data ?? [];
  const at = all.findIndex(({ id }) => id === before);
  const later = at < 0 ? all : all.slice(0, at);
  if (found.data && !later.length) return html`<p class="small">${t("library.went-back")}</p>`;
  return html`
    <ul class="changes small">
      ${later
        .filter((one) => !one.gone)
        .map(
          (one) =>
            html`
              <li key=${one.id}>
                <b dir="auto">${one.version || t("content.no-version")}</b>${" "}
                <span class="faint">${ago(one.created)}</span>
                ${one.description && html`<${Shaped} text=${one.description} under=${3} />`}
              </li>
            `,
        )}
    </ul>
  `;
}

/** Stay with a revision, or go with the current one.
 * @param {{saved: Saved, name: string, onClose: () => void, onChange: () => Promise<void>}} props */
function Pin({ saved, name, onClose, onChange }) {
  const contentId = saved.id;
  const [chosen, setChosen] = useState(saved.pin ?? "");
  const found = useLoad(
    (signal) => client.listContentRevisions({ contentId, limit: 100 }, { signal }),
    [contentId],
  );
  const save = useAction(async () => {
    await replace(
      (options) => client.getSubscription({ contentId }, options),
      (now, options) => {
        if (now.pin !== saved.pin) throw new Told("edit.moved");
        return client.putSubscription({ contentId, body: { pin: chosen || null } }, options);
      },
    );
    onClose();
    await onChange();
  });
  return html`
    <${Dialog} title=${t("library.pin-title", { name })} onClose=${onClose}>
      <p>${t("library.pin-lead")}</p>
      <${Form} of=${save} onSend=${() => save.run()}>
        <${Loaded} of=${found}>
          ${(/** @type {import("../client.js").RevisionInfo[]} */ all) =>
            html`
              <${Choice}
                label=${t("field.revision")}
                value=${chosen}
                onChange=${setChosen}
                options=${[
                  ["", t("library.always-current")],
                  ...all
                    .filter((one) => !one.gone)
                    .map((one) => [
                      one.id,
                      `${one.version || t("content.no-version")} · ${ago(one.created)}`,
                    ]),
                ]}
              />
            `}
        <//>
        <${Alert} error=${save.error} />
        <p class="actions">
          <${Button} type="submit" kind="main" busy=${save.busy}>
            ${t("action.save")}
          <//>
        </p>
      <//>
    <//>
  `;
}
