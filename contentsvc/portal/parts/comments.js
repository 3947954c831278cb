/** The comments on content, as a tree. */
import { html, useState } from "../vendor/preact.js";
import { guid } from "../client.js";
import { limits } from "../limits.js";
import { client, may } from "../session.js";
import { ago, moment } from "../format.js";
import { t } from "../texts.js";
import { takeAway } from "../undo.js";
import { Folded } from "./folded.js";
import { Alert, Button, Field, Form, Refused } from "./form.js";
import { useGone } from "./gone.js";
import { useAction, useDraft, useLoad, useNews, useSession } from "./hooks.js";
import { Lazy } from "./lazy.js";
import { people, PersonLink } from "./people.js";
import { Report } from "./report.js";
import { Empty, Loaded } from "./states.js";
import { logInAddress } from "./then.js";

/** @typedef {import("../client.js").Comment} Comment */

const SIZE = 100;
const DEEPEST = 5;

/** All comments with their authors. A tree needs them all: an answer may be far from its question.
 * @param {string} contentId @param {AbortSignal} [signal] */
async function read(contentId, signal) {
  /** @type {Comment[]} */
  const items = [];
  for await (const item of client.each("listComments", { contentId, size: SIZE }, signal && { signal }))
    items.push(item);
  const authors = await people([...new Set(items.filter((one) => !one.deleted).map((one) => one.authorId))]);
  return { items, authors };
}

/** @param {{content: import("../client.js").ContentDetail}} props */
export function Comments({ content }) {
  const { user } = useSession();
  const found = useLoad((signal) => read(content.id, signal), [content.id]);
  useNews("notification", ({ notification }) => {
    if (notification.content === content.id && /^Comment/.test(notification.kind)) void found.reload();
  });
  return html`
    <section class="comments" aria-labelledby="comments">
      <h2 id="comments">${t("comments.title")}</h2>
      ${
        content.commentsLocked
          ? html`<p class="notice">${t("comments.locked")}</p>`
          : user
            ? html`<${Write} contentId=${content.id} label=${t("action.comment")} onSent=${found.reload} />`
            : html`
              <p>
                <a href=${logInAddress()}>${t("comments.log-in")}</a>
              </p>
            `
      }
      <${Loaded} of=${found}>
        ${(/** @type {Awaited<ReturnType<typeof read>>} */ { items, authors }) =>
          items.length
            ? html`
              <${Branch}
                items=${items}
                parent=${null}
                depth=${0}
                authors=${authors}
                content=${content}
                reload=${found.reload}
              />
            `
            : html`<${Empty} title=${t("comments.none")} />`}
      <//>
    </section>
  `;
}

/** @param {any} props */
function Branch({ items, parent, depth, authors, content, reload }) {
  const here = items.filter((/** @type {Comment} */ one) => one.parentId === parent);
  if (!here.length) return null;
  return html`
    <ol class=${`branch ${depth && depth <= DEEPEST ? "inner" : ""}`}>
      ${here.map(
        (/** @type {Comment} */ comment) =>
          html`
            <li key=${comment.id}>
              <${Folded} by=${comment.deleted ? "" : comment.authorId} kind="comment">
                <${One}
                  comment=${comment}
                  author=${authors.get(comment.authorId)}
                  content=${content}
                  reload=${reload}
                />
              <//>
              <${Branch}
                items=${items}
                parent=${comment.id}
                depth=${depth + 1}
                authors=${authors}
                content=${content}
                reload=${reload}
              />
            </li>
          `,
      )}
    </ol>
  `;
}

/** @param {any} props */
function One({ comment, author, content, reload }) {
  const { user } = useSession();
  const [doing, setDoing] = useState(/** @type {"reply" | "edit" | null} */ (null));
  const isGone = useGone("comment", (id) => id === String(comment.id) && reload());
  const remove = () =>
    takeAway({
      key: `comment ${comment.id}`,
      what: "comment",
      send: () => client.deleteComment({ contentId: content.id, commentId: comment.id }),
    });
  if (comment.deleted || isGone(comment.id))
    return html`
      <article class="comment gone">
        <p class="faint">${t("comments.deleted")}</p>
      </article>
    `;
  const own = user?.id === comment.authorId;
  const open = user && !content.commentsLocked;
  const done = async () => {
    setDoing(null);
    await reload();
  };
  return html`
    <article
      class="comment"
      id=${`comment-${comment.id}`}
      aria-label=${t("comments.of", { name: author?.username ?? "" })}
    >
      <header>
        ${author && html`<${PersonLink} person=${author} />`}
        <time
          class="faint small"
          datetime=${new Date(comment.created * 1000).toISOString()}
          title=${moment(comment.created)}
        >
          ${ago(comment.created)}
        </time>
        ${comment.updated > comment.created && html`<span class="faint small">${t("comments.edited")}</span>`}
      </header>
      ${
        doing === "edit"
          ? html`
            <${Lazy}
              of="comment-edit"
              load=${() => import("./comment-edit.js")}
              contentId=${content.id}
              comment=${comment}
              onDone=${done}
            />
          `
          : html`
            <p class="text" dir="auto">
              ${comment.body}
            </p>
          `
      }
      <footer>
        ${
          open &&
          html`
            <button
              type="button"
              class="button plain small"
              aria-expanded=${doing === "reply"}
              onClick=${() => setDoing(doing === "reply" ? null : "reply")}
            >
              ${t("action.reply")}
            </button>
          `
        }
        ${
          open &&
          own &&
          html`
            <button
              type="button"
              class="button plain small"
              onClick=${() => setDoing(doing === "edit" ? null : "edit")}
            >
              ${t("action.edit")}
            </button>
          `
        }
        ${
          (own || user?.id === content.authorId || may("moderate")) &&
          html`
            <${Button}
              class="button plain small"
              aria-label=${t("comments.delete", { name: author?.username ?? "" })}
              onClick=${remove}
            >
              ${t("action.delete")}
            <//>
          `
        }
        ${
          user &&
          !own &&
          html`
            <${Report}
              operation="reportComment"
              parameters=${{ contentId: content.id, commentId: comment.id }}
            />
          `
        }
      </footer>
      ${
        doing === "reply" &&
        html`
          <${Write}
            contentId=${content.id}
            parentId=${comment.id}
            label=${t("action.send")}
            onSent=${done}
          />
        `
      }
    </article>
  `;
}

/** A new comment, or an answer to `parentId`. The draft has its `writeId`: pressed again after an answer
 * that was lost, it is the same comment.
 * @param {{contentId: string, parentId?: number, label: string, onSent: () => Promise<void>}} props */
function Write({ contentId, parentId, label, onSent }) {
  const [values, change, forget] = useDraft(`comment.${contentId}.${parentId ?? ""}`, {
    body: "",
    writeId: "",
  });
  const send = useAction(async () => {
    const { body } = values;
    const writeId = values.writeId || guid();
    change({ writeId });
    await client.createComment({ contentId, body: { body, writeId, ...(parentId && { parentId }) } });
    forget();
    await onSent();
  });
  return html`
    <${Form} class="write" of=${send} limits=${limits.createComment} onSend=${() => send.run()}>
      <${Field}
        label=${t("field.comment")}
        name="body"
        focused=${!!parentId}
        lines=${parentId ? 2 : 3}
        value=${values.body}
        onChange=${(/** @type {string} */ body) => change({ body, writeId: "" })}
      />
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${send.busy}>
          ${label}
        <//>
      </p>
    <//>
  `;
}
