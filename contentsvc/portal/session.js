/** Who is logged in, and what the service says live. There is one client in each tab. */
import { ApiError, Client, exactly } from "./client.js";
import { base } from "./base.js";
import { forgetDrafts } from "./drafts.js";
import { inGame } from "./layout.js";
import { watched } from "./maintenance.js";
import { Polling } from "./polling.js";
import { takeCode } from "./url-secrets.js";

const USER = "contentsvc.user";
/** Milliseconds until what nothing answered is asked for again. */
const PAUSE = 5_000;
/** Milliseconds for which the end of a log-in waits for what is done before. */
const LATE = 3_000;
/** The code of a socket whose log-in has ended. */
const REVOKED = 4403;

/** The refresh token is in a cookie that no script can read. What the client keeps for each user,
 * such as the last notification that was seen, is in the browser's storage. */
const storage = {
  /** @param {string} key */
  get: (key) => localStorage.getItem(`contentsvc.client.${key}`),
  /** @param {string} key @param {string} value */
  set: (key, value) => localStorage.setItem(`contentsvc.client.${key}`, value),
  /** @param {string} key */
  remove: (key) => localStorage.removeItem(`contentsvc.client.${key}`),
};

export const client = new Client(base, {
  client: "portal",
  session: "/portal/session",
  storage,
  fetch: watched,
  // The attributes of content may have ids that no number holds.
  parse: exactly,
});

/**
 * @typedef {object} State
 * @property {{id: string, username: string} | null} user
 * @property {string[]} permissions
 * @property {number} unread
 * @property {ReadonlySet<string>} blocked whom the user blocks
 * @property {"" | "own" | "in-game"} guest whether the user is a guest: of this browser, or of the game that
 *   has opened the page
 * @property {"live" | "polling" | "waiting" | "off"} connection
 */
/** @type {State} */
export let state = {
  user: null,
  permissions: [],
  unread: 0,
  blocked: new Set(),
  guest: "",
  connection: "off",
};

/** Whose log-in takes the place of the present one: the own one again keeps what was typed. */
let returning = "";

/** @type {Set<() => void>} */
const listeners = new Set();

/** @param {Partial<State>} change */
function set(change) {
  state = { ...state, ...change };
  for (const listener of listeners) listener();
}

/** @param {() => void} listener
 * @returns {() => void} which ends it */
export function onState(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What is done before the log-in ends.
 * @type {Set<() => Promise<unknown>>} */
const lasts = new Set();

/** Do this before somebody logs out here; of a log-in that ends elsewhere, when that is known.
 * @param {() => Promise<unknown>} work which never rejects */
export const beforeLogOut = (work) => void lasts.add(work);

/** What comes over the socket, as events such as `notification` with their values in `detail`. What has no
 * number is lost without a socket: with `open`, whoever shows such reads it again. */
export const news = new EventTarget();

/** @param {string} kind @param {any} detail */
function hear(kind, detail) {
  if (kind === "unread") set({ unread: detail.unread });
  else if (kind === "answered") set({ connection: "polling" });
  else if (kind === "silent") set({ connection: "waiting" });
  else news.dispatchEvent(new CustomEvent(kind, { detail }));
}

const polling = new Polling(client, hear);
/** The attempts to connect that may fail before the page asks instead. Where a proxy cuts a socket now
 * and then, the next one is there at once. */
const PATIENCE = 1;

/** @type {import("./client.js").Live | null} */
let live = null;

/** Listen while somebody is logged in and this tab is shown. A tab that another has replaced goes on
 * when it is shown again. */
function listen() {
  if (!state.user || document.visibilityState === "hidden") return;
  if (live) return polling.hurry();
  const mine = client.live();
  live = mine;
  /** @type {number | null} */
  let last = null;
  mine.addEventListener("open", ({ detail }) => {
    last = detail.seq;
    polling.stop();
    set({ connection: "live" });
    hear("open", detail);
  });
  mine.addEventListener("waiting", ({ detail }) => {
    if (detail.attempt > PATIENCE) polling.start(last);
  });
  for (const kind of /** @type {const} */ (["notification", "state", "message", "missed", "unread"])) {
    mine.addEventListener(kind, (/** @type {any} */ { detail }) => {
      if (kind === "notification") last = detail.seq;
      hear(kind, detail);
    });
  }
  mine.addEventListener("ended", (/** @type {any} */ { detail }) => {
    polling.stop();
    if (live === mine) live = null;
    set({ connection: "off" });
    // A new access token is refused, which ends the log-in here too.
    if (detail.code === REVOKED) void client.token({ fresh: true }).catch(() => {});
  });
}

/** Learn whom the user blocks: here, in another tab, or on another device. */
export async function readBlocked() {
  const { user } = state;
  const blocked = user && (await client.blocked().catch(() => null));
  if (blocked && user.id === state.user?.id) set({ blocked });
}

/** Block a player, or take the block back.
 * @param {string} otherId @param {boolean} on */
export async function block(otherId, on) {
  await (on ? client.blockUser({ otherId }) : client.unblockUser({ otherId }));
  const blocked = new Set(state.blocked);
  if (on) blocked.add(otherId);
  else blocked.delete(otherId);
  set({ blocked });
}

document.addEventListener("visibilitychange", () => {
  listen();
  if (document.visibilityState !== "hidden") void readBlocked();
});

/** Whose guest it is who is logged in.
 * @returns {Promise<"own" | "in-game">} */
async function guestOf() {
  const all = await client.listSessions({}).catch(() => []);
  return all.some(({ current, kind }) => current && kind === "portal-in-game") ? "in-game" : "own";
}

/** Learn who is logged in now, what they may do, and whom they block: all is shown at once.
 * @returns {Promise<void>} */
async function settle() {
  const user = client.user;
  const isOther = user && user.id !== state.user?.id;
  const [me, blocked] = isOther
    ? await Promise.all([client.getMe().catch(() => null), client.blocked().catch(() => null)])
    : [null, null];
  const guest = me?.kind === "user" && me.guest ? await guestOf() : "";
  if (user?.id !== client.user?.id) return settle();
  if (user?.id === state.user?.id) return;
  live?.close();
  live = null;
  const permissions = /** @type {string[]} */ (
    !inGame && me?.kind === "user" && me.id === user?.id ? me.permissions : []
  );
  set({ user, permissions, unread: 0, blocked: blocked ?? new Set(), guest, connection: "off" });
  if (user && !blocked) setTimeout(readBlocked, PAUSE);
  if (user) localStorage.setItem(USER, user.id);
  else localStorage.removeItem(USER);
  listen();
}

client.addEventListener("signedout", (event) => {
  const { reason } = event.detail;
  if (reason === "logout" && state.user && state.user.id !== returning) forgetDrafts(state.user.id);
  for (const work of lasts) void work();
  void settle();
});

/** Take up the log-in of the last visit, if there was one. */
export async function restore() {
  if (localStorage.getItem(USER) === null) return;
  try {
    await client.token();
    if (!client.user) localStorage.removeItem(USER);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) localStorage.removeItem(USER);
    else setTimeout(restore, PAUSE);
  }
  await settle();
}

