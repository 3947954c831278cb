/** A service in memory for Live: sockets, session/connect and time are the test's. */
import { Clock, json, loggedInWorld, Service, settled } from "./fakes.js";

const guid = (seq) => `00000000-0000-4000-8000-${String(seq).padStart(12, "0")}`;

/** A world in which Ada is logged in. */
export class World {
  clock = new Clock();
  sockets = [];
  #service = new Service();
  state = { newest: 0, unread: 0 };
  connect = () => json(200, { socketUrl: "ws://service/socket", accessToken: "socket" });

  constructor(storage) {
    const world = this;
    this.storage = storage;
    this.WebSocket = class {
      sent = [];
      constructor() {
        world.sockets.push(this);
      }
      send(text) {
        this.sent.push(JSON.parse(text));
      }
      close() {
        this.isClosed = true;
      }
      say(message) {
        this.onmessage?.({ data: JSON.stringify(message) });
      }
      hello(seq, unread = 0) {
        this.onopen();
        this.say({ type: "hello", seq, id: seq ? guid(seq) : null, unread, heartbeat: 15 });
      }
      notify(...seqs) {
        for (const seq of seqs) {
          const notification = { id: guid(seq), kind: "Debug", read: false, text: `${seq}` };
          this.say({ type: "notification", seq, notification });
        }
      }
    };
  }

  get socket() {
    return this.sockets.at(-1);
  }

  async #fetch(url, init) {
    if (url.endsWith("/session/connect")) return this.connect();
    if (url.endsWith("/state")) return json(200, this.state);
    return this.#service.fetch(url, init);
  }

  /** A client whose user is logged in. All of a world have one clock. */
  async client() {
    const { clock, storage, WebSocket } = this;
    const fetch = (...request) => this.#fetch(...request);
    const { client } = await loggedInWorld({ clock, storage, WebSocket, fetch });
    return client;
  }

  /** A Live whose first socket is made, and what it tells: [type, detail]. */
  async live(options) {
    const live = (await this.client()).live(options);
    const told = [];
    const types = ["open", "notification", "unread", "state", "missed", "message", "waiting", "ended"];
    for (const type of types) {
      live.addEventListener(type, ({ detail }) => told.push([type, detail]));
    }
    await settled();
    return { live, told };
  }
}

/** The numbers of the notifications among what was told. */
export const seqs = (told) => told.filter(([type]) => type === "notification").map(([, { seq }]) => seq);
