/** `/content/{id}`: one thing that somebody has published. */
import { html, useState } from "../vendor/preact.js";
import { game } from "../game.js";
import { client, may } from "../session.js";
import { replace } from "../replace.js";
import { address } from "../router.js";
import { ago, moment, number } from "../format.js";
import { t, Told } from "../texts.js";
import { takeAway } from "../undo.js";
import { AddToCollection } from "../parts/add-to-collection.js";
import { AttributeList } from "../parts/attributes.js";
import { Card } from "../parts/card.js";
import { Comments } from "../parts/comments.js";
import { Counts } from "../parts/counts.js";
import { Files } from "../parts/downloads.js";
import { Fit } from "../parts/fit.js";
import { Folded, useBlocks } from "../parts/folded.js";
import { Alert, Button } from "../parts/form.js";
import { Found } from "../parts/found.js";
import { useGone } from "../parts/gone.js";
import { useChange, useInstant, useLoad, useNews, useSession, useTitle } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { Lazy } from "../parts/lazy.js";
import { control, typeName } from "../parts/names.js";
import { PersonLink, Team } from "../parts/people.js";
import { Picture } from "../parts/pictures.js";
import { Report } from "../parts/report.js";
import { inWords } from "../parts/requires.js";
import { Votes } from "../parts/votes.js";

/** @typedef {import("../client.js").ContentDetail} Detail */

const COUNTS = /** @type {const} */ ([
  "plays",
  "players",
  "completions",
  "downloads",
  "subscribers",
  "favourites",
]);

/** @param {import("../router.js").PlaceProps} props */
export default function Content({ parameters }) {
  const contentId = parameters.id;
  const { user } = useSession();
  const found = useLoad(
    (signal) => client.getContent({ contentId, ...game() }, { signal }),
    [contentId, user?.id],
  );
  const isBlocked = useBlocks(found.data?.authorId);
  useTitle((!isBlocked && found.data?.name) || t("place.content"));
  useNews("notification", ({ notification }) => {
    if (notification.content === contentId && /^(Content|Revision)/.test(notification.kind))
      void found.reload();
  });
  return html`
    <${Found} of=${found}>
      ${(/** @type {Detail} */ content) =>
        html`
          <${Folded} by=${content.authorId} title=${t("place.content")}>
            <${Shown} content=${content} found=${found} />
          <//>
        `}
    <//>
  `;
}

/** @typedef {import("../parts/hooks.js").Loaded<Detail>} Read */

