/** Where files are chosen or dropped: it says what it takes, what it has, and what it did not take. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { language, t } from "../texts.js";
import { size } from "../format.js";
import { FileButton } from "./file-button.js";
import { about, Problem, useField, useId } from "./form.js";
import { useLoad } from "./hooks.js";
import { Icon } from "./icons.js";
import { readStorage } from "./pictures.js";

/** @typedef {import("../client.js").StorageInfo} Storage */

const NAMES = /** @type {Record<string, string>} */ ({
  "image/png": "PNG",
  "image/jpeg": "JPEG",
  "image/webp": "WebP",
});

/** Millions in words. @param {number} count */
const many = (count) =>
  new Intl.NumberFormat(language, { notation: "compact", compactDisplay: "long" }).format(count);

/** @param {string[]} mediaTypes */
const types = (mediaTypes) =>
  new Intl.ListFormat(language, { type: "disjunction" }).format(
    mediaTypes.map((type) => NAMES[type] ?? type.replace(/^image\//, "").toUpperCase()),
  );

/** What its first bytes say a picture is, as the client reads them: files are often called by another type.
 * @param {File} file
 * @returns {Promise<string>} */
const typeOf = async (file) => (await (await import("../pictures.js")).typeOf(file)) ?? "";

/** What is taken of pictures, in words.
 * @param {Storage} storage */
function pictureWords({ mediaTypes, limits: { imageBytes, imageSide, imagePixels } }) {
  const values = { types: types(mediaTypes), side: imageSide, pixels: many(imagePixels) };
  return [
    t("publish.picture-types", values),
    imageBytes && t("publish.picture-size", { size: size(imageBytes) }),
    t("publish.picture-pixels", values),
  ]
    .filter(Boolean)
    .join(" ");
}

/** What is wrong with a file, as far as its length alone says.
 * @param {File} file @param {Storage} storage @param {boolean} isPicture */
function wrongSize(file, { limits }, isPicture) {
  const most = (isPicture ? limits.imageBytes : limits.fileBytes) || Infinity;
  if (!file.size) return t("publish.empty");
  return file.size > most ? t("publish.too-large", { size: size(file.size), most: size(most) }) : null;
}

/** The sides of a picture, or null of what is none.
 * @param {File} file
 * @returns {Promise<{width: number, height: number} | null>} */
async function sidesOf(file) {
  const url = URL.createObjectURL(file);
  const image = new Image();
  try {
    await new Promise((done, fail) => Object.assign(image, { onload: done, onerror: fail, src: url }));
    return { width: image.naturalWidth, height: image.naturalHeight };
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** @param {File} file
 * @returns {Promise<string | null>} */
async function looked(file) {
  const storage = await readStorage();
  const wrong = wrongSize(file, storage, true);
  if (wrong) return wrong;
  const { mediaTypes, limits } = storage;
  const type = mediaTypes.includes(file.type) ? file.type : await typeOf(file);
  if (!mediaTypes.includes(type)) return t("publish.wrong-type", { types: types(mediaTypes) });
  const sides = await sidesOf(file);
  if (!sides) return t("publish.no-picture");
  const { width, height } = sides;
  if (Math.max(width, height) > limits.imageSide)
    return t("publish.too-wide", { width, height, side: limits.imageSide });
  if (width * height > limits.imagePixels)
    return t("publish.too-many-pixels", { width, height, pixels: many(limits.imagePixels) });
  return null;
}

/** @type {WeakMap<File, Promise<string | null>>} */
const verdicts = new WeakMap();

/** What is wrong with a picture, in words; null if nothing is that the page can know.
 * @param {File} file */
export function wrongPicture(file) {
  const known = verdicts.get(file) ?? looked(file);
  verdicts.set(file, known);
  known.catch(() => verdicts.delete(file));
  return known;
}

/** A name within a sentence, which it cannot turn round. @param {string} name */
export const apart = (name) => `\u2068${name}\u2069`;

/** What is said of files that were not taken.
 * @param {[File, string][]} refused */
const refusedWords = (refused) =>
  refused.map(([{ name }, why]) => t("publish.not-taken", { name: apart(name), why })).join(" ");

/** Of many files one place alone is told that they are dropped: beside it, none takes the page away.
 * @param {DragEvent} event */
const keepPage = (event) => {
  if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
};

/**
 * @param {{label: string, name: string, has: string, value: any[], onTake: (files: File[]) => void,
 *   onRefuse?: (files: File[]) => void, needed?: string, most?: number, multiple?: boolean,
 *   pictures?: boolean, children?: any}} props `has` says what it has; what is taken at once may be refused
 *   later, when more is known of it
 */
export function Drop(props) {
  const { label, name, has, value, onTake, onRefuse, needed, most, children } = props;
  const { multiple = false, pictures = false } = props;
  const id = useId();
  const [over, setOver] = useState(false);
  const [refused, setRefused] = useState(/** @type {[File, string][]} */ ([]));
  const storage = useLoad(readStorage, []).data;
  const [mark, forget] = useField(name, {
    value,
    limit: { maxItems: most },
    check: () => (value.length ? null : refusedWords(refused) || needed || null),
  });
  const problem = mark ?? (refusedWords(refused) || null);
  useEffect(() => {
    addEventListener("dragover", keepPage);
    addEventListener("drop", keepPage);
    return () => {
      removeEventListener("dragover", keepPage);
      removeEventListener("drop", keepPage);
    };
  }, []);
  /** @param {FileList | null | undefined} list */
  const take = (list) => {
    if (!list?.length) return;
    forget();
    setRefused([]);
    /** @param {File} file @param {string | null} why */
    const judge = (file, why) => why && setRefused((was) => [...was, [file, why]]);
    /** @type {File[]} */
    const good = [];
    for (const file of multiple ? list : [list[0]]) {
      const why = storage ? wrongSize(file, storage, pictures) : null;
      const isClear = !pictures || !storage || storage.mediaTypes.includes(file.type);
      judge(file, why);
      if (!why && isClear) good.push(file);
      if (why || !pictures) continue;
      void wrongPicture(file).then(
        (why) => {
          judge(file, why);
          if (why && isClear) onRefuse?.([file]);
          if (!why && !isClear) onTake([file]);
        },
        () => {},
      );
    }
    if (good.length) onTake(good);
  };
  const bytes = storage?.limits.fileBytes;
  const taken = !storage
    ? " "
    : pictures
      ? pictureWords(storage)
      : [
          t(multiple ? "publish.any-files" : "publish.any-file"),
          bytes && t("publish.file-size", { size: size(bytes) }),
        ]
          .filter(Boolean)
          .join(" ");
  const described = about(id, true, problem);
  return html`
    <div
      class=${`field drop ${over ? "over" : ""}`}
      onDragOver=${(/** @type {DragEvent} */ event) => (event.preventDefault(), setOver(true))}
      onDragLeave=${() => setOver(false)}
      onDrop=${(/** @type {DragEvent} */ event) => (
        event.preventDefault(),
        setOver(false),
        take(event.dataTransfer?.files)
      )}
    >
      <label for=${id}>${label}</label>
      <div class="drop-zone">
        <${FileButton}
          id=${id}
          multiple=${multiple}
          accept=${pictures ? storage?.mediaTypes.join(",") : undefined}
          ...${described}
          aria-describedby=${[`${id}-has`, described["aria-describedby"]].join(" ")}
          onChoose=${take}
        >
          <${Icon} name="upload" />
          ${t(
            pictures ? "publish.choose-pictures" : multiple ? "publish.choose-files" : "publish.choose-file",
          )}
        <//>
        <span class="faint small" aria-hidden="true">
          ${t(multiple ? "publish.drop-them" : "publish.drop-it")}
        </span>
      </div>
      <p class="hint" id=${`${id}-hint`}>${taken}</p>
      <p class="small" id=${`${id}-has`} role="status">${has}</p>
      <${Problem} id=${id} text=${problem} />
      ${children}
    </div>
  `;
}
