// What a JPEG, PNG or WebP says beside its pixels, and the same picture without it. The rules are
// those of contentsvc/framework/images/metadata.py, which has the reasons; pictures.json holds both.
const PIECE = 1 << 18; // bytes that are read at once
const MOST_PARTS = 20_000;
const MOST_ENTRIES = 512;
const OTHERS = /^(GIF8|BM|II\*\0|MM\0\*|RIFF|%PDF|PK\x03\x04|<|.{4}ftyp)/s;
const LOOKS = /^([A-Z]|(tRNS|gAMA|cHRM|sRGB|iCCP|sBIT|bKGD|pHYs|hIST|sPLT|cICP|mDCV|cLLI|acTL|fcTL|fdAT)$)/;

// Some bytes are a text here, which has a character for each.
const textOf = (bytes) => String.fromCharCode(...bytes);
const bytesOf = (text) => Uint8Array.from(text, (byte) => byte.charCodeAt(0));
const big = (text) => [...text].reduce((sum, byte) => sum * 256 + byte.charCodeAt(0), 0);
const little = (text) => big([...text].reverse());

function broken() {
  throw new RangeError("broken");
}

/** The media type of a picture by its first bytes: "" if they are those of a file of another kind,
 * null if they say nothing. */
export async function typeOf(data) {
  const head = textOf(new Uint8Array(await data.slice(0, 12).arrayBuffer()));
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^RIFF.{4}WEBP/s.test(head)) return "image/webp";
  return OTHERS.test(head) ? "" : null;
}