/** @param {{content: Detail, found: Read}} props */
function Shown({ content, found }) {
  const { reload } = found;
  const { user } = useSession();
  const own = user?.id === content.authorId;
  const members = useLoad(
    (signal) => client.listMembers({ contentId: content.id, limit: 100 }, { signal }),
    [content.id, user?.id],
  );
  useNews("notification", ({ notification }) => {
    if (notification.content === content.id && notification.kind === "MemberInvited") void members.reload();
  });
  const mine = members.data?.find((one) => one.user.id === user?.id);
  const edits = own || !!mine?.accepted;
  const [editing, setEditing] = useState(false);
  const author = {
    id: content.authorId,
    username: content.authorUsername,
    avatar: content.authorAvatar,
  };
  return html`
    <div class="content">
      <div class="content-main">
        <${Screens} content=${content} />
        <h1 dir="auto">${content.name}</h1>
        <p class="facts">
          <${PersonLink} person=${author} size=${32} />
          <span class="faint">${typeName(content.type)}</span>
          ${content.featured && html`<span class="badge static">${t("content.featured")}</span>`}
          ${
            content.status !== "active" &&
            html`<span class="badge warn static">${t(`status.${content.status}`)}</span>`
          }
          ${
            content.visibility &&
            content.visibility !== "public" &&
            html`<span class="badge warn static">${t(`visibility.${content.visibility}`)}</span>`
          }
        </p>
        ${
          mine &&
          !mine.accepted &&
          html`
            <${Invited}
              contentId=${content.id}
              user=${mine.user.id}
              onAnswer=${() => Promise.all([members.reload(), reload()])}
            />
          `
        }
        <${Fit} content=${content} />
        <div class="doing">
          <${Votes} content=${content} />
          <${Counts} content=${content} words />
          ${user && html`<${AddToCollection} contentId=${content.id} />`}
        </div>
        ${
          editing
            ? html`
              <${Lazy}
                of="content-edit"
                load=${() => import("../parts/content-edit.js")}
                content=${content}
                onDone=${async () => (setEditing(false), await reload())}
              />
            `
            : html`
              <p class="text" dir="auto">
                ${content.description}
              </p>
            `
        }
        ${
          !editing &&
          content.tags.length > 0 &&
          html`
            <ul class="tags" aria-label=${t("field.tags")}>
              ${content.tags.map(
                (tag) =>
                  html`
                    <li>
                      <a href=${address(`/browse?${new URLSearchParams({ tags: tag })}`)} dir="auto">
                        ${tag}
                      </a>
                    </li>
                  `,
              )}
            </ul>
          `
        }
        ${!editing && html`<${AttributeList} of=${content.attributes} />`}
        ${
          user &&
          !own &&
          html`
            <p class="actions">
              <${Report} operation="reportContent" parameters=${{ contentId: content.id }} />
            </p>
          `
        }
        ${may("curate") && html`<${Feature} content=${content} found=${found} own=${own} />`}
        ${
          !own &&
          content.status === "deleted" &&
          may("administer") &&
          html`<${Restore} content=${content} found=${found} />`
        }
        ${
          edits &&
          html`<${Owner} content=${content} found=${found} own=${own} onEdit=${() => setEditing(!editing)} />`
        }
        ${
          own &&
          html`
            <${Lazy}
              of="sharing"
              load=${() => import("../parts/sharing.js")}
              content=${content}
              found=${found}
              onMembers=${members.reload}
            />
          `
        }
        <${Comments} content=${content} />
      </div>
      <aside class="content-side">
        <section>
          <h2>${t("content.about")}</h2>
          <dl>
            <dt>${t("content.version")}</dt>
            <dd dir="auto">${content.revision.version}</dd>
            ${
              content.requires &&
              html`
                <dt>${t("requires.title")}</dt>
                <dd>
                  ${inWords(content.requires).map(
                    (one) =>
                      html`
                        <div key=${one} dir="auto">
                          ${one}
                        </div>
                      `,
                  )}
                </dd>
              `
            }
            <dt>${t("content.created")}</dt>
            <dd>
              <time title=${moment(content.created)}>${ago(content.created)}</time>
            </dd>
            <dt>${t("content.updated")}</dt>
            <dd>
              <time title=${moment(content.updated)}>${ago(content.updated)}</time>
            </dd>
            ${
              content.counts &&
              COUNTS.map(
                (name) =>
                  html`
                    <dt key=${name}>${t(`count.${name}`)}</dt>
                    <dd>${number(content.counts[name])}</dd>
                  `,
              )
            }
          </dl>
        </section>
        <${Team} members=${members.data?.filter((one) => one.accepted) ?? []} />
        <${Files} content=${content} />
        <${Uses} content=${content} />
        <${Revisions} content=${content} edits=${edits} reload=${reload} />
        <${Dependents} content=${content} />
      </aside>
    </div>
  `;
}

/** @param {{content: Detail}} props */
function Screens({ content }) {
  const [at, setAt] = useState(0);
  const shots = content.screenshotUris.filter(Boolean);
  const shown = shots[Math.min(at, shots.length - 1)] ?? null;
  return html`
    <figure class="screens" aria-label=${t("content.screenshots")}>
      <${Picture}
        path=${shown}
        name=${content.name}
        id=${content.id}
        width=${1280}
        height=${720}
        since=${content.updated}
        alt=${t("content.screenshot", { number: at + 1, name: content.name })}
      />
      ${
        shots.length > 1 &&
        html`
          <figcaption>
            ${shots.map(
              (path, index) =>
                html`
                  <button
                    type="button"
                    aria-label=${t("content.show", { number: index + 1 })}
                    aria-pressed=${index === at}
                    onClick=${() => setAt(index)}
                  >
                    <${Picture}
                      path=${path}
                      name=${content.name}
                      id=${content.id}
                      width=${160}
                      height=${90}
                      since=${content.updated}
                    />
                  </button>
                `,
            )}
          </figcaption>
        `
      }
    </figure>
  `;
}