/** @param {{username: string, password: string}} proof */
export async function logIn(proof) {
  await finish();
  await client.logIn(proof);
  await settle();
}

/** @param {string} idToken of an issuer */
export async function logInWith(idToken) {
  await finish();
  await client.logInWith({
    subjectToken: idToken,
    subjectTokenType: "urn:ietf:params:oauth:token-type:id_token",
  });
  await settle();
}

/** Begin without an account. The log-in is this browser's alone. */
export async function logInAsGuest() {
  await finish();
  await client.logInAsGuest();
  await settle();
}

/** Make the guest who is logged in a full account.
 * @param {{username: string, email: string, password: string}} body */
export async function keepGuest(body) {
  await client.putAccount({ body });
  const { user } = state;
  set({ guest: "", user: user && { ...user, username: client.user?.username ?? user.username } });
}

/** Log in with the code of a game.
 * @param {import("./url-secrets.js").PortalCode} proof */
export async function logInWithCode(proof) {
  await finish();
  returning = proof.user;
  try {
    await client.logInWithCode(proof);
  } finally {
    returning = "";
  }
  await settle();
}

/** @typedef {import("./url-secrets.js").PortalCode & {sent: Promise<void> | null}} Opened */
/** @type {Opened | null} */
let opened = null;

/** The code of a game that has come, if one has. It is sent at once, before anything else is asked, unless
 * this browser remembers somebody else: no link of a stranger's is to log them in as that stranger. */
export function open() {
  const code = takeCode();
  if (!code) return null;
  const who = state.user?.id ?? localStorage.getItem(USER);
  const sent = who && who !== code.user ? null : logInWithCode(code);
  sent?.catch(() => {});
  opened = { ...code, sent };
  return opened;
}

/** The same, once. */
export function takeOpened() {
  const found = opened ?? open();
  opened = null;
  return found;
}

/** Do what is done before a log-in ends. A service that does not answer holds up nobody for long. */
function finish() {
  const late = new Promise((resolve) => setTimeout(resolve, LATE));
  return Promise.race([Promise.all([...lasts].map((work) => work())), late]);
}

/** End the log-in, in all tabs, and forget what was typed. */
export async function logOut() {
  await finish();
  await client.logOut();
  await settle();
}

/** Give the one who is logged in another name.
 * @param {string} username */
export async function rename(username) {
  await client.setUsername({ body: { username } });
  set({ user: client.user });
}

/** @param {string} permission */
export function may(permission) {
  return state.permissions.includes(permission);
}
