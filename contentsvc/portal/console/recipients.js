/** Players by their names or ids, as somebody writes them down. */
import { client } from "../session.js";

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Names that are looked up at once. */
const AT_ONCE = 8;

/** Nobody has these names. */
export class NotFound extends Error {
  /** @param {string[]} names */
  constructor(names) {
    super(names.join(" "));
    this.names = names;
  }
}

/** The ids of these players, each once. Throws NotFound.
 * @param {string} text names or ids, with blanks or commas between them */
export async function identify(text) {
  const words = [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
  const ids = words.map((word) => (GUID.test(word) ? word.toLowerCase() : ""));
  /** @type {string[]} */
  const missing = [];
  const names = words.map((name, at) => ({ name, at })).filter(({ at }) => !ids[at]);
  for (let first = 0; first < names.length; first += AT_ONCE) {
    await Promise.all(
      names.slice(first, first + AT_ONCE).map(async ({ name, at }) => {
        const [found] = await client.listModeratedUsers({ name });
        if (found) ids[at] = found.user.id;
        else missing.push(name);
      }),
    );
  }
  if (missing.length) throw new NotFound(missing);
  return [...new Set(ids)];
}
