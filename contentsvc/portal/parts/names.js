/** What types of content are called. */
import { hasText, t } from "../texts.js";

/** A studio may have types of its own: their names are shown as words.
 * @param {string} type */
export function typeName(type) {
  const key = `type.${type}`;
  if (hasText(key)) return t(key);
  const words = type.replaceAll("_", " ").trim() || type;
  return words[0].toUpperCase() + words.slice(1);
}
