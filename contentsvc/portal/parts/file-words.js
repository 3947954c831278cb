/** What the files of a content are called: by what they are for, as they have no names. */
import { t } from "../texts.js";
import { platformName } from "./names.js";

/** @typedef {import("../client.js").ContentFile} ContentFile */

/** The words for each of these files. Packages have numbers where the content has several.
 * @param {ContentFile[]} files @param {import("../client.js").Package[]} packages
 * @returns {string[]} */
export function fileWords(files, packages) {
  const left = packages.map((one) => ({ ...one }));
  return files.map((file) => {
    const { use, platform, path } = file;
    if (use !== "package") return t("files.entity");
    if (!platform) return t("files.package");
    // They come in the order of the packages. Two of them may have the same file.
    const index = left.findIndex((one) => one[platform] === path);
    if (index >= 0) delete left[index][platform];
    const number = packages.length > 1 && index >= 0 ? ` ${index + 1}` : "";
    return `${t("files.package")}${number}, ${platformName(platform)}`;
  });
}
