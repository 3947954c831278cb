// What a JPEG, PNG or WebP says beside its pixels, and the same picture without it. The rules are
// those of contentsvc/wire/picture_metadata.py, which has the reasons; pictures.json holds both.
const PIECE = 1 << 18; // bytes that are read at once
const MOST_PARTS = 20_000;
const MOST_ENTRIES = 512;
const HEAD = 12;
const ORIENTATION = 0x0112;
const OTHERS = ["GIF8", "BM", "II*\0", "MM\0*", "RIFF", "%PDF", "PK\x03\x04", "<"];
const LOOKS = "tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs hIST sPLT cICP mDCV cLLI acTL fcTL fdAT".split(" ");

const text = (bytes) => String.fromCharCode(...bytes);
const bytesOf = (written) => Uint8Array.from(written, (letter) => letter.charCodeAt(0));
const numberOf = (bytes, isLittle) => {
  const ordered = isLittle ? bytes.slice().reverse() : bytes;
  return ordered.reduce((sum, byte) => sum * 256 + byte, 0);
};

/** The media type of a picture by its first bytes: "" if they are those of a file of another kind,
 * null if they say nothing. */
export async function typeOf(data) {
  const head = text(new Uint8Array(await data.slice(0, HEAD).arrayBuffer()));
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("RIFF") && head.slice(8) === "WEBP") return "image/webp";
  const isOther = OTHERS.some((begin) => head.startsWith(begin)) || head.slice(4, 8) === "ftyp";
  return isOther ? "" : null;
}

/** A picture without its metadata: the same Blob where there is none, or where it is broken. */
export async function withoutMetadata(data, mediaType, signal) {
  const Walk = { "image/png": Png, "image/jpeg": Jpeg, "image/webp": Webp }[mediaType];
  const parts = Walk && (await new Walk(data, signal).run());
  if (!parts) return data;
  const made = parts.map((part) => (Array.isArray(part) ? data.slice(...part) : part));
  return new Blob(made, { type: mediaType });
}

class Broken extends Error {}

// A walk through the parts of a picture. `parts` are those that stay: [from, to], or new bytes.
class Walk {
  parts = [];
  isDropped = false;
  isShown = false; // the pixels have begun
  isTurned = false; // an orientation has been found
  count = 0;
  first = 0;
  piece = new Uint8Array();

  constructor(data, signal) {
    this.data = data;
    this.size = data.size;
    this.signal = signal;
  }

  async run() {
    try {
      let at = await this.begin();
      while (at !== null && at < this.size) {
        this.step();
        at = await this.next(at);
      }
    } catch (error) {
      if (error instanceof Broken) return null;
      throw error;
    }
    if (!this.isShown || !this.isDropped) return null;
    this.finish();
    return this.parts;
  }

  finish() {}

  step() {
    if (++this.count > MOST_PARTS) throw new Broken();
  }

  // Some bytes, or the promise of them.
  bytes(at, length) {
    if (at + length > this.size) throw new Broken();
    const start = at - this.first;
    if (start < 0 || start + length > this.piece.length) return this.read(at, length);
    return this.piece.subarray(start, start + length);
  }

  async read(at, length) {
    this.signal?.throwIfAborted();
    this.first = at;
    const read = this.data.slice(at, at + Math.max(length, PIECE));
    this.piece = new Uint8Array(await read.arrayBuffer());
    if (this.piece.length < length) throw new Broken();
    return this.piece.subarray(0, length);
  }

  keep(from, to) {
    const last = this.parts.at(-1);
    if (Array.isArray(last) && last[1] === from) last[1] = to;
    else if (from < to) this.parts.push([from, to]);
  }

  drop() {
    this.isDropped = true;
  }

  // The last part is not there whole.
  cut(at, isPixels, stays) {
    if (isPixels) this.keep(at, this.size);
    else if (stays || !this.isShown) throw new Broken();
    else this.drop();
    return null;
  }

  // The picture ends here.
  end(at) {
    if (at < this.size) this.drop();
    return null;
  }

