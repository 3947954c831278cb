/** What is shown of the comments on content: the newest of those that answer none, below each its replies
 * from the oldest on, and single ones that were written here, or that an address names. Nothing reads all. */
import { ApiError } from "../client.js";
import { client } from "../session.js";
import { people } from "./people.js";

/** @typedef {import("../client.js").Comment} Comment */
/** @typedef {import("./people.js").Person} Person */
/**
 * The replies to a comment.
 * @typedef {object} Branch
 * @property {number[]} head from the oldest on, without a gap
 * @property {number[]} late others, which stand behind the gap
 * @property {number} total how many there are
 */
/**
 * @typedef {object} Tree
 * @property {Map<number, Comment>} comments all that are shown
 * @property {Map<number, Person>} authors by the comments
 * @property {Map<number, Branch>} branches by the comments that they answer
 * @property {number | null} linked the thread that an address has brought here
 * @property {number[]} tops what was written since it was read, the latest first
 * @property {number[]} roots what answers none, from the newest back, without a gap
 * @property {number} left how many are older than those
 * @property {number} total how many answered none when that was last asked
 * @property {number | null} missing the comment that the address names, and that is not there
 */
/** What was read.
 * @typedef {object} Found
 * @property {Comment[]} comments
 * @property {Map<number, Person>} authors
 * @property {Map<number, {ids: number[], from: number, total: number}>} branches
 */
/** How many replies are shown, by the comments that they answer, where somebody has asked for more.
 * @typedef {Record<string, number>} Opened */

/** So many come at once, and so many at most in one answer. */
export const PART = 20;
const MOST = 200;
/** Replies that are shown at once, and the next ones. */
const SHOWN = 3;
const NEXT = 100;
/** Levels of replies that are read by themselves, and lists of them at most. */
const LEVELS = 3;
const BRANCHES = 40;
/** A comment that an address names is shown with so many of those that it answers. */
const ABOVE = 20;

/** Those that answer none, from the newest of `left` back. What others write meanwhile moves all of them back
 * in the pages, but not from the oldest on: by that they are found.
 * @param {string} contentId @param {{left: number, total: number}} from @param {number} count
 * @param {AbortSignal} [signal] */
async function older(contentId, { left, total }, count, signal) {
  const size = Math.min(count, MOST);
  /** @type {Comment[]} */
  const items = [];
  while (items.length < count && left > 0) {
    const page = left < Infinity ? Math.floor((total - left) / size) : 0;
    const query = { contentId, order: /** @type {const} */ ("newest"), parent: "none", size, page };
    const answer = await client.listComments(query, { signal });
    total = answer.total;
    left = answer.items.length ? Math.min(left, total) : 0;
    const first = total - page * size;
    const fresh = answer.items.filter((_, n) => first - n <= left);
    items.push(...fresh);
    left -= fresh.length;
  }
  const over = Math.max(items.length - count, 0);
  return { items: items.slice(0, count), left: left + over, total };
}

/** The replies behind the first `from`, as many as `count`, and how many there are in all.
 * @param {string} contentId @param {number} parent @param {number} from @param {number} count
 * @param {AbortSignal} [signal] */
async function replies(contentId, parent, from, count, signal) {
  const size = from ? NEXT : Math.min(count, MOST);
  /** @type {Comment[]} */
  const items = [];
  let total = Infinity;
  for (let at = from; items.length < count && at < total;) {
    const page = Math.floor(at / size);
    const answer = await client.listComments({ contentId, parent: `${parent}`, size, page }, { signal });
    total = answer.total;
    const found = answer.items.slice(at % size);
    if (!found.length) break;
    items.push(...found);
    at += found.length;
  }
  return { items: items.slice(0, count), total };
}

/** These comments with the replies to them, and to those.
 * @param {string} contentId @param {Comment[]} items @param {Opened} opened @param {AbortSignal} [signal]
 * @returns {Promise<Found>} */
async function grown(contentId, items, opened, signal) {
  /** @type {Found} */
  const found = { comments: [], authors: new Map(), branches: new Map() };
  let budget = BRANCHES;
  for (let depth = 0, level = items; level.length; depth += 1) {
    found.comments.push(...level);
    // Of a comment that was read alone it is not known how many there are.
    const due = level.filter(
      ({ id, replies: count }) => count !== 0 && (opened[id] || (depth < LEVELS && budget-- > 0)),
    );
    const lists = await Promise.all(
      due.map(({ id }) => replies(contentId, id, 0, Math.max(opened[id] ?? 0, SHOWN), signal)),
    );
    for (const [n, { items: some, total }] of lists.entries())
      found.branches.set(due[n].id, { ids: some.map(({ id }) => id), from: 0, total });
    level = lists.flatMap((one) => one.items);
  }
  const alive = found.comments.filter((one) => !one.deleted);
  const persons = await people([...new Set(alive.map((one) => one.authorId))]);
  for (const { id, authorId } of alive) found.authors.set(id, /** @type {Person} */ (persons.get(authorId)));
  return found;
}

/** The replies to this comment.
 * @param {Tree} tree @param {number} id
 * @returns {Branch} */
export const branch = (tree, id) =>
  tree.branches.get(id) ?? { head: [], late: [], total: tree.comments.get(id)?.replies ?? 0 };

/** @param {Tree} tree @param {Found} found
 * @returns {Tree} */
