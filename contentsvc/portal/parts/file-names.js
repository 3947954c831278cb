/** What the files of a content are called, on the page and when they are saved. */
import { t } from "../texts.js";
import { fileWords } from "./file-words.js";
import { platformName } from "./names.js";

/** @typedef {import("../client.js").ContentFile} ContentFile */

/** What a name may not have: what separates folders, and controls, those of the direction too. */
const BAD = /[/\\\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu;
const LONGEST = 200;

/** A text as the name of a file.
 * @param {string} text @param {string} ending */
export function fileName(text, ending) {
  const name = [...text.replace(BAD, "_")].slice(0, LONGEST).join("").trim();
  return (/^\.*$/.test(name) ? "_" : name) + ending;
}

/** Where two have one name, the second gets ` (2)` before its ending: systems to which capitals are the same
 * letters are to have both.
 * @param {string[]} names
 * @returns {string[]} */
export function distinct(names) {
  /** @type {Set<string>} */
  const taken = new Set();
  return names.map((name) => {
    const at = name.lastIndexOf(".");
    const [base, ending] = at > 0 ? [name.slice(0, at), name.slice(at)] : [name, ""];
    let found = name;
    for (let count = 2; taken.has(found.normalize().toLowerCase()); count += 1)
      found = `${base} (${count})${ending}`;
    taken.add(found.normalize().toLowerCase());
    return found;
  });
}

/** The files as the page names them, and as they are saved. What has no name of its own is called by what it
 * is for, and saved by the name of the content.
 * @param {ContentFile[]} files the core first @param {import("../client.js").ContentDetail} content
 * @returns {{file: ContentFile, shown: string, label: string, saved: string}[]} each has another `label` */
export function named(files, content) {
  const words = fileWords(files, content.packages);
  const shown = files.map((file, index) => file.name ?? (index ? words[index] : t("files.core")));
  const labels = files.map(({ name, platform }, index) =>
    name && platform && shown.indexOf(name) !== shown.lastIndexOf(name)
      ? `${name}, ${platformName(platform)}`
      : shown[index],
  );
  const unlike = distinct(labels);
  return files.map((file, index) => ({
    file,
    shown: shown[index],
    label: unlike[index],
    saved: file.name ?? fileName(content.name, ".bin"),
  }));
}
