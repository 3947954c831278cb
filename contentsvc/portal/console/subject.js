/** `/console/reports/{kind}/{id}`: what was reported, beside its reports, and what is done about it. */
import { ApiError, guid } from "../client.js";
import { html, useEffect, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client, may } from "../session.js";
import { address, go } from "../router.js";
import { ago, size } from "../format.js";
import { t } from "../texts.js";
import { titleOf } from "../parts/collection-form.js";
import { Details } from "../parts/details.js";
import { Button, Dialog, Field, Form, Refused } from "../parts/form.js";
import { fileWords } from "../parts/file-words.js";
import { useAction, useDraft, useLoad } from "../parts/hooks.js";
import { people, PersonLink } from "../parts/people.js";
import { Loaded } from "../parts/states.js";
import { Actions } from "./actions.js";
import { Frame } from "./frame.js";
import { place } from "./queue.js";
import { demand } from "./reasons.js";
import { Now, Report } from "./reported.js";

/** @param {import("../router.js").PlaceProps} props */
export default function Subject({ parameters, query }) {
  const [of, setOf] = useState("");
  return html`
    <${Frame} place="/console/reports" title=${of || undefined}>
      <${Case}
        key=${parameters.subject}
        kind=${parameters.kind}
        id=${parameters.subject}
        content=${query.get("content")}
        onFound=${setOf}
      />
    <//>
  `;
}

/** A collection that is public, with the first things in it.
 * @param {string} collectionId @param {AbortSignal} signal */
async function readCollection(collectionId, signal) {
  const [found, inside] = await Promise.all([
    client.getCollection({ collectionId }, { signal }),
    client.listCollectionItems({ collectionId, limit: 20 }, { signal }),
  ]);
  return { ...found, inside };
}

/** The reports with the subject as it is now. What is gone since is null.
 * @param {string} kind @param {string} id @param {string | null} content @param {AbortSignal} signal */
async function read(kind, id, content, signal) {
  const reports = await client.listReports({ kind, id, limit: 50 }, { signal }).catch((error) => {
    // What nobody has reported is looked at too.
    if (error instanceof ApiError && error.code === "report_not_found") return [];
    throw error;
  });
  const none = () => null;
  const evidence = reports[0]?.evidence ?? {};
  // A link to a comment may lack the content that it is on, which its evidence has.
  const contentId =
    kind === "content" ? id : (content ?? /** @type {string | null} */ (evidence.contentId ?? null));
  const now = await {
    content: () => client.getContent({ contentId: id }, { signal }).catch(none),
    comment: () =>
      contentId ? client.getComment({ contentId, commentId: Number(id) }, { signal }).catch(none) : null,
    user: () => client.getUserInfo({ userId: id }, { signal }).catch(none),
    collection: () => readCollection(id, signal).catch(none),
  }[/** @type {"content" | "comment" | "user" | "collection"} */ (kind)]?.();
  const uses =
    kind === "content"
      ? await client.listDependents({ contentId: id, limit: 100 }, { signal }).catch(() => [])
      : [];
  const author =
    kind === "user"
      ? id
      : /** @type {string | null} */ (
          evidence.authorId ??
            /** @type {any} */ (now)?.authorId ??
            /** @type {any} */ (now)?.owner?.id ??
            null
        );
  const account = author ? await client.getModeratedUser({ userId: author }, { signal }).catch(none) : null;
  const ids = [...(author ? [author] : []), ...reports.map((one) => one.reporter)];
  return {
    reports,
    now: /** @type {any} */ (now),
    contentId,
    uses,
    author,
    account,
    names: await people([...new Set(ids)]),
  };
}

/** What a subject is called.
 * @param {string} kind @param {string} id @param {Awaited<ReturnType<typeof read>>} about */
function title(kind, id, { now, author, names }) {
  if (kind === "comment" && author) return t("comments.of", { name: names.get(author)?.username ?? "" });
  if (kind === "collection" && now) return titleOf(now);
  return now?.name ?? now?.username ?? `${t(/** @type {any} */ (`subject.${kind}`))} ${id.slice(0, 8)}`;
}

/** @param {{kind: string, id: string, content: string | null, onFound: (title: string) => void}} props */
function Case({ kind, id, content, onFound }) {
  const found = useLoad((signal) => read(kind, id, content, signal), [kind, id]);
  useEffect(() => void (found.data && onFound(title(kind, id, found.data))), [found.data]);
  return html`
    <${Loaded} of=${found}>
      ${(/** @type {Awaited<ReturnType<typeof read>>} */ about) =>
        html`<${Shown} kind=${kind} id=${id} about=${about} reload=${found.reload} />`}
    <//>
  `;
}

/** @typedef {{key: string, text: string, kind?: string, asks?: boolean, work: (reason: string,
 *   writeId: string) => Promise<unknown>}} Step what can be done; `asks` is whether it needs a reason */

/** What was typed for this subject. The id is kept with the reason, so that a warning that is sent again
 * is one. */
const NONE = { reason: "", id: "" };

