/** What the page says, in the language that the visitor has chosen. */
/** @typedef {"en" | "de"} Language */
/** @typedef {keyof typeof import("./texts/en.js").en | keyof typeof import("./texts/en.errors.js").en |
 *   keyof typeof import("./texts/en.console.js").en} Key */

// Only the language that is read is loaded: at first what the first page says (the service divides it from
// the rest), the console's texts only there, and those of errors where there is a form, or one to show.
const LANGUAGES = {
  en: async () => (await import("./texts/en.js")).en,
  de: async () => (await import("./texts/de.js")).de,
};
/** @param {Language} chosen
 * @returns {Promise<Record<string, Text>>} */
const rest = async (chosen) => (await import(`./texts/${chosen}.more.js`))[chosen];
const MORE = {
  more: { en: () => rest("en"), de: () => rest("de") },
  console: {
    en: async () => (await import("./texts/en.console.js")).en,
    de: async () => (await import("./texts/de.console.js")).de,
  },
  errors: {
    en: async () => (await import("./texts/en.errors.js")).en,
    de: async () => (await import("./texts/de.errors.js")).de,
  },
};
/** @typedef {keyof typeof MORE} Part of the texts that not every page has */
const CHOSEN = "contentsvc.language";

/** The languages by their own names.
 * @type {[Language, string][]} */
export const NAMES = [
  ["en", "English"],
  ["de", "Deutsch"],
];

/** @returns {Language} */
function preferred() {
  const chosen = localStorage.getItem(CHOSEN);
  for (const tag of [chosen, ...navigator.languages]) {
    const language = (tag ?? "").slice(0, 2).toLowerCase();
    if (language in LANGUAGES) return /** @type {Language} */ (language);
  }
  return "en";
}

/** @type {Language} */
export let language = preferred();
document.documentElement.lang = language;
/** @typedef {string | Record<string, string>} Text */
/** @type {Record<string, Text>} */
let texts = await LANGUAGES[language]();
/** @type {Set<Part>} */
const parts = new Set();
let plurals = new Intl.PluralRules(language);

/** @type {Set<(chosen: Language) => void>} */
const listeners = new Set();

/** @param {(chosen: Language) => void} listener hears of each new language
 * @returns {() => void} which ends it */
export function onLanguage(listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** @param {Language} chosen @param {Set<Part>} more what is among them
 * @returns {Promise<Record<string, Text>>} */
async function load(chosen, more) {
  const all = await Promise.all([LANGUAGES[chosen](), ...[...more].map((part) => MORE[part][chosen]())]);
  return Object.assign({}, ...all);
}

/** Whether these texts are there.
 * @param {Part} part */
export const hasPart = (part) => parts.has(part);

/** Have these texts too. Rejects if the service cannot be reached.
 * @param {Part} part */
export async function needPart(part) {
  if (parts.has(part)) return;
  const asked = language;
  const found = await MORE[part][asked]();
  if (asked !== language) return needPart(part);
  texts = { ...texts, ...found };
  parts.add(part);
}

/** Say everything in this language from now on. Rejects if the service cannot be reached.
 * @param {Language} chosen */
export async function setLanguage(chosen) {
  texts = await load(chosen, parts);
  language = chosen;
  plurals = new Intl.PluralRules(chosen);
  document.documentElement.lang = chosen;
  localStorage.setItem(CHOSEN, chosen);
  for (const listener of listeners) listener(chosen);
}

/** The text of this key, with `{name}` replaced. A text that depends on `count` is an object by
 * plural category.
 * @param {Key} key
 * @param {Record<string, string | number>} [values]
 * @returns {string} */
export function t(key, values = {}) {
  const found = texts[key] ?? "";
  const text =
    typeof found === "string" ? found : (found[plurals.select(Number(values.count))] ?? found.other ?? "");
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? "";
    return typeof value === "number" ? value.toLocaleString(language) : value;
  });
}

/** Why the page itself could not do something. */
export class Told extends Error {
  /** @param {Key} key of the text that says it
   * @param {Record<string, string | number>} [values] */
  constructor(key, values) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

/** Whether there is a text of this key: for keys that are made of what the service says.
 * @param {string} key
 * @returns {key is Key} */
export function hasText(key) {
  return Object.hasOwn(texts, key);
}
