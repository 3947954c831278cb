/** ZIP archives of files as they are, without compression (APPNOTE 6.3.10). What is in one is read nowhere:
 * the archive is a Blob of headers and of the Blobs of the files. */

/** What does not fit in 32 or 16 bits is this there, and stands in a field of 64 bits (ZIP64). */
const LARGE = 0xffff_ffff;
const MANY = 0xffff;
/** Versions of the format that a reader needs: the plain one, and ZIP64. */
const [PLAIN, WIDE] = [20, 45];
/** The names are UTF-8. */
const UTF8 = 0x0800;

const TABLE = Int32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb8_8320 : value >>> 1;
  return value;
});

/** A CRC-32 of bytes that come piece by piece. */
export class Crc {
  #value = -1;

  /** @param {Uint8Array} bytes */
  add(bytes) {
    let value = this.#value;
    for (let at = 0; at < bytes.length; at += 1) value = TABLE[(value ^ bytes[at]) & 255] ^ (value >>> 8);
    this.#value = value;
  }

  get value() {
    return ~this.#value >>> 0;
  }
}

/** Numbers in so many bytes each, the lowest byte first.
 * @param {[number, number][]} fields how many bytes, and the value
 * @returns {Uint8Array<ArrayBuffer>} */
function packed(...fields) {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [length]) => sum + length, 0)));
  let at = 0;
  for (const [length, value] of fields) {
    if (length === 2) view.setUint16(at, value, true);
    else if (length === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += length;
  }
  return new Uint8Array(view.buffer);
}

/** The extra field with those of these numbers that are too large; empty if none is.
 * @param {number[]} values */
function extra(...values) {
  const large = values.filter((value) => value >= LARGE);
  if (!large.length) return new Uint8Array();
  return packed(
    [2, 1],
    [2, 8 * large.length],
    ...large.map((value) => /** @type {[number, number]} */ ([8, value])),
  );
}

/** @typedef {{name: string, data: Blob, crc: number}} Entry a file, and the CRC-32 of its bytes */

/** @param {Entry[]} entries in this order @param {Date} time when all were changed
 * @returns {Blob} */
export function archive(entries, time) {
  /** @type {(Uint8Array<ArrayBuffer> | Blob)[]} */
  const files = [];
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const directory = [];
  let offset = 0;
  const clock = (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1);
  const years = Math.min(Math.max(time.getFullYear() - 1980, 0), 127);
  const day = (years << 9) | ((time.getMonth() + 1) << 5) | time.getDate();
  for (const { name, data, crc } of entries) {
    const { size } = data;
    const called = new TextEncoder().encode(name);
    const here = extra(size, size);
    const there = extra(size, size, offset);
    const needed = there.length ? WIDE : PLAIN;
    /** @param {Uint8Array} more @returns {[number, number][]} */
    const common = (more) => [
      ...[needed, UTF8, 0, clock, day].map((value) => /** @type {[number, number]} */ ([2, value])),
      [4, crc],
      [4, Math.min(size, LARGE)],
      [4, Math.min(size, LARGE)],
      [2, called.length],
      [2, more.length],
    ];
    const head = packed([4, 0x0403_4b50], ...common(here));
    files.push(head, called, here, data);
    directory.push(
      packed(
        [4, 0x0201_4b50],
        [2, needed],
        ...common(there),
        ...[0, 0, 0].map((none) => /** @type {[number, number]} */ ([2, none])),
        [4, 0],
        [4, Math.min(offset, LARGE)],
      ),
      called,
      there,
    );
    offset += head.length + called.length + here.length + size;
  }
  const length = directory.reduce((sum, one) => sum + one.length, 0);
  const count = entries.length;
  if (count >= MANY || offset >= LARGE || length >= LARGE)
    directory.push(
      packed([4, 0x0606_4b50], [8, 44], [2, WIDE], [2, WIDE], [4, 0], [4, 0]),
      packed([8, count], [8, count], [8, length], [8, offset]),
      packed([4, 0x0706_4b50], [4, 0], [8, offset + length], [4, 1]),
    );
  const [some, where] = [Math.min(count, MANY), Math.min(offset, LARGE)];
  directory.push(
    packed([4, 0x0605_4b50], [2, 0], [2, 0], [2, some], [2, some]),
    packed([4, Math.min(length, LARGE)], [4, where], [2, 0]),
  );
  return new Blob([...files, ...directory], { type: "application/zip" });
}