/** @param {any} props */
function Shown({ kind, id, about, reload }) {
  const { reports, now, contentId, author } = about;
  const [{ reason, id: writeId }, change, forget] = useDraft(`why.${kind}.${id}`, NONE);
  const [help, setHelp] = useState(false);
  const [blocking, setBlocking] = useState(false);
  const [did, setDid] = useState({ count: 0, text: "" });
  const open = reports.filter((/** @type {any} */ one) => one.state === "open");
  const resolve = (/** @type {"upheld" | "dismissed"} */ outcome) => () =>
    client.resolveReports({ kind, id, body: { outcome, upTo: open[0].id } });
  /** @type {(Step | false)[]} */
  const all = [
    kind === "content" &&
      now &&
      now.status !== "suspended" && {
        key: "s",
        text: t("console.suspend"),
        kind: "danger",
        work: (reason) => client.setContentStatus({ contentId: id, body: { status: "suspended", reason } }),
      },
    kind === "content" &&
      now?.status === "suspended" && {
        key: "s",
        text: t("action.restore"),
        work: (reason) => client.setContentStatus({ contentId: id, body: { status: "active", reason } }),
      },
    may("curate") &&
      kind === "content" &&
      now && {
        key: "f",
        text: t(now.featured ? "console.unfeature" : "console.feature"),
        work: () => client.setContentFeatured({ contentId: id, body: { featured: !now.featured } }),
      },
    kind === "comment" &&
      now &&
      !now.deleted && {
        key: "r",
        text: t("console.remove"),
        kind: "danger",
        work: (reason) =>
          client.deleteComment({ contentId, commentId: Number(id), ...(reason && { reason }) }),
      },
    kind === "collection" &&
      now?.kind === "collection" && {
        key: "r",
        text: t("console.remove"),
        kind: "danger",
        work: () => client.deleteCollection({ userId: now.owner.id, collectionId: id }),
      },
    author && {
      key: "w",
      text: t("console.warn"),
      asks: true,
      work: (reason, id) => client.warnUser({ userId: author, body: { reason, id } }),
    },
    author &&
      !about.account?.ban && {
        key: "b",
        text: t("console.ban"),
        kind: "danger",
        asks: true,
        work: (reason) => client.banUser({ userId: author, body: { reason } }),
      },
    open.length > 0 && { key: "u", text: t("console.uphold"), kind: "main", work: resolve("upheld") },
    open.length > 0 && { key: "d", text: t("console.dismiss"), work: resolve("dismissed") },
    kind === "content" &&
      now && {
        key: "x",
        text: t("console.block-files"),
        kind: "danger",
        work: async () => setBlocking(true),
      },
    { key: "n", text: t("console.next"), work: () => next(kind, id, open.length > 0) },
  ];
  const steps = /** @type {Step[]} */ (all.filter(Boolean));
  const act = useAction(async (/** @type {Step} */ step) => {
    const given = reason.trim();
    const known = writeId || guid();
    if (step.asks) {
      demand(given, limits.warnUser.reason);
      change({ id: known });
    }
    await step.work(given, known);
    if (step.key === "n" || step.key === "x") return;
    if ("srwb".includes(step.key)) forget();
    setDid(({ count }) => ({ count: count + 1, text: step.text }));
    // Who goes on at once need not wait for what is shown.
    void reload();
  });
  useEffect(() => {
    /** @param {KeyboardEvent} event */
    const press = (event) => {
      // A dialog that has just been closed has the focus until the page is drawn again.
      const typing =
        event.target instanceof Element && event.target.closest("input, textarea, select, dialog[open]");
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "?") return setHelp(true);
      const step = steps.find((one) => one.key === event.key);
      if (step) {
        event.preventDefault();
        void act.run(step);
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
  return html`
    <${Form} of=${act} onSend=${() => {}}>
      <${Field}
        label=${t("field.reason")}
        lines=${2}
        value=${reason}
        name="reason"
        hint=${t("console.reason-hint")}
        onChange=${(/** @type {string} */ reason) => change({ reason, id: "" })}
      />
    <p class="actions steps">
      ${steps.map(
        (step) =>
          html`
            <${Button}
              key=${step.text}
              kind=${step.kind ?? "plain"}
              busy=${act.busy}
              onClick=${() => act.run(step)}
            >
              ${step.text}
            <//>
          `,
      )}
      <button
        type="button"
        class="button plain"
        aria-label=${t("console.keys")}
        onClick=${() => setHelp(true)}
      >
        ?
      </button>
      <span role="status" class="small">
        ${did.text && t("console.did", { what: did.text })}
      </span>
    </p>
      <${Refused} />
    <//>
    <${Sides} kind=${kind} id=${id} about=${about} count=${did.count} />
    ${blocking && html`<${Block} contentId=${id} onClose=${() => (setBlocking(false), void reload())} />`}
    ${
      help &&
      html`
        <${Dialog} title=${t("console.keys")} onClose=${() => setHelp(false)}>
          <dl>
            ${steps.map(
              (step) =>
                html`
                  <dt key=${step.key}>
                    <kbd>${step.key}</kbd>
                  </dt>
                  <dd>${step.text}</dd>
                `,
            )}
            <dt>
              <kbd>?</kbd>
            </dt>
            <dd>${t("console.keys")}</dd>
          </dl>
        <//>
      `
    }
  `;
}

/** Go to the subject that follows this one in the queue; behind the last, or from one that is not in it, to
 * the first.
 * @param {string} kind @param {string} id @param {boolean} waits whether it is in the queue */
async function next(kind, id, waits) {
  let first = null;
  let passed = false;
  for await (const { subject } of client.each("listReportedSubjects", { limit: 100 })) {
    if (subject.kind === kind && subject.id === id) passed = true;
    else if (passed || !waits) return go(place(subject));
    else first ??= subject;
  }
  await go(first ? place(first) : "/console/reports");
}

/** The subject beside its reports, and what was done. `count` is how much was done here.
 * @param {any} props */
function Sides({ kind, id, about, count }) {
  const { reports, now, contentId, uses, author, account, names } = about;
  return html`
    <div class="beside">
      <section>
        <h2>${t("console.now")}</h2>
        <${Now} kind=${kind} now=${now} contentId=${contentId} id=${id} />
        ${
          uses.length > 0 &&
          html`
            <${Details} name="uses" summary=${t("console.used-by", { count: uses.length })}>
              <ul>
                ${uses.map(
                  (/** @type {any} */ one) =>
                    html`
                      <li key=${one.id}>
                        <a href=${address(`/content/${one.id}`)} dir="auto">
                          ${one.name}
                        </a>${" "}
                        <span class="faint small">
                          <bdi>${one.authorUsername}</bdi>
                        </span>
                      </li>
                    `,
                )}
              </ul>
            <//>
          `
        }
        ${
          author &&
          html`
            <h2>${t("console.author")}</h2>
            <p class="line">
              ${
                kind === "user"
                  ? html`
                    <b>
                      <bdi>${names.get(author)?.username}</bdi>
                    </b>
                  `
                  : html`<${PersonLink} person=${names.get(author)} />`
              }
              ${account?.ban && html`<span class="badge warn static">${t("console.banned")}</span>`}
              ${
                account &&
                html`
                  <span class="faint small">
                    ${t("console.created")} ${ago(account.created)}
                  </span>
                `
              }
              <a href=${address(`/console/users/${author}`)}>${t("console.record")}</a>
            </p>
            <${Actions} key=${`author ${count}`} subject=${author} />
          `
        }
      </section>
      <section>
        <h2>${t("console.reports-title")}</h2>
        <ul class="rows">
          ${reports.map(
            (/** @type {any} */ one) =>
              html`
                <li key=${one.id}>
                  <${Report} report=${one} reporter=${names.get(one.reporter)} kind=${kind} />
                </li>
              `,
          )}
        </ul>
      </section>
    </div>
    ${
      kind !== "user" &&
      html`
        <section>
          <h2>${t("console.done")}</h2>
          <${Actions} key=${`subject ${count}`} subject=${id} />
        </section>
      `
    }
  `;
}

/** Block files of a content: their bytes go, and nobody uploads them again.
 * @param {{contentId: string, onClose: () => void}} props */
function Block({ contentId, onClose }) {
  const files = useLoad((signal) => client.listContentFiles({ contentId }, { signal }), [contentId]);
  const [chosen, setChosen] = useState(/** @type {string[]} */ ([]));
  const [{ reason }, change, forget] = useDraft(`block.${contentId}`, { reason: "" });
  const act = useAction(async () => {
    for (const sha256 of chosen) await client.blockFile({ sha256, body: { reason } });
    forget();
    onClose();
  });
  return html`
    <${Dialog} title=${t("console.block-files")} onClose=${onClose}>
      <${Form} of=${act} limits=${limits.blockFile} onSend=${() => act.run()}>
        <${Loaded} of=${files}>
          ${(/** @type {import("../client.js").ContentFile[]} */ all) =>
            html`
              <ul>
                ${all.map(
                  (one, index) =>
                    html`
                      <li key=${`${index} ${one.path}`}>
                        <label class="check">
                          <input
                            type="checkbox"
                            checked=${chosen.includes(one.sha256)}
                            onChange=${() =>
                              setChosen(
                                chosen.includes(one.sha256)
                                  ? chosen.filter((other) => other !== one.sha256)
                                  : [...chosen, one.sha256],
                              )}
                          />${" "}
                          ${fileWords([one], [])[0]}
                          <span class="mono small">${one.sha256.slice(0, 12)}</span>${" "}
                          <span class="faint small">${size(one.size)}</span>
                        </label>
                      </li>
                    `,
                )}
              </ul>
            `}
        <//>
        <${Field}
          label=${t("field.reason")}
          lines=${2}
          name="reason"
          value=${reason}
          onChange=${(/** @type {string} */ reason) => change({ reason })}
        />
        <${Refused} />
        <p class="actions">
          <${Button} type="submit" kind="danger" busy=${act.busy} disabled=${!chosen.length}>
            ${t("console.block-files")}
          <//>
        </p>
      <//>
    <//>
  `;
}
