/** `/console/reports`: what was reported, live. What most have reported comes first. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { address, go } from "../router.js";
import { ago, moment } from "../format.js";
import { hasText, t } from "../texts.js";
import { Choice } from "../parts/form.js";
import { List, useList } from "../parts/list.js";
import { Avatar } from "../parts/people.js";
import { Picture } from "../parts/pictures.js";
import { Empty } from "../parts/states.js";
import { Due } from "./due.js";
import { Frame } from "./frame.js";
import { short } from "./names.js";
import { keyOf, useOpen } from "./open-reports.js";
import { place } from "./places.js";
import { KindSign } from "./signs.js";

/** @typedef {import("./open-reports.js").Queued} Queued */

const PART = 20;
const KINDS = /** @type {const} */ (["content", "comment", "user", "collection", "file", "message"]);
const REASONS = /** @type {const} */ ([
  "spam",
  "abuse",
  "sexual",
  "violence",
  "cheating",
  "copyright",
  "other",
  "illegal",
  "intimate",
  "child",
  "trademark",
  "personal",
]);

/** @param {import("../router.js").PlaceProps} props */
export default function Queue({ query }) {
  /** @param {string} name @param {readonly string[]} all */
  const chosen = (name, all) => all.find((one) => one === query.get(name)) ?? "";
  return html`
    <${Frame} place="/console/reports">
      <${Subjects}
        kind=${chosen("kind", KINDS)}
        reason=${chosen("reason", REASONS)}
        sort=${query.get("sort") === "due" ? "due" : ""}
      />
    <//>
  `;
}

/** Reads the list again when what is open has changed, and counts what has come meanwhile.
 * @param {ReturnType<typeof useList>} found @param {{kind: string, reason: string, sort: string}}
 *   asked
 * @returns {{count: number, keys: string[]}} new reports, and what they are about */
function useLive(found, { kind, reason, sort }) {
  const open = useOpen();
  const known = useRef(/** @type {Map<string, Queued> | null} */ (null));
  const [news, setNews] = useState({ count: 0, keys: /** @type {string[]} */ ([]) });
  useEffect(() => setNews({ count: 0, keys: [] }), [kind, reason]);
  useEffect(() => {
    if (!open || !found.data) return;
    const before = known.current;
    known.current = new Map([
      ...(before ?? []),
      ...open.items.map((one) => /** @type {const} */ ([keyOf(one.subject), one])),
    ]);
    const fitting = open.items.filter(
      (one) => (!kind || one.subject.kind === kind) && (!reason || one.reasons[reason]),
    );
    /** @param {Queued[]} all */
    const first = (all) => all.slice(0, PART).map((one) => `${keyOf(one.subject)} ${one.upTo}`);
    const ordered = sort ? [...fitting].sort((one, other) => one.due - other.due) : fitting;
    if (String(first(ordered)) !== String(first(found.data.items))) void found.reload();
    if (!before) return;
    const newest = Math.max(0, ...[...before.values()].map((one) => one.last));
    const fresh = fitting.filter((one) => {
      const was = before.get(keyOf(one.subject));
      return was ? was.upTo !== one.upTo : one.last >= newest;
    });
    if (!fresh.length) return;
    const counts = fresh.map((one) => one.reports - (before.get(keyOf(one.subject))?.reports ?? 0));
    setNews({
      // One that was reported again by the same player is news too.
      count: counts.reduce((sum, one) => sum + Math.max(one, 1), 0),
      keys: fresh.map((one) => keyOf(one.subject)),
    });
  }, [open, !found.data]);
  return news;
}

