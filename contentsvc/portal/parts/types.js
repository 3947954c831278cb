/** The types of content. */
import { service } from "../service.js";
import { hasText, t } from "../texts.js";
import { typeName } from "./names.js";

/** What a type is for, as the specification has it; nothing of one that only this studio has.
 * @param {string} type */
export function typeText(type) {
  const key = `type-text.${type}`;
  return hasText(key) ? t(key) : "";
}

/** The types with what they are called, as options of a choice.
 * @param {string} [chosen] is among them, whatever it is
 * @returns {[string, string][]} */
export function typeOptions(chosen = "") {
  const types = service.types.map((one) => one.name);
  const all = chosen && !types.includes(chosen) ? [...types, chosen] : types;
  return all.map((name) => [name, typeName(name)]);
}
