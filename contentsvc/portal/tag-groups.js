/** The tags that the studio offers, as GET /service has them. The daemon sends its own in place of these. */

/** @typedef {import("./client.js").TagGroup} TagGroup */

/** @type {TagGroup[]} */
export const tagGroups = [];
