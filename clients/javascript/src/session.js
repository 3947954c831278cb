import { sleep } from "./clock.js";
import { guid } from "./guid.js";
import { ApiError } from "./errors.js";
import { Storage } from "./storage.js";
import { Tabs } from "./tabs.js";

const KEY = "session";
const SECRET = "guest";
const MARGIN = 60_000; // milliseconds before its end in which an access token is renewed
const SERVICE_ENDED = new Set(["invalid_client", "invalid_scope"]);
const ATTEMPT = 7; // seconds: all four are within the 30 in which the service takes a token again

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return null; // another program's, or a torn write
  }
};

// Random bits, and as many different letters as the service asks for.
const made = () => `${guid()}${guid()}-GHIJKLMNOPQRSTU`;

/**
 * At most one log-in. Its record is {key, count, id, username, refresh, guest}: `key` names the
 * log-in, `count` its renewals, so that tabs know the newest. With `cookie`, a path, the refresh
 * token is in a cookie that no script sees.
 */
export class Session {
  #client;
  #cookie;
  #stores;
  #tabs;
  #record = null;
  #access = null;
  #restored; // true, or the promise of it
  #renewing;
  #ending = null; // the refusal that ended the log-in
  #memory = new Storage(); // of a guest's secret, where only a cookie outlives the page

  constructor(client, cookie, stores) {
    this.#client = client;
    this.#cookie = cookie;
    this.#stores = stores;
    const name = stores || cookie ? `contentsvc ${client.base}` : null;
    this.#tabs = new Tabs(name, (message) => this.#hear(message), client.clock);
  }

  get user() {
    const { id, username } = this.#record ?? {};
    return id ? { id, username } : null;
  }