/** For those who choose what everybody is shown.
 * @param {{content: Detail, found: Read, own: boolean}} props */
function Feature({ content, found, own }) {
  const act = useInstant(found);
  const featured = !content.featured;
  const other = () => client.setContentFeatured({ contentId: content.id, body: { featured } });
  return html`
    <p class="actions">
      <${Button} busy=${act.busy} onClick=${() => act.run((was) => ({ ...was, featured }), other)}>
        ${t(content.featured ? "console.unfeature" : "console.feature")}
      <//>
      ${
        may("moderate") &&
        html`
          <a class="button plain" href=${address(`/console/reports/content/${content.id}`)}>
            ${t("action.moderate")}
          </a>
        `
      }
      ${
        may("administer") &&
        !own &&
        html`
          <a class="button plain" href=${address(`/content/${content.id}/statistics`)}>
            ${t("statistics.title")}
          </a>
        `
      }
    </p>
    <${Alert} error=${act.error} />
  `;
}

/** The answer to an invitation to work on it.
 * @param {{contentId: string, user: string, onAnswer: () => Promise<unknown>}} props who declines may see it
 *   no more */
function Invited({ contentId, user, onAnswer }) {
  const act = useChange(onAnswer);
  const parameters = { contentId, otherId: user };
  return html`
    <div class="notice">
      <p>${t("memberships.invited-here")}</p>
      <p class="actions">
        <${Button}
          kind="main"
          busy=${act.busy}
          onClick=${() => act.run(() => client.putMember(parameters))}
        >
          ${t("action.accept")}
        <//>
        <${Button} busy=${act.busy} onClick=${() => act.run(() => client.removeMember(parameters))}>
          ${t("action.decline")}
        <//>
      </p>
      <${Alert} error=${act.error} />
    </div>
  `;
}

/** What an admin can do for an author who has withdrawn it by a slip.
 * @param {{content: Detail, found: Read}} props */
function Restore({ content, found }) {
  const act = useChange(found.reload);
  return html`
    <p class="actions">
      <${Button}
        busy=${act.busy}
        onClick=${() => act.run(() => client.restoreContent({ contentId: content.id }))}
      >
        ${t("action.restore")}
      <//>
    </p>
    <${Alert} error=${act.error} />
  `;
}

/** What its author can do, and of it those who work on it with them.
 * @param {{content: Detail, found: Read, own: boolean, onEdit: () => void}} props */
