/** What somebody has typed and not sent yet. It outlives a reload and the end of a log-in, and goes
 * when they log out. */

const PREFIX = "contentsvc.draft.";

/** @param {string} user their id, or "" of who is not logged in
 * @param {string} name of the form */
const key = (user, name) => `${PREFIX}${user}.${name}`;

/** @param {string} user @param {string} name
 * @returns {Record<string, any> | null} */
export function readDraft(user, name) {
  try {
    return JSON.parse(localStorage.getItem(key(user, name)) ?? "null");
  } catch {
    return null;
  }
}

/** Keep it; null deletes it. A full storage keeps nothing, and the form goes on.
 * @param {string} user @param {string} name
 * @param {Record<string, any> | null} value */
export function keepDraft(user, name, value) {
  try {
    if (value === null) localStorage.removeItem(key(user, name));
    else localStorage.setItem(key(user, name), JSON.stringify(value));
  } catch {
    // Without storage a draft lasts as long as its page.
  }
}

/** Delete all drafts of this user.
 * @param {string} user */
export function forgetDrafts(user) {
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith(`${PREFIX}${user}.`)) localStorage.removeItem(name);
  }
}
