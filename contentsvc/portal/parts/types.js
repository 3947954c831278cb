/** The types of content. */
import { service } from "../service.js";
import { typeName } from "./names.js";

/** The types with what they are called, as options of a choice.
 * @param {string} [chosen] is among them, whatever it is
 * @returns {[string, string][]} */
export function typeOptions(chosen = "") {
  const types = service.types.map((one) => one.name);
  const all = chosen && !types.includes(chosen) ? [...types, chosen] : types;
  return all.map((name) => [name, typeName(name)]);
}
