/** What notifications are about: the players and the content that they name, and what was said. Few requests
 * have it, and none asks for what the visitor cannot see, or has blocked. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { hasText, t } from "../texts.js";
import { people } from "./people.js";

/** @typedef {import("../client.js").ContentInfo} ContentInfo */
/** @typedef {import("./people.js").Person} Person */
/** @typedef {{persons: Map<string, Person>, contents: Map<string, ContentInfo>,
 *   lines: Map<string, Promise<string>>}} Things */
/** Those of a kind about one thing, the newest first.
 * @typedef {{key: string, items: any[], newest: any, unread: boolean}} Group */

/** What happens to what is the visitor's own, which may be hidden from others. */
const OWN = /^(CommentOnContent|Content(Suspended|Restored)|Challenge(Won|Participated))$/;
const INVITED = /^(Tester|Member)Invited$/;
/** Each of them is about itself. */
const SINGLE = /^(AccountWarning|AppealDecided|Decision(Taken|Reversed)|Debug|Studio)$/;
/** So many ids fit in a request, and so many items in a part. */
const IDS = 100;
const MOST = 200;

/** Who has done it.
 * @param {any} one
 * @returns {string | undefined} */
export const by = (one) => one.sender ?? one.author;

/** The content that it is about.
 * @param {any} one
 * @returns {string | undefined} */
export function contentOf({ content, subject }) {
  return content ?? (subject?.kind === "content" ? subject.id : subject?.content);
}

/** @template T @param {(T | undefined | null)[]} all
 * @returns {T[]} */
const distinct = (all) => [.../** @type {Set<T>} */ (new Set(all.filter((one) => one != null)))];

/** @returns {Things} */
export const nothing = () => ({ persons: new Map(), contents: new Map(), lines: new Map() });

/** Learn what these are about, and who has done it.
 * @param {any[]} items @param {Things} known what is known already, and then more
 * @param {ReadonlySet<string>} blocked whose things nobody asks for
 * @param {AbortSignal} [signal] */
export async function learn(items, known, blocked, signal) {
  const shown = items.filter((one) => !blocked.has(by(one) ?? ""));
  const subjects = shown.map(({ subject }) => (subject?.kind === "user" ? subject.id : null));
  const persons = distinct([...shown.map(by), ...subjects]).filter((id) => !known.persons.has(id));
  const [found] = await Promise.all([people(persons), contents(shown, known, signal)]);
  for (const [id, person] of found) known.persons.set(id, person);
  return known;
}

/** @param {any[]} items @param {Things} known @param {AbortSignal} [signal] */
async function contents(items, known, signal) {
  /** @param {ContentInfo[]} found */
  const keep = (found) => {
    for (const one of found) known.contents.set(one.id, one);
  };
  /** @param {any[]} some */
  const missing = (some) => distinct(some).filter((id) => !known.contents.has(id));
  const ids = missing(items.flatMap((one) => [contentOf(one), one.dependency]));
  const options = signal && { signal };
  for (let at = 0; at < ids.length; at += IDS)
    keep(await client.listContent({ ids: ids.slice(at, at + IDS).join(",") }, options).catch(() => []));
  // Hidden content is in no list but these.
  const own = missing(items.filter(({ kind }) => OWN.test(kind)).map(contentOf));
  const invited = missing(items.filter(({ kind }) => INVITED.test(kind)).map(contentOf));
  await Promise.all([
    own.length && client.listUserContent({ limit: MOST }, options).then(keep, () => {}),
    invited.length &&
      client.listMemberships({ limit: MOST }, options).then(
        (/** @type {any[]} */ found) => keep(found.map(({ content }) => content)),
        () => {},
      ),
  ]);
}

/** Of whose things this is one, which the visitor may have blocked: of who has done it, or has made what it
 * is about.
 * @param {any} one @param {Things} things @param {ReadonlySet<string>} blocked */
export function owner(one, { contents }, blocked) {
  const all = [by(one), contents.get(contentOf(one) ?? "")?.authorId, contents.get(one.dependency)?.authorId];
  return all.find((id) => blocked.has(id ?? "")) ?? by(one);
}

/** What it is about, with its kind: what has the same is one row.
 * @param {any} one */
function about(one) {
  const { id, kind, dependency, challenge, content, comment, subject } = one;
  if (SINGLE.test(kind) || !hasText(`kind.${kind}`)) return id;
  if (kind === "CommentRemoved") return `${kind} ${content} ${comment}`;
  const things = dependency ? [dependency] : [challenge, content, subject?.kind, subject?.id];
  return [kind, ...(things.some(Boolean) ? things.filter(Boolean) : [by(one) ?? id])].join(" ");
}

/** Repeats as one, at the place of the newest. What blocked players did is apart.
 * @param {any[]} items the newest first @param {Things} things @param {ReadonlySet<string>} blocked
 * @returns {Group[]} */
