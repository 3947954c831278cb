/** A page that is open over an upgrade of the service: the modules that it has not fetched yet are gone.
 * It loads itself again, once, at the address where it is. What was typed is in the drafts. */

const RENEWED = "contentsvc.renewed";

/** Whether the service answers, and no proxy for it. It may no longer have the files of this page. */
export async function answers() {
  try {
    const { ok, status } = await fetch(import.meta.url, { method: "HEAD", cache: "no-store" });
    return ok || status === 404;
  } catch {
    return false;
  }
}

/** Load the page again. */
export function renew() {
  sessionStorage.setItem(RENEWED, "1");
  location.reload();
}

/** Whether it was loaded again, and nothing could be shown since. */
export function isRenewed() {
  return sessionStorage.getItem(RENEWED) !== null;
}

/** A place is shown: from now on the page may be loaded again. */
export function shown() {
  sessionStorage.removeItem(RENEWED);
}
