/** Why something cannot be published, by the fields that it is about. */
import { ApiError, PublishError } from "../client.js";
import { t } from "../texts.js";
import { codeWords } from "./form.js";

/** @typedef {"name" | "type" | "description" | "tags" | "version" | "notes" | "core" | "further" | "shots" |
 *   "visibility" | "attributes" | "requires"} FieldName */
/** @typedef {Partial<Record<FieldName, string>>} Problems */

/** What the fields are called in the bodies of operations.
 * @type {Record<string, FieldName>} */
const MEMBERS = {
  name: "name",
  type: "type",
  description: "description",
  tags: "tags",
  version: "version",
  revisionDescription: "notes",
  entity: "core",
  originating: "further",
  screenshotUris: "shots",
  visibility: "visibility",
  attributes: "attributes",
  requires: "requires",
};

/** Something that has to be there is not. */
export class Incomplete extends Error {
  /** @param {Problems} problems */
  constructor(problems) {
    super(Object.values(problems).join(" "));
    this.problems = problems;
  }
}

/** The problems by their fields, and `rest`, the words for those that are about none.
 * @param {unknown} error
 * @param {boolean} isFurther whether the further files were sent, which go before the others
 * @returns {{fields: Problems, rest: string[]}} */
export function sorted(error, isFurther) {
  /** @type {Problems} */
  const fields = {};
  /** @type {string[]} */
  const rest = [];
  if (error instanceof Incomplete) return { fields: error.problems, rest };
  const all = error instanceof PublishError ? error.problems : error instanceof ApiError ? [error] : [];
  for (const { code, detail, errors = [] } of all) {
    const named = errors.map(({ pointer = "", detail }) => ({
      name: place(pointer, isFurther),
      pointer,
      detail,
    }));
    const known = named.filter(({ name }) => name !== null);
    for (const { name, pointer, detail } of known) {
      const isEmpty = code === "invalid_body" && /^\/files\/\d+\/size$/.test(pointer);
      fields[/** @type {FieldName} */ (name)] ??= isEmpty
        ? t("publish.empty")
        : (codeWords(code, detail) ?? detail);
    }
    if (!known.length && error instanceof PublishError) rest.push(codeWords(code, detail) ?? detail);
  }
  return { fields, rest };
}

/** The field that a place in a body belongs to. Of the files the core is the first.
 * @param {string} pointer (RFC 6901)
 * @param {boolean} isFurther
 * @returns {FieldName | null} */
function place(pointer, isFurther) {
  const [, first, index] = pointer.split("/");
  if (first === "files") return isFurther ? "further" : index === "0" ? "core" : "shots";
  return MEMBERS[first] ?? null;
}
