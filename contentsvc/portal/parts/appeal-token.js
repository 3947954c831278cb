/** The token of a mail's link, or of a refused log-in, by which somebody who is banned reads the decision and
 * appeals. Its text has both ids. */

/** Bytes of an id. */
const GUID = 16;

/** @param {Uint8Array} bytes */
const guid = (bytes) =>
  [...bytes]
    .map((one) => one.toString(16).padStart(2, "0"))
    .join("")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/** What an appeal token names; null of another text.
 * @param {string} token
 * @returns {{decisionId: string, userId: string} | null} */
export function namedBy(token) {
  try {
    const text = /^appeal-(.+)$/.exec(token)?.[1].replaceAll("-", "+").replaceAll("_", "/") ?? "";
    const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
    if (bytes.length < 2 * GUID) return null;
    return { decisionId: guid(bytes.slice(0, GUID)), userId: guid(bytes.slice(GUID, 2 * GUID)) };
  } catch {
    return null;
  }
}
