/** The two steps of a moderator: what is done about a subject and who has made it, and then what those who
 * reported it are told. */
import { guid } from "../client.js";
import { html, useRef, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client, may } from "../session.js";
import { moment } from "../format.js";
import { language, t } from "../texts.js";
import { Field, Form, Refused, useId } from "../parts/form.js";
import { useAction, useDraft } from "../parts/hooks.js";
import { fault, refuse } from "../parts/problems.js";
import { ActButton } from "./act-button.js";
import { Answer, useAnswer } from "./answer.js";
import { BlockFiles } from "./block-files.js";
import { useKeys } from "./keys.js";
import { demand } from "./reasons.js";

/**
 * What is known of a subject.
 * @typedef {object} About
 * @property {any[]} reports the newest first
 * @property {any} now as it is now, or null
 * @property {string | null} contentId that of the content, or of what the comment is on
 * @property {string | null} author
 * @property {import("../client.js").ModeratedUser | null} account the author's
 * @property {string} name
 */
/**
 * What can be done. Its place stays where it is, whatever was done.
 * @typedef {object} Act
 * @property {string} name
 * @property {string} key
 * @property {string} text
 * @property {string} [done] what its button says once it is done
 * @property {boolean} [off] whether there is nothing to do now
 * @property {"reads" | "needs"} [reason] whether it tells the player the reason
 * @property {"danger"} [kind]
 * @property {(reason: string, writeId: string) => any} work gives what is to be shown at once
 */
/** @typedef {{kind: string, id: string, about: About, reload: () => Promise<void>, onDid: () => void,
 *   next?: () => unknown}} Props `next` goes on to another subject */

/** For how many days somebody is banned. 0 has no end. */
const DAYS = [1, 7, 30, 0];
const DAY = 86_400;
/** Names in a row.
 * @param {string[]} names */
const row = (names) => new Intl.ListFormat(language).format(names);

/** What a ban is, until when.
 * @param {{until: number | null}} ban */
export const banWords = ({ until }) =>
  until === null ? t("console.banned-for-ever") : t("console.banned-until", { time: moment(until) });