function grafted(tree, found) {
  const comments = new Map(tree.comments);
  for (const one of found.comments) comments.set(one.id, one);
  const branches = new Map(tree.branches);
  for (const [id, { ids, from, total }] of found.branches) {
    const { head, late } = branch(tree, id);
    const now = [...head.slice(0, from), ...ids, ...head.slice(from + ids.length)];
    branches.set(id, { head: now, late: late.filter((one) => !now.includes(one)), total });
  }
  return { ...tree, comments, branches, authors: new Map([...tree.authors, ...found.authors]) };
}

/** The newest `count`, back to `lowest`.
 * @param {string} contentId
 * @param {{count: number, lowest: number, opened: Opened, linked: number | null}} of `linked` is the comment
 *   that the address names
 * @param {AbortSignal} [signal]
 * @returns {Promise<Tree>} */
export async function read(contentId, { count, lowest, opened, linked }, signal) {
  let list = await older(contentId, { left: Infinity, total: 0 }, count, signal);
  while (list.left > 0 && list.items[list.items.length - 1].id > lowest) {
    const more = await older(contentId, list, PART, signal);
    list = { ...more, items: [...list.items, ...more.items] };
  }
  const { items, left, total } = list;
  /** @type {Tree} */
  const bare = {
    comments: new Map(),
    authors: new Map(),
    branches: new Map(),
    linked: null,
    tops: [],
    roots: items.map(({ id }) => id),
    left,
    total,
    missing: null,
  };
  const tree = grafted(bare, await grown(contentId, items, opened, signal));
  if (linked === null) return tree;
  return (await bring(contentId, tree, linked, "linked", opened, signal))(tree);
}

/** @typedef {(tree: Tree) => Tree} Change what becomes of what is shown by then */

/** The next part of those that answer none.
 * @param {string} contentId @param {Tree} tree
 * @returns {Promise<Change>} */
export async function more(contentId, tree) {
  const { items, left, total } = await older(contentId, tree, PART);
  const isNew = (/** @type {Comment} */ { id }) => !tree.comments.has(id);
  const found = await grown(contentId, items.filter(isNew), {});
  return (now) => ({
    ...grafted(now, found),
    roots: [...now.roots, ...items.map(({ id }) => id)],
    left,
    total,
  });
}

/** The next replies to a comment.
 * @param {string} contentId @param {Tree} tree @param {number} parent
 * @returns {Promise<Change>} */
export async function moreReplies(contentId, tree, parent) {
  const from = branch(tree, parent).head.length;
  const { items, total } = await replies(contentId, parent, from, NEXT);
  const isNew = (/** @type {Comment} */ { id }) => !tree.comments.has(id);
  const found = await grown(contentId, items.filter(isNew), {});
  found.branches.set(parent, { ids: items.map(({ id }) => id), from, total });
  return (now) => grafted(now, found);
}

/** Show a comment, wherever it stands: with those that it answers, up to one that is shown. If it is not
 * there, that is said of one that is linked.
 * @param {string} contentId @param {Tree} tree @param {number} id
 * @param {"linked" | "new"} why @param {Opened} opened @param {AbortSignal} [signal]
 * @returns {Promise<Change>} */
export async function bring(contentId, tree, id, why, opened = {}, signal) {
  if (tree.comments.has(id)) return (now) => ({ ...now, missing: null });
  /** @type {Comment[]} */
  const chain = [];
  for (let at = id; at && !tree.comments.has(at) && chain.length < ABOVE;) {
    const one = await client.getComment({ contentId, commentId: at }, { signal }).catch((error) => {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    });
    if (!one) return (now) => (why === "linked" ? { ...now, missing: id } : now);
    chain.unshift(one);
    at = one.parentId ?? 0;
  }
  const found = await grown(contentId, chain, opened, signal);
  const known = chain[0].parentId ?? 0;
  const count = known ? (await replies(contentId, known, 0, 1, signal)).total : 0;
  return (now) => {
    const tree = grafted(now, found);
    if (why === "linked") tree.missing = null;
    for (const one of chain) {
      const parent = one.parentId ?? 0;
      if (!tree.comments.has(parent)) {
        if (why === "linked") {
          const { linked, tops } = tree;
          tree.linked = null;
          if (linked && !isRoot(tree, linked)) tree.tops = [linked, ...tops];
          tree.linked = one.id;
        } else if (!isRoot(tree, one.id)) tree.tops = [one.id, ...tree.tops];
        continue;
      }
      const { head, late, total } = branch(tree, parent);
      const all = parent === known ? count : total;
      const others = head.includes(one.id) || late.includes(one.id) ? late : [...late, one.id];
      tree.branches.set(parent, { head, late: others.sort((a, b) => a - b), total: all });
    }
    return tree;
  };
}

/** @param {Tree} tree @param {number} id */
const isRoot = (tree, id) => tree.linked === id || tree.tops.includes(id) || tree.roots.includes(id);

/** Those that answer none, as the list has them: each once.
 * @param {Tree} tree */
export const listed = ({ linked, tops, roots }) =>
  [...tops, ...roots.filter((id) => !tops.includes(id))].filter((id) => id !== linked);

/** Another text, or none any more.
 * @param {Tree} tree @param {number} id @param {Partial<Comment>} change
 * @returns {Tree} */
export function changed(tree, id, change) {
  const one = tree.comments.get(id);
  if (!one) return tree;
  return { ...tree, comments: new Map(tree.comments).set(id, { ...one, ...change }) };
}
