/** What types of content and platforms are called, and controls of which there are many. */
import { brand } from "../brand.js";
import { hasText, language, t } from "../texts.js";

/** @param {Record<string, import("../brand.js").Label>} labels those of the studio @param {string} name */
const own = (labels, name) => (Object.hasOwn(labels, name) ? labels[name][language] : "");

/** A studio may have types of its own: without a label, their names are shown as words.
 * @param {string} type */
export function typeName(type) {
  const label = own(brand.types, type);
  if (label) return label;
  const key = `type.${type}`;
  if (hasText(key)) return t(key);
  const words = type.replaceAll("_", " ").trim() || type;
  return words[0].toUpperCase() + words.slice(1);
}

/** @param {string} platform */
export function platformName(platform) {
  const key = `platform.${platform}`;
  return own(brand.platforms, platform) || (hasText(key) ? t(key) : platform);
}

/** The accessible name of a control that is there for many things: it says which one.
 * @param {string} action what is written on it @param {string} thing */
export const control = (action, thing) => t("names.control", { action, thing });