function Owner({ content, found, own, onEdit }) {
  const contentId = content.id;
  const act = useChange(found.reload);
  useGone("content", (id) => id === contentId && found.reload());
  const withdraw = () =>
    act.run(async () => {
      await client.deleteContent({ contentId });
      takeAway({
        key: `content ${contentId}`,
        what: "withdrawn",
        name: content.name,
        send: null,
        back: () => client.restoreContent({ contentId }),
      });
    });
  const lock = useInstant(found);
  const locked = !content.commentsLocked;
  const deleted = content.status === "deleted";
  return html`
    <section class="owner" aria-label=${t(own ? "content.owner" : "content.member")}>
      <p class="actions">
        ${content.status === "active" && html`<${Button} onClick=${onEdit}>${t("action.edit")}<//>`}
        ${
          !deleted &&
          html`
            <a class="button plain" href=${address(`/publish/${contentId}`)}>
              ${t("content.revise")}
            </a>
          `
        }
        ${
          !own
            ? null
            : deleted
              ? html`
                <${Button}
                  busy=${act.busy}
                  onClick=${() => act.run(() => client.restoreContent({ contentId }))}
                >
                  ${t("action.restore")}
                <//>
              `
              : html`
                <${Button} kind="danger" busy=${act.busy} onClick=${withdraw}>
                  ${t("action.withdraw")}
                <//>
              `
        }
        ${
          own &&
          html`
            <${Button}
              busy=${lock.busy}
              aria-pressed=${content.commentsLocked}
              onClick=${() =>
                lock.run(
                  (was) => ({ ...was, commentsLocked: locked }),
                  () => client.setCommentsLocked({ contentId, body: { locked } }),
                )}
            >
              ${t("content.lock")}
            <//>
            <a class="button plain" href=${address(`/content/${contentId}/statistics`)}>
              ${t("statistics.title")}
            </a>
          `
        }
      </p>
      <${Alert} error=${act.error ?? lock.error} />
    </section>
  `;
}

/** Make a revision the current one, unless another has become it since the page was read.
 * @param {Detail} content @param {string} revisionId */
const current = ({ id: contentId, revisionId: was }, revisionId) =>
  replace(
    (options) => client.getContent({ contentId }, options),
    (now, options) => {
      if (now.revisionId !== was) throw new Told("edit.moved");
      return client.setCurrentRevision({ contentId, body: { revisionId } }, options);
    },
  );

/** @param {{content: Detail, edits: boolean, reload: () => Promise<void>}} props */
function Revisions({ content, edits, reload }) {
  const found = useList("listContentRevisions", { contentId: content.id, limit: 5 }, [content.listingId]);
  const choose = useChange(reload);
  const [needing, setNeeding] = useState("");
  return html`
    <section>
      <h2>${t("content.revisions")}</h2>
      <${List}
        of=${found}
        label=${t("content.revisions")}
        item=${(/** @type {any} */ one) =>
          html`
            <div class="revision">
              <p>
                <b dir="auto">${one.version || t("content.no-version")}</b>${" "}
                <span class="faint small">${ago(one.created)}</span>
                ${one.current && html`<span class="badge static">${t("content.current")}</span>`}
              </p>
              ${
                one.description &&
                html`
                  <p class="text small" dir="auto">
                    ${one.description}
                  </p>
                `
              }
              ${
                edits &&
                !one.gone &&
                content.status !== "deleted" &&
                html`
                  <p class="actions">
                    ${
                      !one.current &&
                      html`
                        <${Button}
                          class="button plain small"
                          busy=${choose.busy}
                          aria-label=${control(t("content.choose"), one.version || t("content.no-version"))}
                          onClick=${() => choose.run(() => current(content, one.id))}
                        >
                          ${t("content.choose")}
                        <//>
                      `
                    }
                    <${Button}
                      class="button plain small"
                      aria-haspopup="dialog"
                      aria-label=${t("requires.edit", { version: one.version || t("content.no-version") })}
                      onClick=${() => setNeeding(one.id)}
                    >
                      ${t("requires.title")}
                    <//>
                  </p>
                `
              }
            </div>
          `}
      />
      <${Alert} error=${choose.error} />
      ${
        needing &&
        html`
          <${Lazy}
            of="requires"
            load=${() => import("../parts/requires-dialog.js")}
            contentId=${content.id}
            revisionId=${needing}
            onClose=${() => setNeeding("")}
            onDone=${reload}
          />
        `
      }
    </section>
  `;
}

/** What it uses. The core of a content has the content's id, so that it leads there.
 * @param {{content: Detail}} props */
function Uses({ content }) {
  const ids = [...new Set(content.using.map((one) => one.entityId))].slice(0, 100);
  const found = useLoad(
    async (signal) => (ids.length ? client.listContent({ ids: ids.join(",") }, { signal }) : []),
    [content.revisionId],
  );
  if (!ids.length) return null;
  return html`
    <section>
      <h2>${t("content.uses")}</h2>
      <p class="small faint">${t("content.parts", { count: content.using.length })}</p>
      ${
        found.data &&
        found.data.length > 0 &&
        html`
          <ul class="cards one">
            ${found.data.slice(0, 4).map(
              (one) =>
                html`
                  <li key=${one.id}>
                    <${Card} content=${one} />
                  </li>
                `,
            )}
          </ul>
        `
      }
    </section>
  `;
}

/** @param {{content: Detail}} props */
function Dependents({ content }) {
  const found = useList("listDependents", { contentId: content.id, limit: 4 }, [content.id]);
  if (!found.data?.items.length) return null;
  return html`
    <section>
      <h2>${t("content.used-by")}</h2>
      <${List}
        of=${found}
        kind="cards one"
        item=${(/** @type {any} */ one) => html`<${Card} content=${one} />`}
        empty=${null}
      />
    </section>
  `;
}
