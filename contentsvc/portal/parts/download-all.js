/** All files of a content in one archive, which is made here as they come. */
import { download } from "../client-files.js";
import { client } from "../session.js";
import { archive, Crc } from "./zip.js";

/** @typedef {import("../client.js").ContentFile} ContentFile */
/** @typedef {{file: ContentFile, name: string}} Named */

/** Fetch and verify files, and put them into an archive. Of what comes, the page has one piece at a time: the
 * rest the browser has, on its disk where it is much.
 * @param {{id: string, updated: number}} content @param {Named[]} files with the names that they get
 * @param {{signal: AbortSignal, onShare: (share: number) => void}} options
 * @returns {Promise<{data: Blob, missing: number}>} `missing` is how many could not be had any more */
export async function zipped(content, files, { signal, onShare }) {
  const sizes = new Map(files.map(({ file }) => [file.path, file.size]));
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  /** @type {Map<number, number>} */
  const done = new Map();
  /** @type {Map<string, {crc: Crc, data: Promise<Blob>}>} */
  const come = new Map();
  /** A file begins, or begins anew after damaged bytes: what came of it before is dropped.
   * @param {{path: string}} file */
  const into = ({ path }) => {
    const crc = new Crc();
    /** @type {TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>} */
    const { readable, writable } = new TransformStream({
      transform(piece, next) {
        crc.add(piece);
        next.enqueue(piece);
      },
    });
    const data = new Response(readable).blob();
    // Where it ends early, the download says so.
    data.catch(() => {});
    come.set(path, { crc, data });
    return writable;
  };
  for await (const { path, data } of download(client, content.id, {
    only: [...sizes.keys()],
    into,
    signal,
    onProgress: (/** @type {{file: number, done: number}} */ one) => {
      done.set(one.file, one.done);
      onShare(total ? [...done.values()].reduce((sum, bytes) => sum + bytes, 0) / total : 1);
    },
  }))
    if (data === null) come.delete(path);
  /** @type {import("./zip.js").Entry[]} */
  const entries = [];
  for (const { file, name } of files) {
    const found = come.get(file.path);
    if (found) entries.push({ name, data: await found.data, crc: found.crc.value });
  }
  const data = archive(entries, new Date(content.updated * 1000));
  return { data, missing: files.length - entries.length };
}
