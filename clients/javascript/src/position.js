/**
 * Up to where a user's notifications were handled, in the storage: {seq, id, over}, where `over`
 * are numbers above `seq` that were handled too.
 */
export class Position {
  #storage;
  #key;
  #now;
  #given = new Map(); // above `seq`: ids by their numbers
  #over;
  #forced = false;
  #writing;

  /** Where `storage` is, unless it is said. */
  static async of({ storage, user }, said) {
    const key = `live ${user.id}`;
    const there = said ? null : await read(storage, key);
    return new Position(storage, key, said, there);
  }

  constructor(storage, key, said, there) {
    this.#storage = storage;
    this.#key = key;
    this.#over = new Set(there?.over);
    this.start = said ?? (there && { seq: there.seq, id: there.id });
    this.#now = this.start;
    this.#forced = !!said;
  }

  /** The numbers begin anew after this one: the log has changed. */
  replace(place) {
    this.#given.clear();
    this.#over.clear();
    this.#now = place;
    this.#forced = true;
    this.#write();
  }

  /** One is given to the program. False if it was handled before a restart. */
  give({ seq, id }) {
    this.#given.set(seq, id);
    if (!this.#over.has(seq)) return true;
    this.#advance();
    return false;
  }

  /** This one was handled. */
  done(seq) {
    if (!this.#given.has(seq)) return;
    this.#over.add(seq);
    this.#advance();
  }

  #advance() {
    for (const [seq, id] of this.#given) {
      if (!this.#over.delete(seq)) break;
      this.#now = { seq, id };
      this.#given.delete(seq);
    }
    this.#write();
  }

  #write() {
    this.#writing ??= this.#store().finally(() => (this.#writing = null));
  }

  // What is handled meanwhile is written with it.
  async #store() {
    for (let written; written !== this.#text();) {
      const there = await read(this.#storage, this.#key);
      written = this.#text();
      // Another of the same user may have come further.
      if (!this.#forced && there?.seq > this.#now.seq) continue;
      this.#forced = false;
      await this.#storage.set(this.#key, written);
    }
  }

  #text() {
    return JSON.stringify({ ...this.#now, over: [...this.#over] });
  }
}

async function read(storage, key) {
  try {
    const found = JSON.parse(await storage.get(key));
    return Number.isSafeInteger(found?.seq) && Array.isArray(found.over) ? found : null;
  } catch {
    return null;
  }
}
