/** The number of notifications to show as unread, by the rule of docs/interface/socket.md. */
export class Unread {
  #tell;
  #at = 0;
  #unread = null; // until it is known
  #above = new Set();
  #told;
  #message = -1; // the number of the last state that came by this socket
  #reading;

  constructor(tell) {
    this.#tell = tell;
  }

  /** A message, or a hello that is not resumed: up to `seq`, `unread` are not read. */
  state({ seq, unread }) {
    this.#message = seq;
    this.#set(seq, unread);
  }

  /** A hello that is resumed: its number counts a backlog that is still to come. */
  async read(ask) {
    this.#message = -1;
    const reading = (this.#reading = {});
    try {
      const { newest, unread } = await ask();
      if (this.#reading === reading && newest > this.#message) this.#set(newest, unread);
    } catch {
      // The next state, or the next connection, says it.
    }
  }

  notified(seq, { read }) {
    if (read || seq <= this.#at) return;
    this.#above.add(seq);
    this.#say();
  }

  /** The log has changed: a state follows. */
  forget() {
    this.#above.clear();
    this.#message = -1;
    this.#say();
  }

  #set(seq, unread) {
    this.#at = seq;
    this.#unread = unread;
    for (const each of this.#above) if (each <= seq) this.#above.delete(each);
    this.#say();
  }

  #say() {
    const unread = this.#unread + this.#above.size;
    if (this.#unread === null || unread === this.#told) return;
    this.#told = unread;
    this.#tell(unread);
  }
}
