/** The style sheet of the places but the first page, which does not wait for it. */

const ADDRESS = new URL("./places.css", import.meta.url).href;

/** @type {Promise<unknown> | null} */
let asked = null;

/** Have it too. Rejects if it cannot be fetched. */
export function needSheet() {
  asked ??= new Promise((done, fail) => {
    // The service names it where the visit begins with such a place.
    if (document.querySelector(`link[href$="/places.css"]`)) return done(null);
    const link = document.createElement("link");
    const failed = () => {
      asked = null;
      link.remove();
      fail(new Error("There is no style sheet."));
    };
    Object.assign(link, { rel: "stylesheet", href: ADDRESS, onload: done, onerror: failed });
    document.head.append(link);
  });
  return asked;
}