export function grouped(items, things, blocked) {
  /** @type {Map<string, Group>} */
  const found = new Map();
  for (const one of items) {
    const who = owner(one, things, blocked) ?? "";
    const key = about(one) + (blocked.has(who) ? ` ${who}` : "");
    const group = found.get(key);
    if (!group) found.set(key, { key, items: [one], newest: one, unread: !one.read });
    else {
      group.items.push(one);
      group.unread ||= !one.read;
    }
  }
  return [...found.values()];
}

/** What the studio tells, as text, whatever it is.
 * @param {any} one
 * @param {"title" | "text" | "url"} member */
export function told(one, member) {
  const found = one.kind === "Studio" ? one.data?.[member] : undefined;
  return typeof found === "string" ? found : "";
}

/** Who did it, the newest first.
 * @param {Group} group @param {Things} things */
function names({ items }, { persons }) {
  const found = distinct(items.map((one) => persons.get(by(one) ?? "")));
  const count = found.length;
  const [who = "", other = ""] = found.map(({ username }) => username);
  if (count < 2) return { who, count };
  if (count === 2) return { who: t("notifications.two", { who, other }), count };
  return { who: t("notifications.others", { who, count: count - 1 }), count };
}

/** What is said of it: the key of the text, and the names in it.
 * @param {Group} group @param {Things} things
 * @returns {{key: import("../texts.js").Key, values: Record<string, string | number>}} */
function saying(group, things) {
  const { newest } = group;
  const { kind, subject, status } = newest;
  const general = `kind.${kind}`;
  if (!hasText(general)) return { key: "kind.other", values: { kind } };
  const what =
    things.contents.get(contentOf(newest) ?? "")?.name ??
    (subject?.kind === "user" ? things.persons.get(subject.id)?.username : undefined);
  const values = { ...names(group, things), what: what ?? "" };
  const exact = [`${general}.${status}`, `${general}.of`].find(hasText);
  return { key: what && exact ? /** @type {any} */ (exact) : general, values };
}

/** The text of a row, for who hears it alone.
 * @param {Group} group @param {Things} things */
export function plain(group, things) {
  const title = told(group.newest, "title");
  if (title) return title;
  const { key, values } = saying(group, things);
  return t(key, values);
}

const MARKS = { who: "\uE000", what: "\uE001" };

/** The same, in which names stand out.
 * @param {Group} group @param {Things} things */
export function rich(group, things) {
  const title = told(group.newest, "title");
  if (title) return html`<bdi class="name">${title}</bdi>`;
  const { key, values } = saying(group, things);
  return t(key, { ...values, ...MARKS })
    .split(/([\uE000\uE001])/)
    .map((part) => {
      const name = part === MARKS.who ? values.who : part === MARKS.what ? values.what : null;
      return name === null ? part : html`<bdi class="name">${name}</bdi>`;
    });
}

/** What was said is asked for as it comes into view.
 * @type {Record<string, (one: any) => Promise<string>>} */
const LINES = {
  comment: async ({ content: contentId, comment: commentId }) => {
    const found = await client.getComment({ contentId, commentId });
    return found.deleted ? t("comments.deleted") : found.body;
  },
  challenge: async ({ challenge: challengeId }) => (await client.getChallenge({ challengeId })).name,
};

/** @param {any} one
 * @returns {"comment" | "challenge" | null} */
function lineOf({ kind, content, challenge }) {
  if (/^Comment(OnContent|Reply)$/.test(kind) && content) return "comment";
  return challenge ? "challenge" : null;
}

/** One line of what was said, as soon as it is in view; null where there is none to ask for.
 * @param {any} one @param {Things} things
 * @returns {[string | null, {current: HTMLElement | null}]} */
export function useLine(one, things) {
  const kind = lineOf(one);
  const isThere = kind === "challenge" || (kind !== null && things.contents.has(one.content));
  const of = kind && `${kind} ${one.content} ${one.comment ?? one.challenge}`;
  const [line, setLine] = useState({ of: "", text: "" });
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (!isThere || !kind || !of || !place.current) return;
    let wanted = true;
    const watch = new IntersectionObserver(
      ([{ isIntersecting }]) => {
        if (!isIntersecting) return;
        watch.disconnect();
        if (!things.lines.has(of)) things.lines.set(of, LINES[kind](one));
        things.lines.get(of)?.then(
          (text) => wanted && setLine({ of, text }),
          () => things.lines.delete(of),
        );
      },
      { rootMargin: "100px" },
    );
    watch.observe(place.current);
    return () => ((wanted = false), watch.disconnect());
  }, [of, isThere, things]);
  return [isThere ? (line.of === of ? line.text : "") : null, place];
}
