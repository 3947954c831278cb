/** `/console/reports/{kind}/{id}`: what was reported, beside its reports, and what is done about it. */
import { ApiError } from "../client.js";
import { html, useEffect, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { address, go } from "../router.js";
import { ago } from "../format.js";
import { t } from "../texts.js";
import { titleOf } from "../parts/collection-form.js";
import { Details } from "../parts/details.js";
import { useLoad } from "../parts/hooks.js";
import { people, PersonLink } from "../parts/people.js";
import { Loaded } from "../parts/states.js";
import { Actions } from "./actions.js";
import { Decisions } from "./decisions.js";
import { Due, HoldLink } from "./due.js";
import { Frame } from "./frame.js";
import { keyOf, useOpen } from "./open-reports.js";
import { place } from "./places.js";
import { isSame, Now, Report, Then } from "./reported.js";
import { banWords, Steps } from "./steps.js";

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
        user=${query.get("user")}
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

/** What there is no place of that shows it as it is now. */
const HIDDEN = ["file", "message"];

/** The reports with the subject as it is now. What is gone since is null.
 * @param {string} kind @param {string} id @param {string | null} content that a comment is on
 * @param {string | null} user who has sent a message @param {AbortSignal} signal */
async function read(kind, id, content, user, signal) {
  const asked = /** @type {any} */ ({ kind, id, limit: 50, ...(user && { user }) });
  const [reports, standing] = await Promise.all([
    client.listReports(asked, { signal }).catch((error) => {
      // What nobody has reported is looked at too.
      if (error instanceof ApiError && error.code === "report_not_found") return [];
      throw error;
    }),
    client.listDecisions({ subject: id, open: true, limit: 20, ...(user && { user }) }, { signal }),
  ]);
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
          user ??
            evidence.authorId ??
            /** @type {any} */ (now)?.authorId ??
            /** @type {any} */ (now)?.owner?.id ??
            null
        );
  const account = author ? await client.getModeratedUser({ userId: author }, { signal }).catch(none) : null;
  const ids = [
    ...(author ? [author] : []),
    ...reports.flatMap(({ reporter }) => (reporter ? [reporter] : [])),
  ];
  return {
    reports,
    now: /** @type {any} */ (now),
    contentId,
    uses,
    author,
    account,
    standing: /** @type {import("../client.js").Decision[]} */ (standing),
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

/** @param {{kind: string, id: string, content: string | null, user: string | null,
 *   onFound: (title: string) => void}} props */
function Case({ kind, id, content, user, onFound }) {
  const found = useLoad((signal) => read(kind, id, content, user, signal), [kind, id]);
  useEffect(() => void (found.data && onFound(title(kind, id, found.data))), [found.data]);
  return html`
    <${Loaded} of=${found}>
      ${(/** @type {Awaited<ReturnType<typeof read>>} */ about) =>
        html`<${Shown} kind=${kind} id=${id} about=${about} reload=${found.reload} />`}
    <//>
  `;
}

/** @param {{kind: string, id: string, about: Awaited<ReturnType<typeof read>>, reload: () => Promise<void>}}
 *   props */
function Shown({ kind, id, about, reload }) {
  const [count, setCount] = useState(0);
  const { reports, now, contentId, author, account, standing } = about;
  const waits = reports.some((one) => one.state === "open");
  return html`
    <div class="decide">
      <${Sides} kind=${kind} id=${id} about=${about} />
      <div class="decide-side">
        <${Steps}
          kind=${kind}
          id=${id}
          about=${{ reports, now, contentId, author, account, standing, name: title(kind, id, about) }}
          reload=${reload}
          onDid=${() => setCount((was) => was + 1)}
          next=${() => next(kind, id, waits)}
        />
      </div>
      <div class="decide-log">
        ${
          kind !== "user" &&
          html`
            <${Decisions}
              of=${{ subject: id }}
              title=${t("console.decisions-subject")}
              count=${count}
              onChange=${reload}
            />
          `
        }
        ${
          author &&
          html`
            <${Decisions}
              of=${{ user: author }}
              without=${kind === "user" ? undefined : id}
              title=${t(kind === "user" ? "console.decisions" : "console.decisions-author")}
              count=${count}
              onChange=${reload}
            />
          `
        }
        ${
          kind !== "user" &&
          html`
            <section>
              <h2>${t("console.done")}</h2>
              <${Actions} key=${`subject ${count}`} subject=${id} />
            </section>
          `
        }
        ${
          author &&
          html`
            <section>
              <h2>${t(kind === "user" ? "console.done" : "console.done-author")}</h2>
              <${Actions} key=${`author ${count}`} subject=${author} />
            </section>
          `
        }
      </div>
    </div>
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

/** What was reported, who has made it, and the reports.
 * @param {{kind: string, id: string, about: Awaited<ReturnType<typeof read>>}} props */
function Sides({ kind, id, about }) {
  const { reports, now, contentId, uses, author, account, names } = about;
  const open = reports.filter((one) => one.state === "open").length;
  const due = useOpen()?.items.find(({ subject }) => keyOf(subject) === keyOf({ kind, id }))?.due;
  const [then] = reports;
  const hasNow = !HIDDEN.includes(kind);
  const held = /** @type {any} */ (["content", "user", "file"].includes(kind) ? kind : null);
  return html`
    <div class="decide-main">
      <p class="line">
        ${author && html`<${Author} kind=${kind} person=${names.get(author)} account=${account} />`}
        ${due !== undefined && html`<${Due} at=${due} />`}
        ${held && html`<${HoldLink} kind=${held} id=${id} />`}
      </p>
      <div class="then-now">
        ${then && html`<${Then} report=${then} kind=${kind} id=${id} />`}
        ${
          hasNow &&
          html`
            <section>
              <h2>${t("console.now")}</h2>
              ${
                then &&
                now &&
                html`
                  <p class="small faint">
                    ${t(isSame(kind, then.evidence, now) ? "console.unchanged" : "console.changed")}
                  </p>
                `
              }
              <${Now} kind=${kind} now=${now} contentId=${contentId} id=${id} />
            </section>
          `
        }
        ${!hasNow && !then && html`<p class="faint">${t("console.not-shown")}</p>`}
      </div>
      <section hidden=${!uses.length}>
        ${
          uses.length > 0 &&
          html`
            <${Details} name="uses" summary=${t("console.used-by", { count: uses.length })}>
              <ul>
                ${uses.map(
                  (one) =>
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
      </section>
      <section>
        <h2>${t("console.reports-title")}</h2>
        <p class="faint small">
          ${reports.length ? t("console.reports-open", { count: open }) : t("console.never-reported")}
        </p>
        <ul class="rows">
          ${reports.map(
            (one) =>
              html`
                <li key=${one.id}>
                  <${Report} report=${one} reporter=${names.get(one.reporter ?? "")} kind=${kind} />
                </li>
              `,
          )}
        </ul>
      </section>
    </div>
  `;
}

/** Who has made it, and where more is about them.
 * @param {{kind: string, person: any, account: any}} props */
function Author({ kind, person, account }) {
  return html`
      ${kind !== "user" && html`<${PersonLink} person=${person} />`}
      ${
        account?.ban &&
        html`
          <span class="badge warn static">${t("console.banned")}</span>
          <span class="small">${banWords(account.ban)}</span>
        `
      }
      ${
        account &&
        html`
          <span class="faint small">
            ${t("console.created")} ${ago(account.created)}
          </span>
        `
      }
      <a href=${address(`/console/users/${person.id}`)}>${t("console.record")}</a>
  `;
}
