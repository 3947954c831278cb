/** The comments on content, the newest first, with the replies to them. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { begun, recall, remember, shown, wasLeft } from "../history.js";
import { client } from "../session.js";
import { number } from "../format.js";
import { t } from "../texts.js";
import { logInAddress } from "../router.js";
import { One, placeOf, Write } from "./comment.js";
import { branch, bring, changed, listed, more, moreReplies, PART, read } from "./comment-tree.js";
import { Alert, Button } from "./form.js";
import { useGone } from "./gone.js";
import { useAction, useLoad, useNews, useSession } from "./hooks.js";
import { control } from "./names.js";
import { useRetry } from "./retry.js";
import { Empty, Loaded } from "./states.js";

/** @typedef {import("./comment-tree.js").Tree} Tree */
/** @typedef {import("./comment.js").Around & {tree: Tree, expand: (id: number) => Promise<void>}} Around */

/** So deep a reply is indented. */
const DEEPEST = 5;

/** Milliseconds until others' comments are asked for, the first time and then. */
const SOON = 3_000;
const PAUSE = 30_000;

/** The comment that the address names. */
function named() {
  const found = /^#comment-([1-9]\d{0,14})$/.exec(location.hash);
  return found && Number(found[1]);
}

/** What is shown of them, kept with the entry of the history.
 * @param {string} contentId */
function useTree(contentId) {
  const name = `comments ${contentId}`;
  const found = useLoad(
    (signal) => {
      const { count = PART, lowest = Infinity, opened = {} } = recall(name) ?? {};
      return read(contentId, { count, lowest, opened, linked: named() }, signal);
    },
    [contentId],
  );
  const tree = found.data;
  const entry = shown();
  useEffect(() => {
    if (!tree) return;
    const { roots, branches } = tree;
    // What stands behind no gap is read again with the rest.
    const opened = [...branches].map(([id, { head, late, total }]) => {
      const all = head.length + late.length;
      return [id, all < total ? head.length : all];
    });
    remember(name, {
      count: Math.max(roots.length, PART),
      lowest: roots.at(-1),
      opened: Object.fromEntries(opened.filter(([, count]) => count)),
    });
  }, [tree, entry]);
  return found;
}

