/** Bytes of a file that are read at once. To hash them takes about a millisecond. */
export const PIECE = 1 << 17;

// The first 32 bits of the fractions of square roots and cube roots of primes (FIPS 180-4).
const ROUNDS = new Int32Array(64);
const START = new Int32Array(8);
for (let number = 2, count = 0; count < 64; number += 1) {
  let divisor = 2;
  while (number % divisor) divisor += 1;
  if (divisor < number) continue;
  if (count < 8) START[count] = fraction(Math.sqrt(number));
  ROUNDS[count++] = fraction(Math.cbrt(number));
}

function fraction(number) {
  return ((number % 1) * 2 ** 32) | 0;
}

/** What came, twice, or what was sent, has not the digest of `path`. */
export class DigestError extends Error {
  name = "DigestError";

  constructor(path) {
    super(`${path}: the bytes have another digest.`);
    this.path = path;
  }
}

/** A SHA-256 of bytes that come piece by piece: Node's own is ten times as fast. */
export function newHash() {
  const node = globalThis.process?.getBuiltinModule?.("node:crypto");
  return node?.createHash("sha256") ?? new Sha256();
}

/** The SHA-256 of a Blob in hexadecimal digits, of which a piece is in memory at a time. */
export async function digestOf(data, signal) {
  const hash = newHash();
  for (let at = 0; at < data.size; at += PIECE) {
    signal?.throwIfAborted();
    hash.update(new Uint8Array(await data.slice(at, at + PIECE).arrayBuffer()));
  }
  return hash.digest("hex");
}

/** SHA-256 in plain JavaScript: crypto.subtle takes no pieces, and is not there on plain http. */
export class Sha256 {
  #state = START.slice();
  #words = new Int32Array(64);
  #rest = new Uint8Array(64); // the begin of a block
  #length = 0;

  update(bytes) {
    let at = 0;
    const begun = this.#length % 64;
    this.#length += bytes.length;
    if (begun) {
      at = Math.min(64 - begun, bytes.length);
      this.#rest.set(bytes.subarray(0, at), begun);
      if (begun + at < 64) return this;
      this.#mix(this.#rest, 0, 64);
    }
    const end = bytes.length - ((bytes.length - at) % 64);
    this.#mix(bytes, at, end);
    this.#rest.set(bytes.subarray(end));
    return this;
  }

  /** In hexadecimal digits. Nothing may come afterwards. */
  digest() {
    const length = this.#length;
    const padding = new Uint8Array(((119 - (length % 64)) % 64) + 9);
    padding[0] = 128;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.length - 8, length / 2 ** 29);
    view.setUint32(padding.length - 4, length << 3);
    this.update(padding);
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }

  #mix(bytes, from, to) {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const words = this.#words;
    const state = this.#state;
    for (let at = from; at < to; at += 64) {
      for (let i = 0; i < 16; i += 1) words[i] = view.getInt32(at + 4 * i);
      for (let i = 16; i < 64; i += 1) {
        const x = words[i - 15];
        const y = words[i - 2];
        words[i] =
          words[i - 16] +
          words[i - 7] +
          (((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)) +
          (((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10));
      }
      let a = state[0];
      let b = state[1];
      let c = state[2];
      let d = state[3];
      let e = state[4];
      let f = state[5];
      let g = state[6];
      let h = state[7];
      for (let i = 0; i < 64; i += 1) {
        const s = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
        const x = (h + s + (g ^ (e & (f ^ g))) + ROUNDS[i] + words[i]) | 0;
        const t = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
        const y = (t + ((a & b) | (c & (a | b)))) | 0;
        h = g;
        g = f;
        f = e;
        e = (d + x) | 0;
        d = c;
        c = b;
        b = a;
        a = (x + y) | 0;
      }
      state[0] += a;
      state[1] += b;
      state[2] += c;
      state[3] += d;
      state[4] += e;
      state[5] += f;
      state[6] += g;
      state[7] += h;
    }
  }
}
