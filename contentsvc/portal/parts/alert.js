/** Buttons, and what is said when something was refused: what every page has. */
import { ApiError, NetworkError, PublishError } from "../client.js";
import { html } from "../vendor/preact.js";
import { moment } from "../format.js";
import { hasText, t, Told } from "../texts.js";
import { logInAddress } from "./then.js";

/** @typedef {Record<string, import("../texts.js").Key>} Instead other words for some codes */
/** @typedef {{code: string | null, errors?: {pointer?: string, parameter?: string}[],
 *   [member: string]: any}} Cause a problem, as the service says it */

/** Values that cannot be sent as they are: what is wrong, by the names of their fields. */
export class Unfit extends Error {
  /** @param {Record<string, string>} problems */
  constructor(problems) {
    super(Object.values(problems).join(" "));
    this.problems = problems;
  }
}

/** What to say of a failure. What the service says in English is never shown.
 * @param {unknown} error
 * @param {Instead} [instead]
 * @returns {string} */
export function words(error, instead = {}) {
  if (error instanceof ApiError) {
    if (!instead[error.code ?? ""] && error.retryAfter && error.status === 429)
      return t("error.wait", { count: Math.ceil(error.retryAfter) });
    return said({ ...error.problem, code: error.code }, instead);
  }
  if (error instanceof PublishError) return error.problems.map((one) => said(one)).join(" ");
  if (error instanceof Unfit) return error.message;
  if (error instanceof Told) return t(error.key, error.values);
  return t(error instanceof NetworkError ? "error.network" : "error.other");
}

/** The words for a problem, with what people have written in it.
 * @param {Cause} cause @param {Instead} [instead] */
export function said(cause, instead = {}) {
  const key = instead[cause.code ?? ""] ?? `error.${cause.code}`;
  const text = t(hasText(key) ? key : "error.other", /** @type {any} */ (cause));
  if (cause.code === "maintenance") return [text, cause.message].filter(Boolean).join(" ");
  if (cause.code !== "account_banned") return text;
  const until = cause.until ? t("error.banned-until", { time: moment(cause.until) }) : "";
  return [text, until, cause.reason].filter(Boolean).join(" ");
}

/** Says why something failed. It is read aloud.
 * @param {{error: unknown, instead?: Instead}} props `instead` are other
 *   words for some codes */
export function Alert({ error, instead }) {
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
