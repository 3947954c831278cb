/** What types of content and platforms are called, and controls of which there are many. */
import { service } from "../service.js";
import { language, t } from "../texts.js";

/** What the service calls it. Without a label it is called as it is.
 * @param {"types" | "platforms"} kind @param {string} name */
function called(kind, name) {
  const known = service[kind].find((one) => one.name === name)?.label;
  const others = service.labels[kind];
  const label = known ?? (Object.hasOwn(others, name) ? others[name] : undefined);
  return label?.[language] ?? name;
}

/** @param {string} type */
export const typeName = (type) => called("types", type);

/** @param {string} platform */
export const platformName = (platform) => called("platforms", platform);

/** The accessible name of a control that is there for many things: it says which one.
 * @param {string} action what is written on it @param {string} thing */
export const control = (action, thing) => t("names.control", { action, thing });