/** @param {{content: import("../client.js").ContentDetail}} props */
export function Comments({ content }) {
  const contentId = content.id;
  const { user } = useSession();
  const found = useTree(contentId);
  const tree = found.data;
  const [marked, mark] = useState(/** @type {number | null} */ (null));
  // What gets the focus as soon as it is drawn; the page stays where it is if `isStill`.
  const [next, setNext] = useState(/** @type {{id: number, isStill: boolean} | null} */ (null));
  useEffect(() => {
    if (next) document.getElementById(placeOf(next.id))?.focus({ preventScroll: next.isStill });
  }, [next]);

  // What was written and deleted since the content was read.
  const [since, setSince] = useState({ of: content.commentCount, more: 0 });
  const shift = since.of === content.commentCount ? since.more : 0;
  /** @param {number} one */
  const counted = (one) =>
    setSince(({ of, more }) => ({
      of: content.commentCount,
      more: one + (of === content.commentCount ? more : 0),
    }));
  const isGone = useGone("comment", (id) => {
    const one = tree?.comments.get(Number(id));
    if (!one || one.deleted) return;
    found.change((now) => changed(now, one.id, { deleted: true, body: "" }));
    counted(-1);
  });
  const going = [...(tree?.comments.values() ?? [])].filter((one) => !one.deleted && isGone(one.id));
  const count = content.commentCount + shift - going.length;

  const link = useAction(async (/** @type {number} */ id) => {
    if (!tree) return;
    const wasHere = wasLeft();
    const end = begun();
    try {
      found.change(await bring(contentId, tree, id, "linked"));
    } finally {
      end();
    }
    mark(id);
    // Who types meanwhile goes on.
    if (!wasHere && !document.activeElement?.matches("input, textarea, select"))
      setNext({ id, isStill: true });
  });
  const place = `${shown()} ${location.hash}`;
  useEffect(() => {
    const id = named();
    if (tree && id) void link.run(id);
  }, [place, !tree]);

  const [said, say] = useState("");
  /** @param {number} id @param {boolean} isReply */
  const onSent = async (id, isReply) => {
    say("");
    if (!tree) return found.reload();
    try {
      found.change(await bring(contentId, tree, id, "new"));
      if (!tree.comments.has(id)) counted(1);
    } catch {
      // It is written, and what is there can be read later.
      await found.reload();
    }
    mark(id);
    setNext({ id, isStill: false });
    say(t(isReply ? "comments.sent-reply" : "comments.sent"));
  };
  /** @param {number} id */
  const onChanged = async (id) => {
    const now = await client.getComment({ contentId, commentId: id });
    found.change((was) => changed(was, id, now));
  };

  // What others write meanwhile. It comes by itself where that moves nothing that is read.
  const [, draw] = useState({});
  const [fresh, setFresh] = useState(/** @type {number[]} */ ([]));
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useNews("notification", ({ notification }) => {
    const { kind, content: of, comment } = notification;
    if (of !== contentId || !/^Comment/.test(kind)) return;
    const id = Number(comment);
    if (kind === "CommentRemoved") void onChanged(id).catch(() => {});
    else setFresh((now) => (now.includes(id) || tree?.comments.has(id) ? now : [...now, id]));
  });
  // Others than the author, and who was answered, are told of nothing: they ask. The first answer says what
  // was there before.
  const newest = useRef(/** @type {number | null} */ (null));
  useRetry(!!tree, newest.current === null ? SOON : PAUSE, async () => {
    const newestFirst = /** @type {const} */ ({ contentId, order: "newest", size: PART, page: 0 });
    const { items } = await client.listComments(newestFirst, { retries: 0 });
    const known = newest.current;
    newest.current = items[0]?.id ?? 0;
    draw({});
    if (known === null) return;
    const ids = items.filter((one) => one.id > known && !one.deleted).map(({ id }) => id);
    setFresh((now) => [...now, ...ids.filter((id) => !now.includes(id) && !tree?.comments.has(id))]);
  });
  const arrive = useAction(async (/** @type {boolean} */ isAsked) => {
    if (!tree) return;
    let after = tree;
    for (const id of fresh) {
      const change = await bring(contentId, after, id, "new");
      after = change(after);
      found.change(change);
      if (!tree.comments.has(id)) counted(1);
    }
    setFresh((now) => now.filter((id) => !fresh.includes(id)));
    if (!isAsked) return;
    // The one that stands highest.
    const id = after.tops.find((one) => fresh.includes(one)) ?? fresh[0];
    mark(id);
    setNext({ id, isStill: false });
  });
  useEffect(() => {
    if (!tree || !fresh.length) return;
    const top = list.current?.getBoundingClientRect().top ?? Infinity;
    if (!tree.comments.size || top > innerHeight) void arrive.run(false);
  }, [fresh, !tree]);

  const part = useAction(async () => {
    if (!tree) return;
    const change = await more(contentId, tree);
    const id = listed(change(tree))[listed(tree).length];
    found.change(change);
    if (id) setNext({ id, isStill: true });
  });
  /** @param {number} parent */
  const expand = async (parent) => {
    if (!tree) return;
    const change = await moreReplies(contentId, tree, parent);
    const id = branch(change(tree), parent).head[branch(tree, parent).head.length];
    found.change(change);
    if (id) setNext({ id, isStill: true });
  };

  return html`
    <section class="comments" aria-labelledby="comments">
      <h2 id="comments">
        ${t("comments.title")}${" "}${count > 0 && html`<span class="faint">${number(count)}</span>`}
      </h2>
      ${
        content.commentsLocked
          ? html`<p class="notice">${t("comments.locked")}</p>`
          : user
            ? html`
              <${Write}
                contentId=${contentId}
                label=${t("action.comment")}
                onSent=${(/** @type {number} */ id) => onSent(id, false)}
              />
            `
            : html`
              <p>
                <a class="button plain" href=${logInAddress()}>${t("comments.log-in")}</a>
              </p>
            `
      }
      <${Alert} error=${link.error ?? arrive.error} />
      <div class="fresh" role="status">
        ${said && html`<span class="unseen">${said}</span>`}
        ${
          fresh.length > 0 &&
          !arrive.busy &&
          html`
            <${Button} class="button plain small" onClick=${() => arrive.run(true)}>
              ${t("comments.fresh", { count: fresh.length })}
            <//>
          `
        }
      </div>
      <${Loaded} of=${found} waiting=${html`<${CommentsWaiting} />`}>
        ${(/** @type {Tree} */ tree) => {
          const around = { tree, content, marked, isGone, onSent, onChanged, expand };
          const ids = listed(tree);
          return html`
            <div class="stack" ref=${list}>
              ${
                tree.missing &&
                html`
                  <p class="notice" role="status" id=${placeOf(tree.missing)} tabindex="-1">
                    ${t("comments.gone")}
                  </p>
                `
              }
              ${
                tree.linked &&
                html`
                  <h3 class="faint small">${t("comments.linked")}</h3>
                  <ol class="branch linked">
                    <${Thread} id=${tree.linked} depth=${0} around=${around} />
                  </ol>
                `
              }
              ${ids.length > 1 && html`<p class="faint small">${t("comments.newest")}</p>`}
              ${
                ids.length > 0 &&
                html`
                  <ol class="branch">
                    ${ids.map((id) => html`<${Thread} key=${id} id=${id} depth=${0} around=${around} />`)}
                  </ol>
                `
              }
              ${!ids.length && !tree.linked && html`<${Empty} title=${t("comments.none")} />`}
              ${
                tree.left > 0 &&
                html`
                  <${Alert} error=${part.error} />
                  <p class="more">
                    <${Button} busy=${part.busy} onClick=${() => part.run()}>
                      ${t("action.more")}
                    <//>
                  </p>
                `
              }
            </div>
          `;
        }}
      <//>
    </section>
  `;
}

