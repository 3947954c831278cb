/** What types of content are called, and controls of which there are many. */
import { hasText, t } from "../texts.js";

/** A studio may have types of its own: their names are shown as words.
 * @param {string} type */
export function typeName(type) {
  const key = `type.${type}`;
  if (hasText(key)) return t(key);
  const words = type.replaceAll("_", " ").trim() || type;
  return words[0].toUpperCase() + words.slice(1);
}

/** The accessible name of a control that is there for many things: it says which one.
 * @param {string} action what is written on it @param {string} thing */
export const control = (action, thing) => t("names.control", { action, thing });
