/** What subjects are called, where the service gives their ids: content and players by one request for each
 * part of a list, comments some at a time. */
import { client } from "../session.js";
import { t } from "../texts.js";
import { useEffect, useRef, useState } from "../vendor/preact.js";
import { people } from "../parts/people.js";

/** @typedef {{kind: string, id: string, content?: string}} Subject */

/** So many ids are asked for at once, and so many comments, which have a request each. */
const MOST = 100;
const AT_ONCE = 4;
/** Characters of a comment. */
const LENGTH = 60;

/** @param {Subject} subject */
const key = ({ kind, id }) => `${kind} ${id}`;

/** Split into parts of at most so many.
 * @template T
 * @param {T[]} all @param {number} most
 * @returns {T[][]} */
function parts(all, most) {
  return all.length ? [all.slice(0, most), ...parts(all.slice(most), most)] : [];
}

/** The first words of a text.
 * @param {string} text */
export function short(text) {
  const letters = [...text.replace(/\s+/g, " ").trim()];
  return letters.length > LENGTH ? `${letters.slice(0, LENGTH - 1).join("")}…` : letters.join("");
}

/** How each kind is read: with `tell` for each name that is found.
 * @type {Record<string, (subjects: Subject[], tell: (subject: Subject,
 *   name: string) => void) => Promise<void>>} */
const READERS = {
  async content(subjects, tell) {
    for (const some of parts(subjects, MOST)) {
      const found = await client.listContent({ ids: some.map((one) => one.id).join(","), status: "all" });
      for (const { id, name } of found) tell({ kind: "content", id }, name);
    }
  },
  async user(subjects, tell) {
    const found = await people(subjects.map((one) => one.id));
    for (const [id, { username }] of found) tell({ kind: "user", id }, username);
  },
  async collection(subjects, tell) {
    for (const some of parts(subjects, AT_ONCE)) {
      await Promise.all(
        some
          .map(async (one) => tell(one, short((await client.getCollection({ collectionId: one.id })).name)))
          .map((asked) => asked.catch(() => {})),
      );
    }
  },
  async challenge(_, tell) {
    for (const { id, name } of await client.listChallenges({})) tell({ kind: "challenge", id }, name);
  },
  async comment(subjects, tell) {
    const known = subjects.filter((one) => one.content);
    for (const some of parts(known, AT_ONCE)) {
      await Promise.all(
        some
          .map(async (one) => {
            const found = await client.getComment({
              contentId: /** @type {string} */ (one.content),
              commentId: Number(one.id),
            });
            tell(one, found.deleted ? t("comments.deleted") : short(found.body));
          })
          .map((asked) => asked.catch(() => {})),
      );
    }
  },
};

/** The names of these subjects: `name(subject)` is the name, or else the beginning of the id.
 * @param {Subject[]} subjects */
export function useNames(subjects) {
  const [names, setNames] = useState(/** @type {Map<string, string>} */ (new Map()));
  const asked = useRef(/** @type {Set<string>} */ (new Set()));
  const all = subjects.map(key).join();
  useEffect(() => {
    const now = subjects.filter((one) => !asked.current.has(key(one)));
    for (const one of now) asked.current.add(key(one));
    /** @param {Subject} subject @param {string} name */
    const tell = (subject, name) => setNames((was) => new Map(was).set(key(subject), name));
    for (const [kind, read] of Object.entries(READERS)) {
      const some = [
        ...new Map(now.filter((one) => one.kind === kind).map((one) => [key(one), one])).values(),
      ];
      // A name that nobody gives is no failure: the id stands for it.
      if (some.length) void read(some, tell).catch(() => {});
    }
  }, [all]);
  /** @param {Subject} subject */
  return (subject) => names.get(key(subject)) ?? subject.id.slice(0, 8);
}
