import { again } from "./again.js";
import { linked, unless } from "./clock.js";

const DOUBT = ""; // instead of a revision: a change was given, and was not handled

/** What a device is to fetch and to remove, so that it has what its user keeps. */
export class Library {
  #client;
  #query;
  #live;
  #confirm;
  #signal;
  #user;
  #have = {}; // revisions by content: what this device has, as far as it was handled
  #map; // what the service said last
  #etag;
  #given = new Map(); // by content, what was given and not handled
  #isDue = true;
  #wake;
  #cut; // ends what is asked of the service
  #writing = Promise.resolve();

  constructor(client, { live, confirm, signal, ...query } = {}) {
    this.#client = client;
    this.#query = query;
    this.#live = live;
    this.#confirm = confirm;
    this.#signal = signal;
  }

  /** With `confirm`: this change was handled. */
  async done(change) {
    const { kind, content, revision } = change;
    if (this.#given.get(content) !== change) return; // another was given meanwhile
    this.#given.delete(content);
    await this.#note(content, kind === "fetch" ? revision : null);
  }

  /** What the device has of this content is not as it should be: it is given again. */
  async forget(content) {
    await this.#whose();
    this.#given.delete(content);
    await this.#note(content, DOUBT);
    this.#look();
  }

  /** Each change. It is handled when the next is asked for, unless there is `confirm`. */
  async *[Symbol.asyncIterator]() {
    const live = this.#live;
    const heard = ({ type, detail }) => {
      if (type === "ended") this.#cut?.abort(live);
      if (type !== "message" || detail.type === "library") this.#look();
    };
    const types = ["open", "message", "ended"];
    for (const type of types) live?.addEventListener(type, heard);
    this.#isDue = true;
    this.#given.clear();
    try {
      for (;;) {
        this.#signal?.throwIfAborted();
        if (this.#isDue) {
          this.#isDue = false;
          await this.#read();
        }
        const change = this.#next();
        if (change) {
          // Noted before it is given: a device that dies meanwhile may have the one or the other.
          await this.#note(change.content, DOUBT);
          this.#given.set(change.content, change);
          yield change;
          if (!this.#confirm) await this.done(change);
          continue;
        }
        if (!this.#given.size) await this.#settle();
        if (this.#isDue) continue;
        if (!live || live.over) return;
        await unless(this.#signal, new Promise((resolve) => (this.#wake = resolve)));
      }
    } finally {
      for (const type of types) live?.removeEventListener(type, heard);
    }
  }

  #look() {
    this.#isDue ||= !this.#live?.over;
    this.#wake?.();
  }

  // First what goes: it makes room.
  #next() {
    const map = this.#map;
    if (!map) return null;
    for (const [content, revision] of Object.entries(this.#have)) {
      const isGone = (map[content]?.state ?? "gone") === "gone";
      if (isGone && this.#given.get(content)?.kind !== "remove") {
        return { kind: "remove", content, revision: revision || null };
      }
    }
    for (const [content, { state, revision }] of Object.entries(map)) {
      const given = this.#given.get(content);
      const last = given?.kind === "fetch" ? given.revision : this.#have[content];
      if (state === "active" && revision && last !== revision) {
        return { kind: "fetch", content, revision };
      }
    }
    return null;
  }

  async #whose() {
    await this.#client.token({ signal: this.#signal }); // a restored log-in may not say it before
    this.#user ??= this.#client.user?.id;
  }

  async #read() {
    const client = this.#client;
    const [cut, part] = linked(this.#signal);
    const { signal } = (this.#cut = cut);
    await this.#whose();
    const kept = await this.#kept();
    this.#have = kept.have;
    const etag = this.#map ? this.#etag : kept.etag;
    const options = { signal, retries: 0, whole: true };
    if (etag) options.headers = { "If-None-Match": etag };
    const ask = () => client.call("getLibrary", { ...this.#query, userId: this.#user }, options);
    const rules = { retries: client.retries, signal, clock: client.clock };
    if (this.#live?.over === false) rules.retries = rules.longest = Infinity;
    try {
      const { body, headers } = await again(ask, rules);
      this.#map = body;
      this.#etag = headers.get("ETag");
    } catch (error) {
      if (error.status === 304) this.#etag = etag;
      else if (error !== this.#live) throw error;
    } finally {
      part();
    }
  }

  // All was handled: the next process need not read this map, unless another tab has another one.
  #settle() {
    const isSame = ([content, revision]) => this.#have[content] === revision;
    return this.#write((kept) => {
      if (Object.entries(kept.have).every(isSame)) kept.etag = this.#etag;
    });
  }

  #note(content, revision) {
    return this.#write((kept) => {
      kept.etag = null;
      for (const have of [this.#have, kept.have]) {
        if (revision === null) delete have[content];
        else have[content] = revision;
      }
    });
  }

  // One after the other, and into what is there now: another tab may have written. What that one
  // has is not to be judged by this one's map, which may be older.
  #write(change) {
    const write = async () => {
      const kept = await this.#kept();
      const before = JSON.stringify(kept);
      change(kept);
      const after = JSON.stringify(kept);
      if (before !== after) await this.#client.storage.set(this.#key, after);
    };
    return (this.#writing = this.#writing.then(write));
  }

  get #key() {
    return `library ${this.#user}`;
  }

  async #kept() {
    try {
      const { have, etag } = JSON.parse(await this.#client.storage.get(this.#key));
      return { have: { ...have }, etag };
    } catch {
      return { have: {}, etag: null };
    }
  }
}
