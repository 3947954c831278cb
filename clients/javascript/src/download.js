import { again } from "./again.js";
import { unless } from "./clock.js";
import { DigestError, newHash } from "./digest.js";
import { ApiError, NetworkError } from "./errors.js";
import { PASSING, Patience } from "./transfer.js";

const STALE = [401, 403, 404, 410]; // a new URL may be good
const FOLD = 1 << 23; // bytes in the script's memory before they become a Blob

/** The files of a content, one after the other: {path, use, platform, mediaType, data}. */
export async function* download(client, contentId, options = {}) {
  const { revision, platform, only, signal, retries } = options;
  const list = async () => {
    const [name, others] = revision ? ["listRevisionFiles", { revisionId: revision }] : ["listContentFiles"];
    const found = await client.call(name, { contentId, platform, ...others }, { signal, retries });
    const files = new Map();
    for (const file of found) {
      // One file may be several parts. One of them is enough to get it.
      if (!files.get(file.path)?.url) files.set(file.path, file);
    }
    return files;
  };
  let files = await list();
  const urlOf = async (path, stale) => {
    if (stale === files.get(path)?.url) files = await list();
    return files.get(path)?.url ?? null;
  };
  for (const [index, file] of [...files.values()].entries()) {
    const { path, use, platform, mediaType } = file;
    if (only && !only.includes(path)) continue;
    const data = await new Receiving(client, file, index, urlOf, options).run();
    yield { path, use, platform: platform ?? null, mediaType, data };
  }
}

/** One file on its way here. */
class Receiving {
  #client;
  #file;
  #index;
  #urlOf;
  #options;
  #url;
  #hash;
  #there; // how many bytes have come
  #most = 0;
  #parts;
  #unfolded;
  #writer;
  #isWrong = false;

  constructor(client, file, index, urlOf, options) {
    this.#client = client;
    this.#file = file;
    this.#index = index;
    this.#urlOf = urlOf;
    this.#options = options;
  }

  /** A Blob, undefined where a stream has taken it, or null where it cannot be had. */
  async run() {
    const { path, sha256, mediaType } = this.#file;
    const { signal, retries = this.#client.retries } = this.#options;
    const moved = () => {
      const before = this.#most;
      this.#most = Math.max(before, this.#there);
      return before < this.#most;
    };
    const rules = { retries, signal, passing: PASSING, moved, clock: this.#client.clock };
    this.#url = await this.#urlOf(path);
    if (!this.#url) return null;
    try {
      for (;;) {
        await this.#begin();
        await again(() => this.#get(), rules);
        if (!this.#url) {
          await this.#giveUp(new Error(`${path} is not given out any more.`));
          return null;
        }
        if (this.#hash.digest("hex") === sha256) break;
        const error = new DigestError(path);
        if (this.#isWrong) throw error;
        this.#isWrong = true;
        await this.#giveUp(error);
      }
      await this.#writer?.close();
    } catch (error) {
      await this.#giveUp(error);
      throw error;
    }
    this.#tell(this.#there);
    return this.#writer ? undefined : new Blob(this.#parts, { type: mediaType });
  }

  async #begin() {
    this.#hash = newHash();
    this.#there = this.#unfolded = 0;
    this.#parts = [];
    this.#writer = (await this.#options.into?.(this.#file))?.getWriter();
    this.#tell(0);
  }

  async #giveUp(reason) {
    await this.#writer?.abort(reason).catch(() => {}); // it may have failed itself
  }

  #tell(done) {
    this.#options.onProgress?.({ file: this.#index, done, total: this.#file.size });
  }

  // Get what is missing. Throws where the connection is lost first.
  async #get(isRenewed = false) {
    const { size } = this.#file;
    if (this.#there >= size) return;
    const patience = new Patience(this.#client, this.#options.signal);
    try {
      const response = await patience.with(this.#ask(patience.signal));
      if (!response.ok) {
        const error = await patience.with(ApiError.of(response));
        if (error.status === 416) await this.#beginAgain(error);
        if (!STALE.includes(error.status) || isRenewed) throw error;
        const stale = this.#url;
        this.#url = await this.#urlOf(this.#file.path, stale);
        if (this.#url === stale) throw error;
        if (this.#url) await this.#get(true);
        return;
      }
      if (this.#there && response.status !== 206) await this.#beginAgain();
      const reader = response.body.getReader();
      // What is too long has another digest.
      while (this.#there <= size) {
        const { done, value } = await patience.with(reader.read());
        if (done) break;
        await this.#take(value);
      }
    } finally {
      patience.end();
    }
    if (this.#there < size) throw new NetworkError("The connection was cut.");
  }

  async #beginAgain(reason = new Error("The store began anew.")) {
    await this.#giveUp(reason);
    await this.#begin();
  }

  // No condition on the ETag is needed: the bytes at a path are always the same.
  #ask(signal) {
    const { fetch } = this.#client;
    const headers = { "Accept-Encoding": "identity" }; // a browser chooses itself
    if (this.#there) headers.Range = `bytes=${this.#there}-`;
    const cache = this.#isWrong ? "reload" : "default";
    return fetch(this.#url, { headers, cache, signal, credentials: "omit", redirect: "error" });
  }

  async #take(bytes) {
    this.#hash.update(bytes);
    this.#there += bytes.length;
    if (this.#writer) await unless(this.#options.signal, this.#writer.write(bytes));
    else {
      this.#parts.push(bytes);
      this.#unfolded += bytes.length;
      if (this.#unfolded > FOLD) {
        this.#parts = [new Blob(this.#parts)]; // a browser keeps large ones on its disk
        this.#unfolded = 0;
      }
    }
    this.#tell(Math.min(this.#there, this.#file.size - 1)); // the last byte counts when verified
  }
}
