import { sleep } from "./clock.js";
import { Position } from "./position.js";
import { Unread } from "./unread.js";

const FIRST = 0.5; // seconds before a new connection, doubled up to LAST with each that fails
const LAST = 30;
const HEARTBEAT = 15; // seconds, until a hello says how many
const PATIENCE = 10; // seconds until a socket has opened, and until something answers a ping
const MOST = 1000; // notifications that wait for an iterator or a listener
const FINAL = [4403, 4409, 4410];
const MISSED = ["log_changed", "seq_ahead", "trimmed", "invalid_resume"];
const LOGGED_OUT = { over: 4401, reason: "nobody is logged in, or another user" };

const between = (low, high) => low + Math.random() * (high - low);
const object = (text, parse) => {
  try {
    return parse(text) ?? {};
  } catch {
    return {};
  }
};

/** A user's notifications, each once and in order, over one socket after another. */
export class Live extends EventTarget {
  /** Whether it has ended. */
  over = false;
  #client;
  #position;
  #found; // a promise of it
  #unread;
  #confirm;
  #user;
  #last; // {seq, id} of the last that was given, null before the first hello
  #attempt = 0;
  #pause = FIRST; // seconds
  #mayJump = false;
  #gap; // the number after which one is missing
  #socket;
  #isOpen; // after hello
  #leave; // ends this connection: {over, reason, least, pause}
  #heartbeat;
  #timer;
  #wake = new AbortController();
  #queue = []; // what no iterator has been asked for; null where there are only listeners
  #isIterated = false;
  #current;
  #asking = [];

  constructor(client, { resume, confirm = false } = {}) {
    super();
    if (!client.WebSocket) throw new TypeError("There is no WebSocket: give the option.");
    const seq = resume?.seq ?? resume;
    if (seq != null && !(Number.isSafeInteger(seq) && seq >= 0)) {
      throw new TypeError("resume is {seq, id}, or 0.");
    }
    this.#client = client;
    this.#confirm = confirm;
    this.#last = seq == null ? null : { seq, id: resume.id ?? null };
    this.#unread = new Unread((unread) => this.#tell("unread", { unread }));
    globalThis.addEventListener?.("online", this.#online);
    this.#run();
  }

  /** Listeners take what comes from now on, unless there is an iterator. */
  addEventListener(type, ...rest) {
    super.addEventListener(type, ...rest);
    if (type === "notification") this.#pass();
  }

  #pass() {
    if (this.#isIterated) return;
    for (const { seq } of this.#queue ?? []) if (!this.#confirm) this.#position.done(seq);
    this.#queue = null;
  }

  /** With `confirm`: this one was handled. */
  seen(seq) {
    this.#position?.done(seq);
  }

  /** End it. What was not handled is given again next time. */
  close() {
    this.#end(1000, "");
  }

  /** {seq, notification} of each; what was given is handled when the next is asked for. */
  [Symbol.asyncIterator]() {
    this.#isIterated = true;
    this.#queue ??= [];
    const next = () => {
      if (!this.#confirm) this.#position?.done(this.#current?.seq);
      return new Promise((resolve) => {
        this.#asking.push(resolve);
        this.#hand();
      });
    };
    return { next, return: async (value) => ({ done: true, value }) };
  }

  #hand() {
    while (this.#asking.length && (this.#queue?.length || this.over)) {
      const value = this.#queue.shift();
      if (value) this.#current = value;
      this.#asking.shift()({ value, done: !value });
    }
  }

  #begin() {
    this.#attempt = 0;
    this.#pause = FIRST;
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  #online = () => {
    this.#begin();
    if (this.#leave) this.#leave({ reason: "online", pause: 0 });
    else this.#wake.abort();
  };

  #end(code, reason) {
    if (this.over) return;
    this.over = true;
    globalThis.removeEventListener?.("online", this.#online);
    this.#leave?.({});
    this.#wake.abort();
    if (code === 1000) {
      this.#pass();
      this.#queue &&= [];
    }
    this.#tell("ended", { code, reason });
    this.#hand();
  }

  async #run() {
    while (!this.over) {
      const { over, reason, least = 0, pause } = await this.#connection().catch(refusal);
      if (over) this.#end(over, reason);
      if (this.over) return;
      if (pause === 0) continue;
      const seconds = Math.max(this.#pause * between(0.5, 1.5), least * between(1, 1.5));
      this.#pause = Math.min(2 * Math.max(this.#pause, least), LAST);
      this.#attempt += 1;
      this.#wake = new AbortController();
      this.#tell("waiting", { attempt: this.#attempt, seconds, reason });
      await sleep(seconds * 1000, this.#wake.signal, this.#client.clock).catch(() => {});
    }
  }

  // One connection from its token to its end: {over, reason, least, pause}, where `over` is the code
  // after which there is no other.
  async #connection() {
    const client = this.#client;
    const left = new Promise((resolve) => (this.#leave = resolve));
    try {
      const where = await Promise.race([this.#ask(), left]);
      if (!where.socketUrl || this.over) return where;
      this.#open(new client.WebSocket(where.socketUrl), where.accessToken);
      return await left;
    } finally {
      this.#drop();
    }
  }

  async #ask() {
    const client = this.#client;
    const path = "/api/v1/session/connect";
    const token = await client.token();
    const id = client.user?.id;
    if (!token || (this.#user && this.#user !== id)) return LOGGED_OUT;
    this.#user = id;
    this.#position = await (this.#found ??= Position.of(client, this.#last));
    this.#last ??= this.#position.start;
    const where = await client.request("POST", path, { body: { client: client.kind }, retries: 0 });
    return client.user?.id === id ? where : LOGGED_OUT;
  }

  #open(socket, token) {
    this.#socket = socket;
    this.#isOpen = this.#mayJump = false;
    this.#heartbeat = HEARTBEAT;
    let least;
    let said = "";
    const { seq, id } = this.#last ?? {};
    socket.onopen = () => {
      const resume = seq === undefined ? {} : { resume: seq, ...(seq && id && { resumeId: id }) };
      socket.send(JSON.stringify({ type: "auth", token, ...resume }));
      this.#watch();
    };
    socket.onmessage = ({ data }) => {
      this.#watch();
      const message = object(typeof data === "string" ? data : null, this.#client.parse);
      if (message.type === "goodbye") least = +message.retryAfter || 0;
      if (message.type === "error") said = message.detail;
      this.#take(message);
    };
    socket.onerror = () => {};
    socket.onclose = ({ code, reason }) => {
      const over = FINAL.includes(code) ? code : null;
      this.#leave?.({ over, reason: said || reason || `closed with ${code}`, least });
    };
    this.#after(PATIENCE, () => this.#lose());
  }

  #lose() {
    this.#leave?.({ reason: "nothing came" });
  }

  #drop() {
    const socket = this.#socket;
    this.#leave = this.#socket = null;
    this.#isOpen = false;
    this.#client.clock.clearTimeout(this.#timer);
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close(1000); // waits for nobody: a dead connection would not answer
  }

  #after(seconds, work) {
    const { clock } = this.#client;
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(work, seconds * 1000);
  }

  // Browsers hide the service's pings, so one is sent into each silence, before hello too.
  #watch() {
    this.#after(this.#heartbeat, () => {
      this.#socket.send('{"type":"ping"}');
      this.#after(PATIENCE, () => this.#lose());
    });
  }

  #take(message) {
    const { type, code, seq } = message;
    if (type === "hello") this.#hello(message);
    else if (type === "notification") this.#notified(message);
    else if (type === "state") {
      this.#unread.state(message);
      this.#tell("state", { seq, unread: message.unread });
    } else if (type === "error" && MISSED.includes(code)) {
      this.#mayJump = code !== "log_changed";
      if (code === "log_changed") this.#restart(seq, message.id);
      if (code !== "trimmed") this.#unread.forget();
      this.#tell("missed", { code });
    } else if (type && type !== "pong" && type !== "goodbye") this.#tell("message", message);
  }

