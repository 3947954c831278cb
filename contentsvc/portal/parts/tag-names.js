/** What the tags of the studio's groups are called, and which are whose. */
import { tagGroups } from "../tag-groups.js";
import { language } from "../texts.js";

/** @typedef {import("../tag-groups.js").TagGroup} TagGroup */

/** Case, width and blanks at the ends make no other tag.
 * @param {string} tag */
const compared = (tag) => tag.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC").trim();

const known = new Map(
  tagGroups.flatMap((group) => group.tags.map(({ name, label }) => [compared(name), { group, name, label }])),
);

/** @param {string} tag */
const find = (tag) => known.get(compared(tag));

/** Whether two are the same tag.
 * @param {string} one @param {string} other */
export const sameTag = (one, other) => compared(one) === compared(other);

/** As it is shown.
 * @param {string} tag */
export const tagName = (tag) => find(tag)?.label[language] ?? tag;

/** The group that it is in.
 * @param {string} tag */
export const groupOf = (tag) => find(tag)?.group ?? null;

/** The groups that content of a type may choose from; "" is any type.
 * @param {string} type @param {boolean} [staff] those that only curators give */
export const groupsFor = (type, staff = false) =>
  tagGroups.filter((group) => group.staff === staff && (!type || !group.types || group.types.includes(type)));

/** Tags by who gives them: `chosen` of the groups of a type, of `staff`, and `others`, which are written.
 * @param {string[]} tags @param {string} type */
export function divided(tags, type) {
  const groups = groupsFor(type);
  const staff = tags.filter((tag) => groupOf(tag)?.staff);
  const chosen = tags.flatMap((tag) => {
    const found = find(tag);
    return found && groups.includes(found.group) ? [found.name] : [];
  });
  const others = tags.filter((tag) => {
    const group = groupOf(tag);
    return !group || (!group.staff && !groups.includes(group));
  });
  return { chosen, staff, others };
}
