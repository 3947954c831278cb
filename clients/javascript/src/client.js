import { again } from "./again.js";
import { linked, system, unless } from "./clock.js";
import { ApiError, NetworkError } from "./errors.js";
import { guid } from "./guid.js";
import * as lists from "./lists.js";
import { OPERATIONS } from "./operations.js";
import { Session } from "./session.js";
import { Storage } from "./storage.js";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

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
    this.fetch = options.fetch ?? ((...request) => globalThis.fetch(...request));
    this.WebSocket = options.WebSocket ?? globalThis.WebSocket;
    const { storage, session } = options;
    this.storage = new Storage(storage, `contentsvc ${this.base} `, this.clock);
    this.#session = new Session(this, {
      cookie: session,
      stores: !!storage,
      shared: !!(storage || session),
    });
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

  /** Call an operation by its id. */
  async call(name, { body, ...parameters } = {}, options) {
    const { method, path, repeatable, key, form } = OPERATIONS.get(name) ?? {};
    if (!method) throw new TypeError(`There is no operation ${name}.`);
    if (path.includes("{userId}") && parameters.userId == null) {
      await this.token(options); // a restored log-in may not say whose it is before
      parameters.userId = this.user?.id;
    }
    const filled = path.replace(/{(\w+)}/g, (_, variable) => {
      const value = String(parameters[variable] ?? "");
      delete parameters[variable];
      // Dots would be taken for other paths, however they are written.
      if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name}: ${variable} is "${value}".`);
      return encodeURIComponent(value);
    });
    const sent = { repeatable, ...options, query: parameters };
    if (form) return this.request(method, filled, { ...sent, form: body, authorize: false });
    if (key) body = { ...body, [key]: body?.[key] ?? guid() };
    return this.request(method, filled, { ...sent, body });
  }

  /**
   * Send a request and decode the answer. `body` becomes JSON, `form` a form. With `whole` the
   * answer is {body, headers}.
   */
  async request(method, path, { authorize = true, ...options } = {}) {
    const { signal } = options;
    const { repeatable = method !== "POST", retries = this.retries } = options;
    const url = this.base + path + search(options.query);
    const rules = { retries, signal, repeatable, clock: this.clock };
    const send = (token) => again(() => this.#send(method, url, token, options), rules);
    const token = authorize ? await this.token({ signal }) : null;
    try {
      return await send(token);
    } catch (error) {
      if (!token || error.status !== 401 || error.code !== "invalid_token") throw error;
      const fresh = await this.token({ fresh: token, signal });
      if (!fresh) throw error;
      return send(fresh);
    }
  }

  async #send(method, url, token, { body, form, headers, signal, whole, timeout }) {
    const [stop, part] = linked(signal);
    const { clock } = this;
    const sent = { ...headers };
    if (token) sent.Authorization = `Bearer ${token}`;
    if (body !== undefined) sent["Content-Type"] = "application/json";
    const content = form ? new URLSearchParams(form) : JSON.stringify(body);
    const most = timeout ?? this.timeout;
    const late = () => stop.abort(new Error(`No answer came within ${most} s.`));
    const timer = clock.setTimeout(late, most * 1000);
    try {
      const { fetch } = this;
      const response = await fetch(url, {
        method,
        headers: sent,
        body: content,
        signal: stop.signal,
      });
      if (!response.ok) throw await ApiError.of(response);
      const found = await decoded(response);
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

function search(query) {
  const given = Object.entries(query ?? {})
    .filter(([, value]) => value != null)
    .flatMap(([name, value]) =>
      typeof value === "object" && !Array.isArray(value)
        ? Object.entries(value).map(([key, each]) => [`${name}.${key}`, each])
        : [[name, value]],
    );
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

async function decoded(response) {
  const text = await response.text();
  const body = text ? JSON.parse(text) : undefined;
  const location = response.headers.get("Location");
  return location ? { location, ...body } : body;
}
