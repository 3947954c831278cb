/** Pictures: their place on the page is there before they are. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { once } from "../once.js";
import { client } from "../session.js";

/** @type {import("../client.js").StorageInfo | null} */
let storage = null;

/** Where files lie, and how large they may be. It is asked once. */
export const readStorage = once(async () => (storage = await client.getStorage()));

/** A number from 0 to 359 which belongs to this id: the colour of what has no picture.
 * @param {string} id */
function hue(id) {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + letter.charCodeAt(0)) % 360;
  return sum;
}

/** Seconds after which a busy service has made the smaller sizes of a new picture. */
const MAKING = 600;
/** @type {Set<string>} */
const fresh = new Set();

/** These pictures have just been uploaded: they are shown whole.
 * @param {string[]} paths */
export function uploaded(paths) {
  for (const path of paths) fresh.add(path);
}

/** Where a picture lies as it was uploaded.
 * @param {string} path */
export const wholeAddress = (path) => `${storage?.mediaUrl}/${path}`;

/** What may move. Its smaller sizes do not.
 * @param {string} address */
export const mayMove = (address) => /[0-9a-f]{62}\.webp$/.test(address);

/** Show a picture as it begins, not larger than it has to be.
 * @param {HTMLCanvasElement | null} canvas @param {HTMLImageElement} image @param {number} width */
function hold(canvas, image, width) {
  if (!canvas) return;
  const scale = Math.min(1, (2 * width) / image.naturalWidth);
  canvas.width = Math.max(1, image.naturalWidth * scale);
  canvas.height = Math.max(1, image.naturalHeight * scale);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
}

/** The addresses of a picture: the smallest that does, and what to take if that is not there yet.
 * @param {string} path @param {number} width @param {number} since */
function sources(path, width, since) {
  if (!storage?.mediaUrl || !path) return [];
  const whole = wholeAddress(path);
  if (fresh.has(path) || Date.now() / 1000 - since < MAKING) return [whole];
  const fitting = storage.imageWidths.find((one) => one >= width);
  return fitting ? [`${whole}.${fitting}.webp`, whole] : [whole];
}

/**
 * A picture of a file's path, or a patch of colour with a letter.
 * @param {{path: string | null, name: string, id: string, width: number, height: number,
 *   alt?: string, kind?: string, blurred?: boolean, since?: number, first?: boolean, moves?: boolean}} props
 *   `since` is when what it belongs to was last changed, in Unix seconds; `first` is of the one that the eye
 *   sees first; what moves stands still unless it `moves`
 */
export function Picture(props) {
  const {
    path,
    name,
    id,
    width,
    height,
    alt = "",
    kind = "",
    blurred = false,
    since = 0,
    first,
    moves,
  } = props;
  const [known, setKnown] = useState(storage !== null);
  const [failed, setFailed] = useState(0);
  useEffect(() => {
    // It may have come since this was drawn.
    if (!known)
      readStorage().then(
        () => setKnown(true),
        () => {},
      );
  }, []);
  useEffect(() => setFailed(0), [path]);
  const [still, setStill] = useState(/** @type {{of: string, image: HTMLImageElement} | null} */ (null));
  // Emblems are those of the studio, and nobody knows how old they are: they are shown whole.
  const time = kind === "emblem" ? Infinity : since;
  const source = path ? sources(path, width * Math.min(devicePixelRatio, 2), time)[failed] : undefined;
  const shape = `picture ${kind} ${blurred ? "blurred" : ""}`;
  // What may come at any moment is no letter before.
  const isComing = path && !known && !storage;
  if (!source) {
    const colour = { "--hue": hue(id) };
    return html`
      <span
        class=${`${shape} ${isComing ? "" : "blank"}`}
        style=${{ ...colour, aspectRatio: `${width} / ${height}` }}
        role=${alt ? "img" : undefined}
        aria-label=${alt || undefined}
        aria-hidden=${alt ? undefined : true}
        data-letter=${[...name][0]?.toUpperCase() ?? ""}
      ></span>
    `;
  }
  if (!moves && still?.of === source)
    return html`
      <canvas
        class=${shape}
        role=${alt ? "img" : undefined}
        aria-label=${alt || undefined}
        aria-hidden=${alt ? undefined : true}
        ref=${(/** @type {HTMLCanvasElement | null} */ canvas) => hold(canvas, still.image, width)}
      ></canvas>
    `;
  return html`
    <img
      class=${shape}
      src=${source}
      alt=${alt}
      width=${width}
      height=${height}
      loading=${first ? "eager" : "lazy"}
      fetchpriority=${first ? "high" : undefined}
      decoding="async"
      onLoad=${(/** @type {any} */ { target }) =>
        !moves && mayMove(source) && setStill({ of: source, image: target })}
      onError=${() => setFailed(failed + 1)}
    />
  `;
}