  // The orientation that EXIF says, 0 if none, and whether it says nothing else.
  async orientation(at, length) {
    if (length < 14) return [0, false];
    const head = await this.bytes(at, 8);
    const order = text(head.subarray(0, 4));
    const isLittle = order === "II*\0";
    if (!isLittle && order !== "MM\0*") return [0, false];
    const offset = numberOf(head.subarray(4), isLittle);
    if (offset < 8 || offset + 2 > length) return [0, false];
    const count = numberOf(await this.bytes(at + offset, 2), isLittle);
    const looked = Math.min(count, Math.floor((length - offset - 2) / 12), MOST_ENTRIES);
    const entries = await this.bytes(at + offset + 2, 12 * looked);
    const short = (place) => numberOf(entries.subarray(place, place + 2), isLittle);
    for (let entry = 0; entry < 12 * looked; entry += 12) {
      const isCount = numberOf(entries.subarray(entry + 4, entry + 8), isLittle) === 1;
      if (short(entry) !== ORIENTATION || short(entry + 2) !== 3 || !isCount) continue;
      const value = short(entry + 8);
      if (value < 1 || value > 8) return [0, false];
      const isAlone = length === 26 && offset === 8 && count === 1 && !short(entry + 10);
      return [value, isAlone && !numberOf(await this.bytes(at + 22, 4))];
    }
    return [0, false];
  }

  // Keep the part with EXIF if it has only the first orientation, or else leave it out. What takes
  // its place, if anything.
  async exif(from, to, at, length) {
    const [value, isAlone] = this.isTurned ? [0] : await this.orientation(at, length);
    this.isTurned ||= value > 0;
    if (isAlone) this.keep(from, to);
    else this.drop();
    if (isAlone || value < 2) return "";
    const entry = "\x01\x12\0\x03\0\0\0\x01\0" + String.fromCharCode(value);
    return `MM\0*\0\0\0\x08\0\x01${entry}\0\0\0\0\0\0`;
  }
}

class Jpeg extends Walk {
  async begin() {
    if (text(await this.bytes(0, 3)) !== "\xff\xd8\xff") throw new Broken();
    this.keep(0, 2);
    return 2;
  }

  async next(at) {
    let marker = at;
    let [mark, code] = await this.bytes(at, 2);
    while (mark === 0xff && code === 0xff) {
      marker += 1;
      this.step();
      [mark, code] = await this.bytes(marker, 2);
    }
    if (mark !== 0xff || code === 0 || code === 0xd8) throw new Broken();
    if (code === 0xd9 || code === 1 || (code >= 0xd0 && code <= 0xd7)) {
      this.keep(at, marker + 2);
      return code === 0xd9 ? this.end(marker + 2) : marker + 2;
    }
    const length = numberOf(await this.bytes(marker + 2, 2));
    const data = marker + 4;
    const end = marker + 2 + length;
    if (length < 2 || end > this.size) throw new Broken();
    if (code === 0xfe || (code >= 0xe0 && code <= 0xef)) {
      const head = text(await this.bytes(data, Math.min(14, length - 2)));
      await this.application(code, head, at, data, end);
      return end;
    }
    this.keep(at, end);
    if (code !== 0xda) return end;
    this.isShown = true;
    const after = await this.marker(end);
    this.keep(end, after);
    return after;
  }

  async application(code, head, at, data, end) {
    const isProfile = code === 0xe2 && head.startsWith("ICC_PROFILE\0");
    if (code === 0xe0 && head.startsWith("JFIF\0") && end - data > 14) {
      this.parts.push(bytesOf(`\xff\xe0\0\x10${head.slice(0, 12)}\0\0`));
      this.drop();
    } else if (code === 0xe0 && head.startsWith("JFIF\0")) this.keep(at, end);
    else if (isProfile || (code === 0xee && head.startsWith("Adobe"))) this.keep(at, end);
    else if (code === 0xe1 && head.startsWith("Exif\0")) {
      const turn = await this.exif(at, end, data + 6, end - data - 6);
      if (turn) this.parts.push(bytesOf(`\xff\xe1\0\x22Exif\0\0${turn}`));
    } else this.drop();
  }

