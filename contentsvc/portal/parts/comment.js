/** One comment, with what is done with it; and the form of a new one. */
import { html, useState } from "../vendor/preact.js";
import { guid } from "../client.js";
import { limits } from "../limits.js";
import { client, may } from "../session.js";
import { ago, moment } from "../format.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { takeAway } from "../undo.js";
import { Folded } from "./folded.js";
import { Button, Field, Form, Refused } from "./form.js";
import { useAction, useDraft, useKept, useSession } from "./hooks.js";
import { Lazy } from "./lazy.js";
import { control } from "./names.js";
import { PersonLink } from "./people.js";
import { Report } from "./report.js";

/** @typedef {import("../client.js").Comment} Comment */

/** A text of more letters or lines is cut, until somebody wants to read all of it. */
const LETTERS = 1_200;
const LINES = 14;

/** The id of its place on the page.
 * @param {number} id */
export const placeOf = (id) => `comment-${id}`;

/** @typedef {object} Around what all comments on the page have in common
 * @property {import("../client.js").ContentDetail} content
 * @property {number | null} marked the one that the address names, or that was just written
 * @property {(id: number) => boolean} isGone
 * @property {(id: number, isReply: boolean) => Promise<void>} onSent
 * @property {(id: number) => Promise<void>} onChanged */

/** @param {{comment: Comment, author: import("./people.js").Person | undefined, around: Around}} props */
export function One({ comment, author, around }) {
  const { content, marked, isGone } = around;
  const place = {
    id: placeOf(comment.id),
    tabindex: -1,
    "aria-current": marked === comment.id ? "true" : undefined,
  };
  if (comment.deleted || isGone(comment.id) || !author)
    return html`
      <article class="comment gone" ...${place}>
        <p class="faint">${t("comments.deleted")}</p>
      </article>
    `;
  return html`
    <${Folded} by=${comment.authorId} kind="comment" id=${place.id}>
      <article class="comment" aria-label=${t("comments.of", { name: author.username })} ...${place}>
        <header>
          <${PersonLink} person=${author} size=${32} />
          ${
            comment.authorId === content.authorId &&
            html`<span class="badge static">${t("comments.author")}</span>`
          }
          <a
            class="faint small when"
            href=${address(`/content/${content.id}#${place.id}`)}
            aria-label=${control(ago(comment.created), t("comments.of", { name: author.username }))}
          >
            <time
              datetime=${new Date(comment.created * 1000).toISOString()}
              title=${moment(comment.created)}
            >
              ${ago(comment.created)}
            </time>
          </a>
          ${
            comment.updated > comment.created &&
            html`
              <span class="faint small" title=${moment(comment.updated)}>${t("comments.edited")}</span>
            `
          }
        </header>
        <${Said} comment=${comment} author=${author} around=${around} />
      </article>
    <//>
  `;
}

/** Its text, and what is done with it.
 * @param {{comment: Comment, author: import("./people.js").Person, around: Around}} props */
function Said({ comment, author, around }) {
  const { content, onSent, onChanged } = around;
  const { user } = useSession();
  const [doing, setDoing] = useState(/** @type {"reply" | "edit" | null} */ (null));
  /** @param {"reply" | "edit"} what */
  const turn = (what) => setDoing(doing === what ? null : what);
  const remove = () =>
    takeAway({
      key: `comment ${comment.id}`,
      what: "comment",
      send: () => client.deleteComment({ contentId: content.id, commentId: comment.id }),
    });
  const own = user?.id === comment.authorId;
  const open = user && !content.commentsLocked;
  return html`
    ${
      doing === "edit"
        ? html`
          <${Lazy}
            of="comment-edit"
            load=${() => import("./comment-edit.js")}
            contentId=${content.id}
            comment=${comment}
            onDone=${async () => {
              setDoing(null);
              await onChanged(comment.id);
            }}
          />
        `
        : html`<${Text} comment=${comment} author=${author} />`
    }
    <footer>
      ${
        open &&
        html`
          <button
            type="button"
            class="button plain small"
            aria-expanded=${doing === "reply"}
            onClick=${() => turn("reply")}
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
            aria-expanded=${doing === "edit"}
            onClick=${() => turn("edit")}
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
            aria-label=${t("comments.delete", { name: author.username })}
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
          onSent=${async (/** @type {number} */ id) => {
            setDoing(null);
            await onSent(id, true);
          }}
        />
      `
    }
  `;
}

/** @param {{comment: Comment, author: import("./people.js").Person}} props */
function Text({ comment: { id, body }, author }) {
  const [isWhole, keep] = useKept(`whole ${placeOf(id)}`, false);
  const isCut = !isWhole && (body.length > LETTERS || body.split("\n").length > LINES);
  return html`
    <p class=${`text ${isCut ? "cut" : ""}`} dir="auto">
      ${body}
    </p>
    ${
      isCut &&
      html`
        <p>
          <button
            type="button"
            class="button plain small"
            aria-label=${control(t("comments.whole"), t("comments.of", { name: author.username }))}
            onClick=${() => keep(true)}
          >
            ${t("comments.whole")}
          </button>
        </p>
      `
    }
  `;
}

/** A new comment, or an answer to `parentId`. The draft has its `writeId`: pressed again after an answer
 * that was lost, it is the same comment.
 * @param {{contentId: string, parentId?: number, label: string, onSent: (id: number) => Promise<void>}} props
 */
export function Write({ contentId, parentId, label, onSent }) {
  const [values, change, forget] = useDraft(`comment.${contentId}.${parentId ?? ""}`, {
    body: "",
    writeId: "",
  });
  const send = useAction(async () => {
    const { body } = values;
    const writeId = values.writeId || guid();
    change({ writeId });
    const { location } = await client.createComment({
      contentId,
      body: { body, writeId, ...(parentId && { parentId }) },
    });
    forget();
    await onSent(Number(/\d+$/.exec(location)?.[0]));
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
