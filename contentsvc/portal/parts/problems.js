/** Why something was refused, by the fields that it is about. */
import { ApiError, PublishError } from "../client.js";
import { t } from "../texts.js";
import { said, Unfit } from "./words.js";

/** @typedef {import("./words.js").Instead} Instead */
/** @typedef {import("./words.js").Cause} Cause */

/**
 * What a value may be, as /openapi.json has it: that of a text, of a list, or of named values.
 * @typedef {{required?: boolean, minLength?: number, maxLength?: number, pattern?: string,
 *   minimum?: number, maximum?: number, minItems?: number, maxItems?: number, maxProperties?: number,
 *   items?: Limit, names?: string, values?: Limit}} Limit
 */

/**
 * A field as its form knows it.
 * @typedef {object} Known
 * @property {any} value as it would be sent
 * @property {Limit} [limit]
 * @property {boolean} [required] where the operation takes nothing too, but the form does not
 * @property {string} [needed] what is said where it has to be there and is not
 * @property {boolean} [exact] whether blanks count, as in a password
 * @property {(value: any) => string | null | false | undefined} [check] what else is wrong with it
 * @property {string} [wrong] what is said of a value of the wrong form
 */

/** The fields that a code is about; the first that the form has is marked.
 * @type {Record<string, string[]>} */
const ABOUT = {
  address_not_mailable: ["email"],
  deleted_dependency: ["using"],
  email_taken: ["email"],
  emblem_not_earned: ["emblem"],
  name_taken: ["name"],
  staff_tag: ["tags"],
  suspended_dependency: ["using"],
  too_many_tags: ["tags"],
  unknown_challenge: ["challenge"],
  unknown_reference: ["using"],
  unknown_tags: ["tags"],
  unknown_user: ["users", "player"],
  url_not_allowed: ["url"],
  username_taken: ["username"],
  wrong_password: ["current", "password"],
};

/** Throws Unfit if there are any.
 * @param {Record<string, string | null | false | undefined>} problems */
export function refuse(problems) {
  const found = Object.entries(problems).filter(([, text]) => text);
  if (found.length) throw new Unfit(/** @type {Record<string, string>} */ (Object.fromEntries(found)));
}

/** What is wrong with a value; null if nothing is that the page can know.
 * @param {Known} field
 * @returns {string | null} */
export function fault({ value, limit = {}, required, needed, exact, check, wrong }) {
  const isEmpty = value == null || (typeof value === "string" && !(exact ? value : value.trim()));
  if (isEmpty && (required ?? limit.required)) return needed ?? t("error.required");
  if (value == null || value === "") return null;
  return check?.(value) || outside(value, limit, wrong);
}

/** @param {any} value one that is there @param {Limit} limit @param {string} [wrong]
 * @returns {string | null} */
function outside(value, limit, wrong) {
  if (Array.isArray(value)) {
    const { minItems = 0, maxItems = Infinity, items = {} } = limit;
    if (value.length < minItems) return t("error.choose");
    if (value.length > maxItems) return t("error.too-many", { max: maxItems, count: value.length });
    const bad = value.find((one) => outside(one, items));
    if (bad === undefined) return null;
    return wrong ?? t("error.one-of-them", { one: bad, why: outside(bad, items) ?? "" });
  }
  const text = String(value);
  const { minLength = 0, maxLength = Infinity, pattern, minimum, maximum } = limit;
  if (minimum !== undefined || maximum !== undefined) {
    const [min, max] = [minimum ?? -Infinity, maximum ?? Infinity];
    if (!/^[+-]?\d+$/.test(text.trim())) return t("error.not-whole");
    return Number(text) < min || Number(text) > max ? t("error.outside", { min, max }) : null;
  }
  // As the service counts: what looks like one sign may be more.
  const { length } = [...text];
  if (length > maxLength) return t("error.too-long", { max: maxLength, count: length - maxLength });
  if (length < minLength) return t("error.too-short", { min: minLength });
  return pattern && !new RegExp(pattern, "u").test(text) ? (wrong ?? t("error.wrong-form")) : null;
}

/** What is wrong with which fields, and `rest`: what is about none of them.
 * @param {unknown} error
 * @param {Map<string, Known>} fields those that the form has
 * @param {Instead} [instead]
 * @param {(pointer: string) => string | null | undefined} [place] the name of the field that a place in a
 *   body is in, where that is another
 * @returns {{marks: Record<string, string>, rest: unknown}} */
export function sorted(error, fields, instead, place) {
  /** @type {Record<string, string>} */
  const marks = {};
  if (error instanceof Unfit) {
    for (const [name, text] of Object.entries(error.problems)) if (fields.has(name)) marks[name] ??= text;
    return { marks, rest: Object.keys(marks).length ? null : error };
  }
  const published = error instanceof PublishError;
  /** @type {Cause[]} */
  const all = published ? error.problems : [];
  if (error instanceof ApiError) all.push({ ...error.problem, code: error.code, errors: error.errors });
  const rest = all.filter((cause) => {
    const { code, errors = [] } = cause;
    const named = errors.map(({ pointer, parameter }) => nearest(fields, pointer ?? parameter ?? "", place));
    const about = ABOUT[code ?? ""]?.find((name) => fields.has(name));
    const names = [...named, about].filter((name) => name !== undefined);
    for (const name of names) marks[name] ??= why(cause, fields.get(name), instead);
    return !names.length;
  });
  if (!all.length) return { marks, rest: error };
  return {
    marks,
    rest: rest.length ? (published ? new PublishError(/** @type {any} */ (rest)) : error) : null,
  };
}

/** @param {Cause} cause @param {Known | undefined} field @param {Instead} [instead] */
function why(cause, field, instead) {
  if (!/^invalid_(body|query)$/.test(cause.code ?? "")) return said(cause, instead);
  return (field && fault(field)) || field?.wrong || t("error.not-taken");
}

/** The field that a place in a body or a query belongs to: that with this name, the one around it, or the
 * first within it.
 * @param {Map<string, Known>} fields
 * @param {string} at a JSON pointer (RFC 6901), or the name of a parameter
 * @param {((pointer: string) => string | null | undefined)} [place] */
function nearest(fields, at, place) {
  const name = place?.(at) ?? at.replace(/^\//, "").replaceAll("~1", "/").replaceAll("~0", "~");
  const names = [...fields.keys()].sort((one, other) => other.length - one.length);
  const around = names.find((one) => name === one || name.startsWith(`${one}/`));
  return around ?? (name ? [...fields.keys()].find((one) => one.startsWith(`${name}/`)) : undefined);
}