/** @param {Props} props */
export function Steps({ kind, id, about, reload, onDid, next }) {
  const { contentId, author, account } = about;
  // The id is kept with the reason, so that a warning that is sent again is one.
  const [{ reason, id: writeId }, change, forget] = useDraft(`why.${kind}.${id}`, { reason: "", id: "" });
  // What was done is shown before all is read again.
  const [instead, setInstead] = useState(/** @type {Record<string, any>} */ ({}));
  const [days, setDays] = useState({ count: DAYS[0], isNew: false });
  const [warned, setWarned] = useState(/** @type {string | null} */ (null));
  const [blocking, setBlocking] = useState(false);
  const [dealt, setDealt] = useState(false);
  const [did, setDid] = useState("");
  const doing = useId();
  const reads = useRef(0);
  const now = "now" in instead ? instead.now : about.now;
  const ban = "ban" in instead ? instead.ban : account?.ban;
  const given = reason.trim();
  /** @param {string} text @param {Record<string, any>} [shown] */
  const done = (text, shown = {}) => {
    const read = ++reads.current;
    setInstead((was) => ({ ...was, ...shown }));
    setDid(text);
    onDid();
    // Who goes on at once need not wait for what is shown.
    void reload().then(() => read === reads.current && setInstead({}));
  };
  /** @param {"active" | "suspended"} status */
  const setStatus = (status) => async (/** @type {string} */ reason) => {
    await client.setContentStatus({ contentId: id, body: { status, ...(reason && { reason }) } });
    return { now: { ...now, status } };
  };
  const onIt = /** @type {(Act | false)[]} */ ([
    kind === "content" && {
      name: "suspend",
      key: "s",
      text: t("console.suspend"),
      done: now?.status === "suspended" && t("status.suspended"),
      off: !now,
      reason: "reads",
      kind: "danger",
      work: setStatus("suspended"),
    },
    kind === "content" && {
      name: "restore",
      key: "e",
      text: t("action.restore"),
      off: now?.status !== "suspended",
      reason: "reads",
      work: setStatus("active"),
    },
    kind === "content" && {
      name: "block",
      key: "x",
      text: t("console.block-files"),
      off: !now,
      kind: "danger",
      work: () => setBlocking(true),
    },
    kind === "content" &&
      may("curate") && {
        name: "feature",
        key: "f",
        text: t(now?.featured ? "console.unfeature" : "console.feature"),
        off: !now,
        work: async () => {
          await client.setContentFeatured({ contentId: id, body: { featured: !now.featured } });
          return { now: { ...now, featured: !now.featured } };
        },
      },
    kind === "comment" && {
      name: "remove",
      key: "r",
      text: t("console.remove"),
      done: now?.deleted && t("console.removed"),
      off: !now,
      reason: "reads",
      kind: "danger",
      work: async (/** @type {string} */ reason) => {
        const commentId = Number(id);
        await client.deleteComment({
          contentId: /** @type {string} */ (contentId),
          commentId,
          ...(reason && { reason }),
        });
        return { now: { ...now, deleted: true } };
      },
    },
    kind === "collection" && {
      name: "remove",
      key: "r",
      text: t("console.remove"),
      done: !now && t("console.removed"),
      off: now?.kind !== "collection",
      kind: "danger",
      work: async () => {
        await client.deleteCollection({ userId: now.owner.id, collectionId: id });
        return { now: null };
      },
    },
  ]).filter((one) => !!one);
  const isWarned = warned !== null && (!given || given === warned);
  const userId = /** @type {string} */ (author);
  const onAuthor = /** @type {Act[]} */ (
    author
      ? [
          {
            name: "warn",
            key: "w",
            text: t("console.warn"),
            done: isWarned && t("console.warned"),
            reason: "needs",
            work: async (reason, id) => {
              await client.warnUser({ userId, body: { reason, id } });
              setWarned(reason);
              setDealt(true);
              change({ id: "" });
            },
          },
          {
            name: "ban",
            key: "b",
            text: t("console.ban"),
            done: ban && !days.isNew && t("console.banned"),
            reason: "needs",
            kind: "danger",
            work: async (reason) => {
              const until = days.count ? Math.floor(Date.now() / 1000) + days.count * DAY : null;
              await client.banUser({ userId, body: { reason, ...(until && { until }) } });
              setDays({ count: days.count, isNew: false });
              return { ban: { reason, until } };
            },
          },
          {
            name: "lift",
            key: "l",
            text: t("console.lift"),
            off: !ban,
            work: async () => {
              await client.unbanUser({ userId });
              setDays({ count: days.count, isNew: false });
              return { ban: null };
            },
          },
        ]
      : []
  );
  const acts = [...onIt, ...onAuthor];
  const act = useAction(async (/** @type {Act} */ one) => {
    const known = writeId || guid();
    if (one.reason === "needs") {
      demand(given, limits.warnUser.reason);
      change({ id: known });
    } else if (one.reason) {
      refuse({ reason: fault({ value: given, limit: limits.warnUser.reason, required: false }) });
    }
    const shown = await one.work(given, known);
    if (one.name === "block") return;
    done(shown?.ban ? banWords(shown.ban) : t("console.did", { what: one.text }), shown ?? {});
  });
  const answer = useAnswer({
    kind,
    id,
    about: { ...about, now, account: account && { ...account, ban: ban ?? null } },
    dealt,
    onDone: () => (forget(), done("")),
  });
  const can = acts.filter((one) => !one.done && !one.off);
  const [hasKeys, keys] = useKeys([
    ...can.map((one) => ({ key: one.key, text: one.text, work: () => act.run(one) })),
    ...(answer.open.length
      ? [
          { key: "u", text: t("console.uphold"), work: () => answer.run("upheld") },
          { key: "d", text: t("console.dismiss"), work: () => answer.run("dismissed") },
        ]
      : []),
    ...(next ? [{ key: "n", text: t("console.next"), work: next }] : []),
  ]);
  /** @param {Act} one */
  const button = (one) =>
    html`
      <${ActButton}
        key=${one.name}
        text=${one.text}
        done=${one.done}
        off=${one.off}
        kind=${one.kind}
        letter=${hasKeys && one.key}
        busy=${act.busy}
        onClick=${() => act.run(one)}
      />
    `;
  const readers = acts.filter((one) => one.reason).map((one) => one.text);
  const needers = acts.filter((one) => one.reason === "needs").map((one) => one.text);
  const hint = [
    readers.length && t("console.reason-for", { acts: row(readers) }),
    needers.length && t("console.reason-needed-by", { acts: row(needers) }),
  ];
  return html`
    <section class="step" aria-labelledby=${doing}>
      <header>
        <h2 id=${doing}>${t("console.step-do")}</h2>
        ${keys}
      </header>
      <p class="hint">${t("console.step-do-hint")}</p>
      <${Form} class="stack" of=${act} onSend=${() => {}}>
        ${
          readers.length > 0 &&
          html`
            <${Field}
              label=${t("field.reason")}
              lines=${2}
              value=${reason}
              name="reason"
              hint=${hint.filter(Boolean).join(" ")}
              onChange=${(/** @type {string} */ reason) => change({ reason, id: "" })}
            />
          `
        }
        <${Refused} />
        ${
          onIt.length > 0 &&
          html`
            <${Group} name=${t(/** @type {any} */ (`subject.${kind}`))}>
              <div class="acts two">${onIt.map(button)}</div>
            <//>
          `
        }
        ${
          onAuthor.length > 0 &&
          html`
            <${Group} name=${t(kind === "user" ? "subject.user" : "console.author")}>
              <${Days}
                value=${days.count}
                onChange=${(/** @type {number} */ count) => setDays({ count, isNew: true })}
              />
              <div class="acts">${onAuthor.map(button)}</div>
            <//>
          `
        }
        <p class="small line-kept" role="status">${did}</p>
      <//>
    </section>
    <${Answer}
      answer=${answer}
      hasKeys=${hasKeys}
      after=${
        next &&
        html`
          <${ActButton}
            text=${t("console.next")}
            letter=${hasKeys && "n"}
            busy=${act.busy}
            onClick=${next}
          />
        `
      }
    />
    ${
      blocking &&
      html`
        <${BlockFiles}
          contentId=${id}
          pictures=${about.now?.screenshotUris ?? []}
          onDone=${() => (setDealt(true), done(t("console.did", { what: t("console.block-files") })))}
          onClose=${() => setBlocking(false)}
        />
      `
    }
  `;
}

/** Things to do that belong together.
 * @param {{name: string, children?: any}} props */
function Group({ name, children }) {
  const id = useId();
  return html`
    <div class="stack" role="group" aria-labelledby=${id}>
      <h3 id=${id}>${name}</h3>
      ${children}
    </div>
  `;
}

/** For how long somebody is banned.
 * @param {{value: number, onChange: (days: number) => void}} props */
function Days({ value, onChange }) {
  const name = useId();
  return html`
    <fieldset class="segments">
      <legend>${t("console.how-long")}</legend>
      <div>
        ${DAYS.map(
          (count) =>
            html`
              <label key=${count}>
                <input
                  type="radio"
                  name=${name}
                  checked=${value === count}
                  onChange=${() => onChange(count)}
                />
                <span>${count ? t("console.days", { count }) : t("console.for-ever")}</span>
              </label>
            `,
        )}
      </div>
    </fieldset>
  `;
}
