/** What is wrong with what somebody has typed, beside its fields. */
import { ApiError } from "../client.js";
import { Told } from "../texts.js";
import { words } from "../parts/form.js";

/** Fields that cannot be sent as they are, by the names of their members. */
export class Unfit extends Error {
  /** @param {Record<string, string>} problems */
  constructor(problems) {
    super(Object.values(problems).join(" "));
    this.problems = problems;
  }
}

/** What is wrong with which of these members, and what is said of the rest.
 * @param {unknown} error
 * @param {string[]} members those that have a field
 * @param {Record<string, string>} [codes] the member that a code is about
 * @returns {{fields: Record<string, string>, rest: unknown}} */
export function sorted(error, members, codes = {}) {
  /** @type {Record<string, string>} */
  const fields = {};
  if (error instanceof Unfit) Object.assign(fields, error.problems);
  if (error instanceof ApiError) {
    const about = codes[error.code ?? ""];
    if (about) fields[about] = words(error);
    for (const { pointer = "", detail } of error.errors) {
      const member = pointer.split("/")[1];
      if (members.includes(member)) fields[member] ??= detail;
    }
  }
  return { fields, rest: error && Object.keys(fields).length ? new Told("error.look") : error };
}

/** Let what is wrong first have the focus.
 * @param {HTMLElement | null | undefined} around */
export function focusProblem(around) {
  /** @type {HTMLElement | null | undefined} */ (around?.querySelector('[aria-invalid="true"]'))?.focus();
}
