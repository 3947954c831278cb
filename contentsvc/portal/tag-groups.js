/** The groups of tags that the studio offers, as GET /service has them. They may be many, so only places that
 * need them have them. The daemon sends its own in place of these. */

/** @typedef {import("./client.js").TagGroup} TagGroup */

/** @type {TagGroup[]} */
export const tagGroups = [];
