/** What every page has: buttons, and what is said when something failed. */
import { ApiError } from "../client.js";
import { html, useEffect, useState } from "../vendor/preact.js";
import { hasPart, needPart, t } from "../texts.js";
import { logInAddress } from "../router.js";
import { words } from "./words.js";

/** Says why something failed. It is read aloud.
 * @param {{error: unknown, instead?: import("./words.js").Instead}} props `instead` are other
 *   words for some codes */
export function Alert({ error, instead }) {
  const [, draw] = useState({});
  useEffect(() => {
    // Until they are there, and where they cannot be had, it says less.
    if (error && !hasPart("errors"))
      void needPart("errors").then(
        () => draw({}),
        () => {},
      );
  }, [error]);
  if (!error) return null;
  const id = error instanceof ApiError ? error.requestId : null;
  const ended = error instanceof ApiError && error.status === 401;
  return html`
    <div class="alert" role="alert">
      <p>${words(error, instead)}</p>
      ${
        ended &&
        html`
          <p>
            <a href=${logInAddress()}>${t("action.log-in")}</a>
          </p>
        `
      }
      <${RequestId} id=${id} />
    </div>
  `;
}

/** By what those who run the service find the request in its log.
 * @param {{id: string | null}} props */
export function RequestId({ id }) {
  return id && html`<p class="faint small">${t("error.request", { id })}</p>`;
}

let count = 0;
/** An id that nothing else on the page has. */
export function useId() {
  return useState(() => `i${++count}`)[0];
}

/**
 * A button which says by itself that its work goes on.
 * @param {{busy?: boolean, kind?: "main" | "plain" | "danger", children?: any, [attribute: string]: any}}
 *   props
 */
export function Button({ busy = false, kind = "plain", children, ...attributes }) {
  return html`
    <button type="button" class=${`button ${kind}`} aria-busy=${busy} ...${attributes}>
      ${children}
    </button>
  `;
}