/** A comment, and what answers it.
 * @param {{id: number, depth: number, around: Around}} props */
function Thread({ id, depth, around }) {
  const { tree } = around;
  const comment = tree.comments.get(id);
  const { head, late, total } = branch(tree, id);
  const rest = total - head.length - late.length;
  const inner = depth + 1;
  /** @param {number} one */
  const thread = (one) => html`<${Thread} key=${one} id=${one} depth=${inner} around=${around} />`;
  return html`
    <li>
      ${comment && html`<${One} comment=${comment} author=${tree.authors.get(id)} around=${around} />`}
      ${
        total > 0 &&
        html`
          <ol class=${`branch ${inner <= DEEPEST ? "inner" : ""}`}>
            ${head.map(thread)}
            ${rest > 0 && html`<${Rest} key="rest" id=${id} count=${rest} around=${around} />`}
            ${late.map(thread)}
          </ol>
        `
      }
    </li>
  `;
}

/** Replies that are folded.
 * @param {{id: number, count: number, around: Around}} props `id` is what they answer */
function Rest({ id, count, around: { tree, expand } }) {
  const act = useAction(() => expand(id));
  const isSome = branch(tree, id).head.length > 0;
  const text = t(isSome ? "comments.replies-more" : "comments.replies", { count });
  const author = tree.authors.get(id);
  const thing = author ? t("comments.of", { name: author.username }) : t("comments.deleted");
  return html`
    <li class="rest">
      <${Button}
        class="button plain small"
        busy=${act.busy}
        aria-label=${control(text, thing)}
        onClick=${() => act.run()}
      >
        ${text}
      <//>
      <${Alert} error=${act.error} />
    </li>
  `;
}

/** Comments that are on their way. */
function CommentsWaiting() {
  return html`
    <div class="skeletons">
      <p class="unseen" role="status">${t("state.loading")}</p>
      <ol class="branch" aria-hidden="true">
        ${[1, 2, 3].map(
          (n) =>
            html`
              <li key=${n}>
                <div class="comment">
                  <span class="skeleton words short"></span>
                  <span class="skeleton words"></span>
                </div>
              </li>
            `,
        )}
      </ol>
    </div>
  `;
}
