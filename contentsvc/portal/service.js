/** What this service is, as GET /service says it, but for the groups of tags, which may be many. The daemon
 * sends its own values in place of these. */

/** What a brand has beside its name and links. Its pictures are files of this folder, or "". `logoDark` is
 * for the dark theme.
 * @typedef {{tagline: string, logo: string, logoDark: string}} Brand */

/** @typedef {import("./client.js").Label} Label */
/** `terms` are those of GET /legal, and `requireTerms` says whether players take part without them.
 * @typedef {{terms: import("./client.js").Terms | null, requireTerms: boolean}} Accepted */
/** `termsReference` is the clause to which decisions without one of their own refer, and `requireReasons`
 * says whether each needs a reason.
 * @typedef {{termsReference: string, requireReasons: boolean}} Deciding */
/** `labels` has what types and platforms are called that this service does not have, or no more.
 * @typedef {Omit<import("./client.js").ServiceInfo, "tagGroups"> &
 *   {labels: {types: Record<string, Label>, platforms: Record<string, Label>},
 *   brand: Brand | null} & Accepted & Deciding} Service */

/** @type {Service} */
export const service = {
  name: "contentsvc",
  platforms: [],
  types: [],
  freeTags: true,
  guests: false,
  guestsMay: [],
  registration: true,
  issuers: [],
  markup: "markdown",
  links: [],
  mail: false,
  unsendMinutes: 60,
  labels: { types: {}, platforms: {} },
  brand: null,
  terms: null,
  requireTerms: false,
  termsReference: "",
  requireReasons: false,
};