/** @param {{kind: string, reason: string, sort: string}} props what the address asks for */
function Subjects({ kind, reason, sort }) {
  const asked = { ...(kind && { kind }), ...(reason && { reason }), ...(sort && { sort }) };
  const found = useList("listReportedSubjects", { limit: PART, ...asked }, [kind, reason, sort]);
  const news = useLive(found, { kind, reason, sort });
  /** @param {Record<string, string>} change */
  const ask = (change) => {
    const now = Object.entries({ kind, reason, sort, ...change }).filter(([, value]) => value);
    go(`/console/reports${now.length ? `?${new URLSearchParams(now)}` : ""}`);
  };
  const { data } = found;
  const count = data?.items.length ?? 0;
  const shown = data && {
    ...data,
    items: data.items.map((one) => ({ ...one, id: keyOf(one.subject) })),
  };
  return html`
    <div class="filters three">
      <${Choice}
        label=${t("console.kind")}
        value=${kind}
        onChange=${(/** @type {string} */ kind) => ask({ kind })}
        options=${[["", t("console.all-kinds")], ...KINDS.map((name) => [name, t(`subject.${name}`)])]}
      />
      <${Choice}
        label=${t("field.reason")}
        value=${reason}
        onChange=${(/** @type {string} */ reason) => ask({ reason })}
        options=${[["", t("console.all-reasons")], ...REASONS.map((name) => [name, t(`reason.${name}`)])]}
      />
      <${Choice}
        label=${t("console.sort")}
        value=${sort}
        onChange=${(/** @type {string} */ sort) => ask({ sort })}
        options=${[
          ["", t("console.sort-reports")],
          ["due", t("console.sort-due")],
        ]}
      />
    </div>
    <p class="found small faint" role="status">
      ${data && t(data.next ? "list.found-more" : "list.found", { count })}
      ${news.count > 0 && html`<b class="news">${t("console.new-reports", { count: news.count })}</b>`}
    </p>
    <${List}
      of=${{ ...found, data: shown }}
      kind="queue"
      label=${t("console.queue")}
      item=${(/** @type {Queued & {id: string}} */ one) =>
        html`<${Case} one=${one} isNew=${news.keys.includes(one.id)} />`}
      empty=${html`
        <${Empty}
          title=${t(kind || reason ? "console.nothing-fits" : "console.nothing")}
          text=${t(kind || reason ? "console.nothing-fits-text" : "console.nothing-text")}
        />
      `}
    />
  `;
}

/** What a subject is called in the queue, and what else it shows.
 * @param {Queued} one
 * @returns {[string, string | null]} */
function told({ subject, author, excerpt }) {
  const unknown = subject.id.slice(0, 8);
  if (subject.kind === "user") return [author?.username ?? unknown, excerpt];
  if (!excerpt) return [unknown, null];
  const title = short(excerpt);
  return [title, title === excerpt.trim() ? null : excerpt];
}

/** @param {string} reason */
function reasonName(reason) {
  const key = `reason.${reason}`;
  return hasText(key) ? t(key) : reason;
}

/** A subject that was reported: the whole of it leads there.
 * @param {{one: Queued, isNew: boolean}} props */
function Case({ one, isNew }) {
  const { subject, author, thumbnailUri, reasons } = one;
  const [title, text] = told(one);
  const kind = t(/** @type {"subject.content"} */ (`subject.${subject.kind}`));
  const isPlayer = subject.kind === "user";
  return html`
    <article class="queued">
      <div class=${`queued-picture ${isPlayer ? "round" : ""}`} aria-hidden="true">
        ${
          thumbnailUri
            ? html`
              <${Picture}
                path=${thumbnailUri}
                name=${title}
                id=${subject.id}
                width=${isPlayer ? 72 : 128}
                height=${72}
                kind=${isPlayer ? "avatar" : ""}
                blurred
              />
            `
            : html`<${KindSign} kind=${subject.kind} />`
        }
      </div>
      <div class="queued-text">
        <p class="line">
          <span class="badge static">${kind}</span>
          <a class="over" href=${address(place(subject))} dir="auto">
            ${title}
          </a>
          ${
            one.notices > 0 &&
            html`<span class="badge static">${t("console.notices", { count: one.notices })}</span>`
          }
          ${isNew && html`<span class="badge static news">${t("console.new")}</span>`}
        </p>
        ${
          text &&
          html`
            <p class="brief small" dir="auto">
              ${text}
            </p>
          `
        }
        <p class="facts small">
          ${
            author &&
            !isPlayer &&
            html`
              <span class="by">
                <${Avatar} person=${author} size=${24} />
                <bdi>${author.username}</bdi>
              </span>
            `
          }
          ${Object.entries(reasons)
            .sort(([, a], [, b]) => b - a)
            .map(
              ([name, count]) =>
                html`
                  <span class="badge static" key=${name}>
                    ${t("console.reason", { reason: reasonName(name), count })}
                  </span>
                `,
            )}
        </p>
      </div>
      <p class="queued-count small">
        <b>${t("console.reports", { count: one.reports })}</b>
        <${Due} at=${one.due} />
        <time class="faint" datetime=${new Date(one.first * 1000).toISOString()} title=${moment(one.first)}>
          ${t("console.since", { when: ago(one.first) })}
        </time>
      </p>
    </article>
  `;
}