/** A picture without its metadata: the same Blob where there is none, or where it is broken. */
export async function withoutMetadata(data, mediaType, signal) {
  const { size } = data;
  const parts = []; // of what stays: from, to; or new bytes
  let isDropped = false;
  let isShown = false; // the pixels have begun
  let isTurned = false; // an orientation has been found
  let count = 0;
  let first = 0; // the place of the piece that was read
  let piece = new Uint8Array();

  const step = () => ++count > MOST_PARTS && broken();
  const drop = () => (isDropped = true);
  const put = (text) => parts.push(bytesOf(text));

  async function text(at, length) {
    if (at + length > size) broken();
    if (at < first || at + length > first + piece.length) {
      signal?.throwIfAborted();
      first = at;
      piece = new Uint8Array(await data.slice(at, at + Math.max(length, PIECE)).arrayBuffer());
      if (piece.length < length) broken();
    }
    return textOf(piece.subarray(at - first, at - first + length));
  }

  function keep(from, to) {
    const last = parts.at(-1);
    if (last?.[1] === from && Array.isArray(last)) last[1] = to;
    else if (from < to) parts.push([from, to]);
  }

  // The picture ends here.
  function end(at) {
    if (at < size) drop();
    return size;
  }

  // The last part is not there whole.
  function cut(at, isPixels, stays) {
    if (isPixels) keep(at, size);
    else if (stays || !isShown) broken();
    else drop();
    return size;
  }

  // The orientation that EXIF says, 0 if none, and whether it says nothing else.
  async function orientation(at, length) {
    if (length < 14) return [0];
    const head = await text(at, 8);
    const number = head.startsWith("II*\0") ? little : big;
    if (number === big && !head.startsWith("MM\0*")) return [0];
    const offset = number(head.slice(4));
    if (offset < 8 || offset + 2 > length) return [0];
    const entries = number(await text(at + offset, 2));
    const looked = Math.min(entries, Math.floor((length - offset - 2) / 12), MOST_ENTRIES);
    const all = await text(at + offset + 2, 12 * looked);
    for (let place = 0; place < all.length; place += 12) {
      const short = (from) => number(all.slice(place + from, place + from + 2));
      const isOne = number(all.slice(place + 4, place + 8)) === 1;
      if (short(0) !== 0x0112 || short(2) !== 3 || !isOne) continue;
      const value = short(8);
      if (value < 1 || value > 8) return [0];
      const isAlone = length === 26 && offset === 8 && entries === 1 && !short(10);
      return [value, isAlone && !big(await text(at + 22, 4))];
    }
    return [0];
  }

  // Keep the part with EXIF if it has only the first orientation, or else leave it out. What takes
  // its place, if anything. `write` adds what is around it.
  async function exif(from, to, at, length, write) {
    const [value, isAlone] = isTurned ? [0] : await orientation(at, length);
    isTurned ||= value > 0;
    if (isAlone) {
      keep(from, to);
      return true;
    }
    drop();
    const entry = `\x01\x12\0\x03\0\0\0\x01\0${String.fromCharCode(value)}`;
    if (value > 1) write(`MM\0*\0\0\0\x08\0\x01${entry}\0\0\0\0\0\0`);
    return value > 1;
  }

  // Each gives the place of the next part.

  async function jpeg(at) {
    if (!at) {
      if ((await text(0, 3)) !== "\xff\xd8\xff") broken();
      keep(0, 2);
      return 2;
    }
    let marker = at;
    let pair = await text(at, 2);
    while (pair === "\xff\xff") {
      step();
      marker += 1;
      pair = await text(marker, 2);
    }
    if (!/^\xff[^\0\xd8]/.test(pair)) broken();
    const code = pair[1];
    if (/[\x01\xd0-\xd9]/.test(code)) {
      keep(at, marker + 2);
      return code === "\xd9" ? end(marker + 2) : marker + 2;
    }
    const length = big(await text(marker + 2, 2));
    const data = marker + 4;
    const next = marker + 2 + length;
    if (length < 2 || next > size) broken();
    if (/[\xe0-\xef\xfe]/.test(code)) {
      const head = code + (await text(data, Math.min(14, length - 2)));
      const isFull = head.startsWith("\xe0JFIF\0");
      const write = (turn) => put(`\xff\xe1\0\x22Exif\0\0${turn}`);
      if (head.startsWith("\xe1Exif\0")) await exif(at, next, data + 6, next - data - 6, write);
      else if (isFull && length > 16) {
        put(`\xff\xe0\0\x10${head.slice(1, 13)}\0\0`);
        drop();
      } else if (isFull || /^(\xe2ICC_PROFILE\0|\xeeAdobe)/.test(head)) keep(at, next);
      else drop();
      return next;
    }
    let after = next;
    if (code === "\xda") {
      isShown = true;
      after = await pixels(next);
    }
    keep(at, after);
    return after;
  }

  // The place of the next marker after coded pixels; the end if there is none.
  async function pixels(at) {
    while (at + 1 < size) {
      await text(at, 2);
      for (let place = at - first; (place = piece.indexOf(0xff, place)) >= 0; place += 1) {
        const code = piece[place + 1];
        if (code >= 0xc0 && code !== 0xff && !(code >= 0xd0 && code < 0xd8)) return first + place;
      }
      at = first + piece.length - 1;
    }
    return size;
  }

  async function png(at) {
    if (!at) {
      if ((await text(0, 16)) !== "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR") broken();
      keep(0, 8);
      return 8;
    }
    const head = await text(at, 8);
    const kind = head.slice(4);
    const length = big(head.slice(0, 4));
    const next = at + 12 + length;
    if (!/^[A-Za-z]{4}$/.test(kind)) broken();
    const isPixels = kind === "IDAT" || kind === "fdAT";
    const stays = LOOKS.test(kind);
    isShown ||= isPixels;
    if (next > size) return cut(at, isPixels, stays);
    const write = (turn) => put(`\0\0\0\x1a${kind}${turn}${sum(kind + turn)}`);
    if (kind === "eXIf") await exif(at, next, at + 8, length, write);
    else if (stays) keep(at, next);
    else drop();
    return kind === "IEND" ? end(next) : next;
  }

  // Of a WebP: its length, as it says and as it is, and whether EXIF stays.
  let said;
  let whole;
  let hasExif = false;
  let flags = null; // of the longer header

  async function webp(at) {
    if (!at) {
      const head = await text(0, 20);
      if (!/^RIFF.{4}WEBPVP8[ LX]/s.test(head)) broken();
      said = little(head.slice(4, 8));
      whole = Math.min(8 + said, size);
      keep(0, 12);
      if (head[15] !== "X") return 12;
      if (little(head.slice(16)) < 10 || whole < 30) broken();
      flags = big(await text(20, 1));
      return 12;
    }
    if (at + 8 > whole) return end(at);
    const head = await text(at, 8);
    const kind = head.slice(0, 4);
    const length = little(head.slice(4));
    const isPixels = /VP8[ L]|ANMF/.test(kind);
    const stays = isPixels || /VP8X|ICCP|ANIM|ALPH/.test(kind);
    if (isShown && flags === null) return end(at);
    isShown ||= isPixels;
    let next = at + 8 + length;
    if (next > whole) return cut(at, isPixels, stays);
    next = Math.min(next + (length % 2), whole);
    if (kind === "EXIF") {
      const lead = length > 6 && (await text(at + 8, 5)) === "Exif\0" ? 6 : 0;
      const write = (turn) => put(`EXIF\x1a\0\0\0${turn}`);
      hasExif = (await exif(at, next, at + 8 + lead, length - lead, write)) || hasExif;
    } else if (stays) keep(at, next);
    else drop();
    return next;
  }

  // The beginning of a WebP follows from what was left out.
  async function begin() {
    const length = parts.reduce(
      (all, part) => all + (part.length === 2 ? part[1] - part[0] : part.length),
      0,
    );
    const start = flags === null ? 12 : 21;
    const head = bytesOf(await text(0, start));
    new DataView(head.buffer).setUint32(4, said + length - whole, true);
    if (flags !== null) head[20] = (flags & ~0x0c) | (hasExif ? 8 : 0);
    parts[0][0] = start;
    parts.unshift(head);
  }

  const next = { "image/png": png, "image/jpeg": jpeg, "image/webp": webp }[mediaType];
  if (!next) return data;
  try {
    for (let at = 0; at < size; at = await next(at)) step();
    if (!isShown || !isDropped) return data;
    if (next === webp) await begin();
  } catch (error) {
    if (error instanceof RangeError) return data;
    throw error;
  }
  const made = parts.map((part) => (part instanceof Uint8Array ? part : data.slice(...part)));
  return new Blob(made, { type: mediaType });
}

// The CRC of a chunk of a PNG (ISO 3309).
function sum(chunk) {
  let found = -1;
  for (const byte of bytesOf(chunk)) {
    found ^= byte;
    for (let bit = 0; bit < 8; bit += 1) found = (found >>> 1) ^ (found & 1 ? 0xedb88320 : 0);
  }
  return textOf([24, 16, 8, 0].map((by) => (~found >>> by) & 255));
}
