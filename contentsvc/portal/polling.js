/** What the socket would say, asked for where there is none: a proxy may refuse them all. */

/** Milliseconds between two questions, and after one that nobody answered. */
const PAUSE = 30_000;
const SOON = 5_000;
/** So many new notifications are read at once. */
const MOST = 100;

/** Asks for the number of unread notifications and for the new ones, until it is stopped. */
export class Polling {
  #client;
  #tell;
  /** @type {number | null} the number of the last notification that is known */
  #last = null;
  #timer = 0;
  /** @type {AbortController | null} */
  #running = null;

  /**
   * @param {import("./client.js").Client} client
   * @param {(kind: "unread" | "notification" | "missed" | "answered" | "silent", detail: any) => void} tell
   *   gets what comes as the socket's events have it, and whether the service answers
   */
  constructor(client, tell) {
    this.#client = client;
    this.#tell = tell;
  }

  /** Ask now and then, unless it does already.
   * @param {number | null} last the number of the last notification that came by a socket */
  start(last) {
    if (this.#running) return;
    this.#last = last;
    this.#running = new AbortController();
    void this.#ask();
  }

  /** Ask now: the page is shown again. */
  hurry() {
    if (this.#running) void this.#ask();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#running = null;
  }

  async #ask() {
    const running = this.#running;
    if (!running) return;
    clearTimeout(this.#timer);
    let pause = PAUSE;
    try {
      // A page that nobody sees needs no news.
      if (document.visibilityState !== "hidden") await this.#read(running.signal);
    } catch {
      if (running.signal.aborted) return;
      this.#tell("silent", null);
      pause = SOON;
    }
    if (running.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), pause);
  }

  /** @param {AbortSignal} signal */
  async #read(signal) {
    const options = { signal, retries: 0, timeout: 10 };
    const { newest, unread } = await this.#client.getNotificationState({}, options);
    const last = this.#last ?? newest;
    const isWhole = newest >= last && newest - last <= MOST;
    const found =
      isWhole && newest > last
        ? await this.#client.listNotifications({ after: String(last), limit: newest - last }, options)
        : [];
    signal.throwIfAborted();
    this.#last = newest;
    this.#tell("answered", null);
    this.#tell("unread", { unread });
    if (!isWhole) this.#tell("missed", {});
    for (const notification of found) {
      if (notification.kind !== "Deleted") this.#tell("notification", { notification });
    }
  }
}