  // The place of the next marker after coded pixels; the end if there is none.
  async marker(from) {
    for (let at = from; at + 1 < this.size; ) {
      await this.bytes(at, 2);
      const { piece, first } = this;
      for (let place = at - first; (place = piece.indexOf(0xff, place)) >= 0; place += 1) {
        const code = piece[place + 1];
        if (code >= 0xc0 && code !== 0xff && !(code >= 0xd0 && code <= 0xd7)) return first + place;
      }
      at = first + piece.length - 1;
    }
    return this.size;
  }
}

class Png extends Walk {
  async begin() {
    const head = text(await this.bytes(0, 16));
    if (head !== "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR") throw new Broken();
    this.keep(0, 8);
    return 8;
  }

  async next(at) {
    const head = await this.bytes(at, 8);
    const length = numberOf(head.subarray(0, 4));
    const kind = text(head.subarray(4));
    const end = at + 12 + length;
    if (!/^[A-Za-z]{4}$/.test(kind)) throw new Broken();
    const stays = kind < "a" || LOOKS.includes(kind);
    const isPixels = kind === "IDAT" || kind === "fdAT";
    this.isShown ||= isPixels;
    if (end > this.size) return this.cut(at, isPixels, stays);
    if (kind === "eXIf") {
      const turn = await this.exif(at, end, at + 8, length);
      if (turn) this.parts.push(bytesOf("\0\0\0\x1a"), ...summed(bytesOf(kind + turn)));
    } else if (stays) this.keep(at, end);
    else this.drop();
    return kind === "IEND" ? this.end(end) : end;
  }
}

// A chunk of a PNG, and its CRC (ISO 3309).
function summed(chunk) {
  let sum = -1;
  for (const byte of chunk) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  const written = new Uint8Array(4);
  new DataView(written.buffer).setInt32(0, ~sum);
  return [chunk, written];
}

class Webp extends Walk {
  hasExif = false;

  async begin() {
    const head = text(await this.bytes(0, 20));
    const form = head[15];
    if (!head.startsWith("RIFF") || head.slice(8, 15) !== "WEBPVP8" || !" LX".includes(form)) {
      throw new Broken();
    }
    this.said = numberOf(bytesOf(head.slice(4, 8)), true);
    this.whole = Math.min(8 + this.said, this.size);
    this.parts.push(bytesOf(head.slice(0, 12)));
    if (form === "X") {
      if (numberOf(bytesOf(head.slice(16)), true) < 10 || this.whole < 30) throw new Broken();
      this.header = (await this.bytes(12, 9)).slice();
    }
    return 12;
  }

  async next(at) {
    if (at >= this.whole) return this.end(this.whole);
    if (this.whole - at < 8) return this.end(at);
    const head = await this.bytes(at, 8);
    const kind = text(head.subarray(0, 4));
    const length = numberOf(head.subarray(4), true);
    const isPixels = ["VP8 ", "VP8L", "ANMF"].includes(kind);
    const stays = isPixels || ["VP8X", "ICCP", "ANIM", "ALPH"].includes(kind);
    if (this.isShown && !this.header) return this.end(at);
    this.isShown ||= isPixels;
    let end = at + 8 + length;
    if (end > this.whole) return this.cut(at, isPixels, stays);
    end = Math.min(end + (length % 2), this.whole);
    if (kind === "EXIF") await this.seen(at, end, length);
    else if (stays) this.keep(at, end);
    else this.drop();
    return end;
  }

  async seen(at, end, length) {
    const isLed = length > 6 && text(await this.bytes(at + 8, 5)) === "Exif\0";
    const lead = isLed ? 6 : 0;
    const wasDropped = this.isDropped;
    this.isDropped = false;
    const turn = await this.exif(at, end, at + 8 + lead, length - lead);
    if (turn) this.parts.push(bytesOf(`EXIF\x1a\0\0\0${turn}`));
    this.hasExif ||= turn !== "" || !this.isDropped;
    this.isDropped ||= wasDropped;
  }

  finish() {
    const { parts, header } = this;
    const lengths = parts.map((part) => (Array.isArray(part) ? part[1] - part[0] : part.length));
    const length = lengths.reduce((sum, each) => sum + each);
    new DataView(parts[0].buffer).setUint32(4, this.said + length - this.whole, true);
    if (!header) return;
    header[8] = (header[8] & ~0x0c) | (this.hasExif ? 8 : 0);
    parts[1][0] += 9;
    parts.splice(1, 0, header);
  }
}