  /** A user has another name from now on: perhaps the one who is logged in. */
  async rename(id, username) {
    if (this.#record?.id !== id) return;
    this.#record.username = username; // the same record: a renewal may be under way
    await this.#client.storage.set(KEY, JSON.stringify(this.#record));
    if (this.#access)
      this.#tell({ token: this.#access.token, left: this.#access.expires - this.#client.clock.now() });
  }

  async logIn(form, options) {
    const asked = this.#client.clock.now();
    const guest = form.secret && true;
    const answer = await this.#grant(form, { ...options, repeatable: !!guest });
    const key = this.#cookie ? "" : guid();
    const record = await this.#named({ key, count: 0, guest }, answer, options);
    if (this.#record) this.#leave("logout");
    await this.#keep(record, answer, asked);
    return this.user;
  }

  /** The form's secret is kept before it is sent: who asks again is the same guest. */
  async logInAsGuest(form, options) {
    const storage = this.#cookie ? this.#memory : this.#client.storage;
    let secret;
    await this.#tabs.alone(async () => {
      if (!(await storage.get(SECRET))) await storage.set(SECRET, made());
      secret = await storage.get(SECRET); // without locks another tab may have been later
    });
    let isOver = this.#cookie;
    try {
      return await this.logIn({ ...form, secret }, options);
    } catch (error) {
      isOver = error.code === "invalid_grant" && secret === (await storage.get(SECRET));
      throw error;
    } finally {
      if (isOver) await storage.remove(SECRET);
    }
  }

  /** The guest who is logged in, if so, is a full account from now on, perhaps of another name. */
  async becameFull() {
    const record = this.#record;
    if (!record?.guest) return;
    record.guest = undefined;
    await this.#client.storage.remove(SECRET);
    const named = await this.#named({}, { userId: record.id }).catch(() => record);
    await this.rename(record.id, named.username);
  }

  /** Act as a service account, whose secret gets each token: neither is kept or shared. */
  async logInAsService(form, options) {
    const asked = this.#client.clock.now();
    const answer = await this.#grant(form, { ...options, repeatable: true });
    if (this.#record) this.#leave("logout");
    this.#record = { key: guid(), count: 0, form };
    this.#ending = null;
    this.#hold(answer.access_token, asked + answer.expires_in * 1000);
  }

  async logOut(options) {
    await this.restore();
    const record = this.#record;
    if (!record) return;
    const token = record.form ? this.#access.token : !this.#cookie && record.refresh;
    if (record.form) this.#leave("logout");
    else await this.#end("logout");
    const sent = { ...options, authorize: false, repeatable: true };
    if (token) await this.#client.request("POST", "/oauth/revoke", { ...sent, form: { token } });
    else await this.#client.request("DELETE", this.#cookie, sent);
  }

  /** Read what the storage has of a log-in, once. */
  restore() {
    if (!this.#restored) {
      const read = this.#read().then(() => this.#restored === read && (this.#restored = true));
      this.#restored = read;
    }
    return this.#restored;
  }

  /** The same as `token` gives, where that need not wait; else undefined. */
  get held() {
    const held = this.#access;
    if (!this.#record) return this.#restored === true ? null : undefined;
    if (held && this.#client.clock.now() < held.stale) return held.token;
  }

  /**
   * An access token that is good for a while, null if nobody is logged in. `refused` is one that
   * the service refused, or true for the present one.
   */
  async token(refused) {
    await this.restore();
    if (!this.#record) {
      if (refused && this.#ending) throw this.#ending; // it was begun before the end
      return null;
    }
    const held = this.#access;
    const isRefused = held && (refused === true || refused === held.token);
    const { clock } = this.#client;
    if (!isRefused && this.held) return held.token;
    try {
      await (this.#renewing ??= this.#renew(held).finally(() => (this.#renewing = null)));
    } catch (error) {
      if (isRefused || this.#access !== held || !(clock.now() < held?.expires)) throw error;
    }
    return this.#access?.token ?? null;
  }

  async #read() {
    const there = await this.#there();
    // A cookie may be there that only the service sees.
    this.#record ??= there ?? (this.#cookie && !this.#stores ? { key: "", count: 0 } : null);
  }

  async #there() {
    const there = parsed(await this.#client.storage.get(KEY));
    return there?.id && (this.#cookie || there.refresh) ? there : null;
  }

  #renew(held) {
    if (this.#record.form) return this.#again();
    const renew = async () => {
      const asked = this.#client.clock.now();
      const record = await this.#newest();
      const form = { grant_type: "refresh_token" };
      if (!this.#cookie) form.refresh_token = record.refresh;
      try {
        const timeout = Math.min(ATTEMPT, this.#client.timeout);
        const answer = await this.#grant(form, { repeatable: true, timeout });
        if (record.id && answer.userId !== record.id) this.#replaced(); // it has the cookie
        const named = await this.#named(record, answer);
        if (this.#record === record) await this.#keep(named, answer, asked);
      } catch (error) {
        const isOver = error.code === "invalid_grant" || (this.#cookie && error.status === 401);
        if (!isOver || this.#record !== record) throw error;
        // Another tab may have been faster, and this one has not heard of it.
        if ((await this.#newest()) !== record) return renew();
        this.#ending = error;
        await this.#end("ended");
        if (record.id) throw error; // else there was only a cookie to try
      }
    };
    return this.#tabs.alone(renew, () => this.#access !== held);
  }

  // The next token of a service account.
  async #again() {
    const record = this.#record;
    const asked = this.#client.clock.now();
    try {
      const answer = await this.#grant(record.form, { repeatable: true });
      const { access_token, expires_in } = answer;
      if (this.#record === record) this.#hold(access_token, asked + expires_in * 1000);
    } catch (error) {
      if (!SERVICE_ENDED.has(error.code) || this.#record !== record) throw error;
      this.#ending = error;
      this.#leave("ended");
      throw error;
    }
  }

  // The record with the newest token, of this tab's and the storage's.
  async #newest() {
    const there = await this.#there();
    const record = this.#record;
    if (there && record && !this.#isSame(there)) this.#replaced();
    if (there && record && there.count > record.count) this.#record = there;
    return this.#record;
  }

  // What this user began is not to be done as another. The next call finds the other log-in.
  #replaced() {
    this.#leave("logout");
    this.#restored = null;
    throw new ApiError(401, { code: "invalid_grant", detail: "Another log-in took its place." });
  }

  #isSame({ key, id }) {
    return key === this.#record.key && (!this.#record.id || id === this.#record.id);
  }

  #grant(form, options) {
    const path = (form.client_secret ? null : this.#cookie) ?? "/oauth/token";
    return this.#client.request("POST", path, { ...options, form });
  }

  async #named(record, { userId }, options) {
    if (record.id === userId) return record;
    const path = `/api/v1/user/${userId}/info`;
    const { username } = await this.#client.request("GET", path, {
      ...options,
      authorize: false,
    });
    return { ...record, id: userId, username };
  }

  async #keep(record, { access_token, expires_in, refresh_token }, asked) {
    this.#record = { ...record, count: record.count + 1, refresh: refresh_token };
    this.#ending = null;
    this.#hold(access_token, asked + expires_in * 1000);
    await this.#client.storage.set(KEY, JSON.stringify(this.#record));
    this.#tell({ token: access_token, left: this.#access.expires - this.#client.clock.now() });
  }

  #hold(token, expires) {
    const left = expires - this.#client.clock.now();
    this.#access = { token, expires, stale: expires - Math.min(MARGIN, left / 5) };
  }

  async #end(reason) {
    this.#tell({ ended: reason });
    this.#leave(reason);
    await this.#client.storage.remove(KEY);
  }

  #leave(reason) {
    const isAnyone = this.user || this.#record?.form;
    this.#record = this.#access = null;
    if (!isAnyone) return;
    this.#client.dispatchEvent(new CustomEvent("signedout", { detail: { reason } }));
  }

  #tell(message) {
    this.#tabs.tell({ record: this.#record, ...message });
  }

  #hear({ record, token, left, ended }) {
    if (this.#record?.form) return; // a service account is this client's alone
    if (!this.#record) this.#restored = ended ? this.#restored : null;
    else if (this.#isSame(record)) {
      if (ended) return this.#leave(ended);
      this.#record = record;
      this.#hold(token, this.#client.clock.now() + left);
    } else if (!ended) this.#look();
  }

  // Another log-in was made: on the same storage? What another process writes to localStorage may
  // come later than its message.
  async #look() {
    for (const pause of [0, 100, 1000]) {
      await sleep(pause, undefined, this.#client.clock);
      if (!this.#record) return;
      await this.#newest().catch(() => {});
    }
  }
}
