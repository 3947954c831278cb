import { again } from "./again.js";
import { linked, system, unless } from "./clock.js";
import { ApiError, NetworkError } from "./errors.js";
import { guid } from "./guid.js";
import { written } from "./json.js";
import * as lists from "./lists.js";
import { OPERATIONS } from "./operations.js";
import { Session } from "./session.js";
import { Storage } from "./storage.js";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const GUEST = "urn:contentsvc:grant:guest";
const PORTAL_CODE = "urn:contentsvc:grant:portal-code";

/** A client of one service, for at most one user at a time. Each operation is a method. */
export class Client extends EventTarget {
  #session;

  constructor(base, options = {}) {
    super();
    this.base = new URL(base, globalThis.location?.href).href.replace(/\/+$/, "");
    this.kind = options.client ?? "game";
    this.timeout = options.timeout ?? 30;
    this.retries = options.retries ?? 3;
    this.clock = options.clock ?? system;
    this.parse = options.parse ?? ((text) => JSON.parse(text));
    this.fetch = options.fetch ?? ((url, request) => globalThis.fetch(url, request));
    this.WebSocket = options.WebSocket ?? globalThis.WebSocket;
    const { storage, session } = options;
    this.storage = new Storage(storage, `contentsvc ${this.base} `, this.clock);
    this.#session = new Session(this, session, !!storage);
  }

  /** Who is logged in: {id, username}, or null. */
  get user() {
    return this.#session.user;
  }

  logIn({ username, password }, options) {
    return this.#session.logIn({ grant_type: "password", username, password }, options);
  }

  logInWith({ subjectToken, subjectTokenType }, options) {
    const form = { subject_token: subjectToken, subject_token_type: subjectTokenType };
    return this.#session.logIn({ grant_type: EXCHANGE, ...form }, options);
  }

  /** Begin without an account, or go on as the guest of before. */
  logInAsGuest(options) {
    return this.#session.logInAsGuest({ grant_type: GUEST }, options);
  }

  /** For pages of the service itself: log in with a game's portal code. */
  logInWithCode({ code, user }, options) {
    return this.#session.logIn({ grant_type: PORTAL_CODE, code, user }, options);
  }

  /** Act as a service account, by its id and a secret, with all its scopes or those in `scope`. */
  logInAsService({ account, secret, scope }, options) {
    const form = { client_id: account, client_secret: secret, ...(scope ? { scope } : {}) };
    return this.#session.logInAsService({ grant_type: "client_credentials", ...form }, options);
  }

  logOut(options) {
    return this.#session.logOut(options);
  }

  /** An access token that is good for a while; null if nobody is logged in. `fresh`: true if the
   * service refused the present one, or the token that it refused. */
  token({ fresh, signal } = {}) {
    return unless(signal, this.#session.token(fresh));
  }

  part(name, parameters, options) {
    return lists.part(this, name, parameters, options);
  }

  each(name, parameters, options) {
    return lists.each(this, name, parameters, options);
  }

  /** The answer of an operation as the text that came, in which all numbers are exact. */
  text(name, parameters, options) {
    return this.call(name, parameters, { ...options, text: true });
  }

  /** Call an operation by its id. */
  async call(name, given = {}, options) {
    const operation = OPERATIONS.get(name);
    if (!operation) throw new TypeError(`There is no operation ${name}.`);
    const { method, parts, key, form } = operation;
    let { repeatable } = operation;
    if (given.userId == null && parts.includes("userId")) {
      await this.token(options); // a restored log-in may not say whose it is before
      given = { ...given, userId: this.user?.id };
    }
    let path = parts[0];
    for (let index = 1; index < parts.length; index += 2) {
      const variable = parts[index];
      const value = `${given[variable] ?? ""}`;
      // Dots would be taken for other paths, however they are written. A proxy may decode slashes first.
      if (/^\.?$|(^|[/\\])\.\.($|[/\\])/.test(value))
        throw new TypeError(`${name}: ${variable} is "${value}".`);
      path += encodeURIComponent(value) + parts[index + 1];
    }
    let mark = "?";
    for (const member in given) {
      if (given[member] == null || member === "body" || parts.includes(member)) continue;
      const value = given[member];
      const isMap = typeof value === "object" && !Array.isArray(value);
      const named = isMap
        ? Object.entries(value).map(([key, each]) => [`${member}.${key}`, each])
        : [[member, value]];
      if (!named.length) continue;
      path += mark + new URLSearchParams(named);
      mark = "&";
    }
    let { body } = given;
    if (key && typeof body === "string")
      repeatable = false; // who knows what is in it
    else if (key && body?.[key] == null) body = { ...body, [key]: guid() };
    const content = form ? { form: body } : { body };
    const answer = await this.request(method, path, { repeatable, ...options, ...content });
    if (name === "setUsername") await this.#session.rename(given.userId, body?.username);
    if (name === "putAccount" || name === "linkIdentity") await this.#session.becameFull();
    return answer;
  }

  /**
   * Send a request and decode the answer. `body` becomes JSON, unless it is a text of JSON, `form` a
   * form, which has no access token. With `whole` the answer is {body, headers}, with `text` its text.
   * `token` is sent in place of that of the log-in.
   */
  async request(method, path, options = {}) {
    const { signal, form, token: own, authorize = !form } = options;
    const { repeatable = method !== "POST", retries = this.retries } = options;
    const url = this.base + path;
    const rules = { retries, signal, repeatable, clock: this.clock };
    const send = (token) => again(() => this.#send(method, url, token, options), rules);
    let token = own ?? (authorize ? this.#session.held : null);
    if (token === undefined) token = await this.token({ signal });
    try {
      return await send(token);
    } catch (error) {
      const isRefused = !own && token && error.status === 401 && error.code === "invalid_token";
      const fresh = isRefused && (await this.token({ fresh: token, signal }));
      if (!fresh) throw error;
      return send(fresh);
    }
  }

  async #send(method, url, token, options) {
    const { body, form, headers, signal, whole, text: asText, timeout, seen } = options;
    const [stop, part] = linked(signal);
    const { clock, fetch } = this;
    // In lower case, as an instance of Headers has them.
    const heads = headers ? Object.fromEntries(new Headers(headers)) : {};
    if (token) heads.authorization = `Bearer ${token}`;
    if (body !== undefined) heads["content-type"] = "application/json";
    if (seen && method !== "GET") {
      if (!seen.etag) throw new TypeError("Nothing was read.");
      heads["if-match"] = seen.etag;
    }
    const json = typeof body === "string" ? body : written(body);
    const content = form ? new URLSearchParams(form) : json;
    const most = timeout ?? this.timeout;
    const late = () => stop.abort(new Error(`No answer came within ${most} s.`));
    const timer = clock.setTimeout(late, most * 1000);
    try {
      const response = await fetch(url, {
        method,
        headers: heads,
        body: content,
        signal: stop.signal,
      });
      if (!response.ok) throw await ApiError.of(response, this.parse);
      const text = await response.text();
      if (seen && method === "GET") seen.etag = response.headers.get("ETag");
      if (asText) return text;
      let found = text ? this.parse(text) : undefined;
      const location = response.headers.get("Location");
      if (location) found = { location, ...found };
      return whole ? { body: found, headers: response.headers } : found;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      signal?.throwIfAborted();
      const cause = stop.signal.reason ?? error;
      throw new NetworkError(`${method} ${url}: ${cause.message}`, { cause });
    } finally {
      clock.clearTimeout(timer);
      part();
    }
  }
}

for (const name of OPERATIONS.keys()) {
  Client.prototype[name] = function (parameters, options) {
    return this.call(name, parameters, options);
  };
}