  #restart(seq, id) {
    this.#last = { seq, id };
    this.#gap = undefined;
    this.#position.replace(this.#last);
  }

  #hello({ seq, id, unread, heartbeat }) {
    const last = this.#last;
    this.#isOpen = true;
    this.#begin();
    this.#heartbeat = Math.min(heartbeat ?? HEARTBEAT, LAST);
    // After a restore the newest is below what was asked for.
    if (seq !== last?.seq) this.#restart(seq, id);
    else this.#last = { seq, id: id ?? last.id };
    if (!last) this.#unread.state({ seq, unread });
    else this.#unread.read(() => this.#client.call("getNotificationState"));
    this.#tell("open", { seq });
  }

  #notified({ seq, notification }) {
    const last = this.#last?.seq;
    if (!this.#isOpen || seq <= last) return;
    if (seq > last + 1 && !this.#mayJump) {
      if (this.#gap !== last) {
        this.#gap = last;
        this.#leave({ reason: "a number is missing", pause: 0 });
        this.#drop();
        return;
      }
      this.#tell("missed", { code: "trimmed" });
    }
    this.#mayJump = false;
    this.#last = { seq, id: notification.id };
    this.#unread.notified(seq, notification);
    if (!this.#position.give(this.#last)) return;
    const value = { seq, notification };
    if (this.#queue?.push(value) > MOST) this.#pass();
    this.#tell("notification", value);
    if (!this.#confirm && !this.#queue) this.#position.done(seq);
    this.#hand();
  }
}

// What a refusal of session/connect, or no answer, means.
function refusal(error) {
  const reason = error.message;
  if (error.status === 401 || error.code === "invalid_grant") return { over: 4401, reason };
  if (error.status === 403) return { over: 4403, reason };
  return { reason, least: error.retryAfter ?? 0 };
}
