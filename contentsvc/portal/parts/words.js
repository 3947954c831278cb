/** Why something failed, in words. */
import { ApiError, NetworkError, PublishError } from "../client.js";
import { moment } from "../format.js";
import { hasText, t, Told } from "../texts.js";

/** @typedef {Record<string, import("../texts.js").Key>} Instead other words for some codes; `network` is no
 *   answer at all */
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
  return t(error instanceof NetworkError ? (instead.network ?? "error.network") : "error.other");
}

/** The words for a problem, with what people have written in it.
 * @param {Cause} cause @param {Instead} [instead] */
export function said(cause, instead = {}) {
  const key = instead[cause.code ?? ""] ?? `error.${cause.code}`;
  const text = t(hasText(key) ? key : "error.other", /** @type {any} */ (cause));
  if (cause.code === "maintenance") return [text, cause.message].filter(Boolean).join(" ");
  if (cause.code === "account_restricted")
    return cause.until ? `${text} ${t("error.restricted-until", { time: moment(cause.until) })}` : text;
  if (cause.code !== "account_banned") return text;
  const until = cause.until ? t("error.banned-until", { time: moment(cause.until) }) : "";
  return [text, until, cause.reason].filter(Boolean).join(" ");
}
