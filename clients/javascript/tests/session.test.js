// Log-ins and their renewal, against a service that does as a test says.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { ApiError, NetworkError } from "../src/index.js";
import {
  Kept,
  USER,
  failure,
  json,
  loggedInWorld,
  lost,
  oauth,
  problem,
  settled,
  silence,
  world,
} from "./fakes.js";

const TOKEN = "/oauth/token";
const STORAGE = "/api/v1/storage";
const MINUTE = 60_000;

test("a token is renewed a minute before its end, and not sooner", async () => {
  const { client, service, clock } = await loggedInWorld();
  await clock.advance(14 * MINUTE - 1);
  await client.getStorage();
  assert.equal(service.renewals.length, 0);
  await clock.advance(1);
  await client.getStorage();
  assert.equal(service.renewals.length, 1);
  assert.equal(service.of(STORAGE)[1].headers.authorization, "Bearer access-2");
});

test("twenty calls share one renewal", async () => {
  const { client, service, clock } = await loggedInWorld();
  await clock.advance(20 * MINUTE);
  await Promise.all(Array.from({ length: 20 }, () => client.getStorage()));
  assert.equal(service.renewals.length, 1);
  for (const { headers } of service.of(STORAGE)) {
    assert.equal(headers.authorization, "Bearer access-2");
  }
});

test("twenty refused calls share one renewal, whenever they were refused", async () => {
  const { client, service } = await loggedInWorld();
  service.answers[STORAGE] = Array.from({ length: 20 }, () => async () => {
    await settled();
    return problem(401, "invalid_token");
  });
  await Promise.all(Array.from({ length: 20 }, () => client.getStorage()));
  assert.equal(service.renewals.length, 1);
  assert.equal(service.of(STORAGE).length, 40);
});

test("a late refusal of an old token does not renew the new one", async () => {
  const { client, service } = await loggedInWorld();
  let refuse;
  const late = new Promise((resolve) => (refuse = resolve));
  service.answers[STORAGE] = [() => late, problem(401, "invalid_token")];
  const first = client.getStorage();
  await settled();
  await client.getStorage();
  refuse(problem(401, "invalid_token"));
  await first;
  assert.equal(service.renewals.length, 1);
});

test("a call is sent again once after invalid_token", async () => {
  const { client, service } = await loggedInWorld();
  service.answers[STORAGE] = [problem(401, "invalid_token"), problem(401, "invalid_token")];
  assert.equal((await failure(client.getStorage())).code, "invalid_token");
  assert.equal(service.of(STORAGE).length, 2);
  assert.equal(service.renewals.length, 1);
});

test("another 401 renews nothing", async () => {
  const { client, service } = await loggedInWorld();
  service.answers[STORAGE] = [problem(401, "unauthorized")];
  assert.equal((await failure(client.getStorage())).code, "unauthorized");
  assert.equal(service.renewals.length, 0);
});

test("a renewal without an answer is repeated with the same refresh token", async () => {
  const { client, service, clock } = await loggedInWorld();
  await clock.advance(20 * MINUTE);
  service.answers[TOKEN] = [lost, problem(429, "x"), oauth(502, "x"), oauth(503, "x")];
  const call = failure(client.getStorage());
  await clock.advance(MINUTE);
  // Four attempts are what `retries` allows; the next call goes on with the same token.
  assert.equal((await call).status, 503);
  await client.getStorage();
  const tokens = service.renewals.map(({ body }) => body.refresh_token);
  assert.deepEqual(tokens, Array(5).fill("refresh-1"));
  assert.equal(client.user.id, USER);
});

test("a renewal that nobody answers is repeated while the service still takes the token", async () => {
  const { client, service, clock } = await loggedInWorld();
  await clock.advance(20 * MINUTE);
  service.answers[TOKEN] = [silence, silence];
  const call = client.getStorage();
  await clock.advance(25_000);
  assert.equal(service.renewals.length, 3);
  await call;
});

test("all attempts of a renewal are while the service takes the token again", async () => {
  const { client, service, clock } = await loggedInWorld();
  await clock.advance(20 * MINUTE);
  service.answers[TOKEN] = [silence, silence, silence];
  const call = client.getStorage();
  await clock.advance(29_999);
  assert.equal(service.renewals.length, 4);
  await call;
});

test("the present token serves while it is good, though the renewal fails", async () => {
  const { client, service, clock } = await loggedInWorld();
  await clock.advance(14 * MINUTE);
  service.answers[TOKEN] = Array.from({ length: 4 }, () => lost);
  const call = client.getStorage();
  await clock.advance(10_000);
  await call;
  assert.equal(service.of(STORAGE)[0].headers.authorization, "Bearer access-1");
});

test("invalid_grant ends the log-in, once for all calls", async () => {
  const storage = new Kept();
  const { client, service, clock, out } = await loggedInWorld({ storage });
  await clock.advance(20 * MINUTE);
  service.answers[TOKEN] = [oauth(400, "invalid_grant")];
  const errors = await Promise.all([failure(client.getStorage()), failure(client.getStorage())]);
  for (const error of errors) assert.equal(error.code, "invalid_grant");
  assert.deepEqual(out, ["ended"]);
  assert.equal(client.user, null);
  assert.equal(storage.strings.size, 0);
});

for (const status of [400, 403]) {
  test(`another refusal of a renewal, ${status}, leaves the log-in`, async () => {
    const { client, service, clock, out } = await loggedInWorld();
    await clock.advance(20 * MINUTE);
    service.answers[TOKEN] = [oauth(status, "invalid_request")];
    assert.equal((await failure(client.getStorage())).code, "invalid_request");
    assert.deepEqual(out, []);
    assert.equal(client.user.id, USER);
  });
}

test("the time of day has no part in it", async () => {
  const { client, service, clock } = await loggedInWorld();
  mock.timers.enable({ apis: ["Date"], now: Date.now() + 24 * 60 * MINUTE });
  try {
    await clock.advance(10 * MINUTE);
    await client.getStorage();
    mock.timers.setTime(0);
    await client.getStorage();
  } finally {
    mock.timers.reset();
  }
  assert.equal(service.renewals.length, 0);
});

test("a token with a short life is used for most of it", async () => {
  const { client, service, clock } = world();
  service.lifetime = 10;
  await client.logIn({ username: "ada", password: "open sesame" });
  await clock.advance(7_999);
  await client.getStorage();
  assert.equal(service.renewals.length, 0);
  await clock.advance(1);
  await client.getStorage();
  assert.equal(service.renewals.length, 1);
});

test("a log-in is not sent again after a lost connection", async () => {
  const { client, service } = world();
  service.answers[TOKEN] = [lost];
  const error = await failure(client.logIn({ username: "ada", password: "open sesame" }));
  assert.ok(error instanceof NetworkError);
  assert.equal(error.cause.message, "fetch failed");
  assert.equal(service.of(TOKEN).length, 1);
});

test("a log-in whose name cannot be read is none", async () => {
  const storage = new Kept();
  const { client, service } = world({ storage });
  service.answers[`/api/v1/user/${USER}/info`] = [problem(500, "internal_error")];
  await failure(client.logIn({ username: "ada", password: "open sesame" }));
  assert.equal(client.user, null);
  assert.equal(storage.strings.size, 0);
});

test("a log-in has the usual time for its answer", async () => {
  const { client, service, clock } = world();
  service.answers[TOKEN] = [silence];
  let error;
  const asked = failure(client.logIn({ username: "ada", password: "x" })).then((e) => (error = e));
  await clock.advance(29_000);
  assert.equal(error, undefined);
  await clock.advance(1000);
  assert.ok((await asked) instanceof NetworkError);
});

test("a log-in that is aborted while its name is read is none", async () => {
  const { client, service } = world();
  service.answers[`/api/v1/user/${USER}/info`] = [silence];
  const stop = new AbortController();
  const call = client.logIn({ username: "ada", password: "x" }, { signal: stop.signal });
  await settled();
  stop.abort("enough");
  assert.equal(await failure(call), "enough");
  assert.equal(client.user, null);
});

test("a token of another service is exchanged", async () => {
  const { client, service } = world();
  const type = "urn:ietf:params:oauth:token-type:id_token";
  await client.logInWith({ subjectToken: "proof", subjectTokenType: type });
  const { body } = service.of(TOKEN)[0];
  assert.deepEqual(body, {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: "proof",
    subject_token_type: type,
  });
});

test("another log-in says that the first has ended", async () => {
  const { client, out } = await loggedInWorld();
  await client.logIn({ username: "ada", password: "open sesame" });
  assert.deepEqual(out, ["logout"]);
  assert.equal(client.user.id, USER);
});

test("a log-out without a connection ends the log-in here, and says what failed", async () => {
  const storage = new Kept();
  const { client, service, clock, out } = await loggedInWorld({ storage });
  service.answers["/oauth/revoke"] = Array.from({ length: 4 }, () => lost);
  const leaving = failure(client.logOut());
  await clock.advance(MINUTE);
  assert.ok((await leaving) instanceof NetworkError);
  assert.deepEqual(out, ["logout"]);
  assert.equal(storage.strings.size, 0);
});

test("who hears of a log-out calls without a token", async () => {
  const { client, service } = await loggedInWorld({ storage: new Kept() });
  let call;
  client.addEventListener("signedout", () => (call = client.getStorage()));
  await client.logOut();
  await call;
  assert.equal(service.of(STORAGE)[0].headers.authorization, undefined);
});

test("a renewal that comes after a log-out is dropped", async () => {
  const storage = new Kept();
  const { client, service, clock } = await loggedInWorld({ storage });
  await clock.advance(20 * MINUTE);
  let answer;
  service.answers[TOKEN] = [() => new Promise((resolve) => (answer = resolve))];
  const call = client.getStorage();
  await settled();
  await client.logOut();
  answer(service.tokens());
  await call;
  assert.equal(service.of(STORAGE)[0].headers.authorization, undefined);
  assert.equal(client.user, null);
  assert.equal(storage.strings.size, 0);
});

test("a log-in outlives the client where there is a storage", async () => {
  const storage = new Kept();
  await loggedInWorld({ storage });
  const { client, service } = world({ storage });
  assert.equal(client.user, null);
  await client.listNotifications();
  assert.deepEqual(client.user, { id: USER, username: "ada" });
  assert.equal(service.of(TOKEN)[0].body.refresh_token, "refresh-1");
  assert.equal(service.requests.at(-1).path, `/api/v1/user/${USER}/notifications`);
});

test("the storage has the newest refresh token, and no access token", async () => {
  const storage = new Kept();
  const { client, clock } = await loggedInWorld({ storage });
  await clock.advance(20 * MINUTE);
  await client.getStorage();
  const [text] = storage.strings.values();
  assert.match(text, /"refresh-2"/);
  assert.doesNotMatch(text, /access-/);
});

for (const text of ["", "{", "null", "[]", "7", '{"id":"x"}']) {
  test(`a storage that has ${text || "an empty text"} has no log-in`, async () => {
    const storage = { get: () => text, set() {}, remove() {} };
    const { client, service } = world({ storage });
    await client.getStorage();
    assert.equal(service.of(STORAGE)[0].headers.authorization, undefined);
  });
}

test("who takes another name has it at once, and in the storage", async () => {
  const storage = new Kept();
  const { client, service } = await loggedInWorld({ storage });
  service.answers[`/api/v1/user/${USER}/username`] = [json(204)];
  await client.setUsername({ body: { username: "grace" } });
  assert.deepEqual(client.user, { id: USER, username: "grace" });
  assert.match([...storage.strings.values()].join(), /"grace"/);
});

test("a storage that throws is none", async () => {
  const throws = () => {
    throw new Error("QuotaExceededError");
  };
  const storage = { get: throws, set: throws, remove: throws };
  const { client, service, clock } = await loggedInWorld({ storage });
  await clock.advance(20 * MINUTE);
  await client.getStorage();
  assert.equal(service.renewals[0].body.refresh_token, "refresh-1");
  await client.logOut();
  assert.equal(client.user, null);
});

test("a storage that does not answer delays a call by five seconds, and no later one", async () => {
  const never = () => new Promise(() => {});
  const { client, service, clock } = world({ storage: { get: never, set: never, remove: never } });
  const call = client.getStorage();
  await clock.advance(4_999);
  assert.equal(service.requests.length, 0);
  await clock.advance(1);
  await call;
  await client.getStorage();
});

test("a slow storage gets the last value last", async () => {
  const written = [];
  const set = async (_, value) => {
    await settled();
    written.push(JSON.parse(value).refresh);
  };
  const storage = { get: () => null, set, remove() {} };
  const { client } = await loggedInWorld({ storage });
  await client.logIn({ username: "ada", password: "open sesame" });
  assert.deepEqual(written, ["refresh-1", "refresh-2"]);
});

test("two clients on one storage go on with the token that the other has got", async () => {
  const storage = new Kept();
  const { client, service, clock } = await loggedInWorld({ storage });
  const other = world({ storage, fetch: service.fetch, clock });
  await other.client.getStorage();
  await clock.advance(20 * MINUTE);
  await client.getStorage();
  await other.client.getStorage();
  const tokens = service.renewals.map(({ body }) => body.refresh_token);
  assert.deepEqual(tokens, ["refresh-1", "refresh-2", "refresh-3"]);
});

test("a call of the user before is not done as another, who has logged in elsewhere", async () => {
  const storage = new Kept();
  const { client, clock, service, out } = await loggedInWorld({ storage });
  await loggedInWorld({ storage });
  await clock.advance(20 * MINUTE);
  assert.ok((await failure(client.listNotifications())) instanceof ApiError);
  assert.deepEqual(out, ["logout"]);
  assert.equal(service.requests.length, 0);
});

const PORTAL = { session: "/portal/session", client: "portal" };

test("with a session of the page, no script has a refresh token", async () => {
  const storage = new Kept();
  const { client, service, clock } = world({ ...PORTAL, storage });
  const tokens = async () => {
    const { refresh_token: _, ...rest } = await service.tokens().json();
    return json(200, rest);
  };
  service.answers[PORTAL.session] = [tokens, tokens];
  await client.logIn({ username: "ada", password: "open sesame" });
  await clock.advance(20 * MINUTE);
  await client.getStorage();
  assert.deepEqual(service.renewals[0].body, { grant_type: "refresh_token" });
  assert.doesNotMatch([...storage.strings.values()].join(), /refresh-|access-/);
});

test("with a session of the page, a reload renews", async () => {
  const storage = new Kept();
  await loggedInWorld({ ...PORTAL, storage });
  const { client, service } = world({ ...PORTAL, storage });
  await client.getUser();
  assert.equal(service.renewals.length, 1);
  assert.deepEqual(client.user, { id: USER, username: "ada" });
});

test("with a session of the page, nothing is asked where no log-in is remembered", async () => {
  const { client, service } = world({ ...PORTAL, storage: new Kept() });
  await client.getStorage();
  assert.equal(service.of(PORTAL.session).length, 0);
});

test("with a session of the page and no storage, the first call asks for it, once", async () => {
  const { client, service, out } = world(PORTAL);
  service.answers[PORTAL.session] = [oauth(401, "invalid_grant")];
  await client.getStorage();
  await client.getStorage();
  assert.equal(service.renewals.length, 1);
  assert.deepEqual(out, []);
});

test("with a session of the page, a 401 ends the log-in", async () => {
  const { client, service, clock, out } = await loggedInWorld(PORTAL);
  await clock.advance(20 * MINUTE);
  service.answers[PORTAL.session] = [problem(401, "unauthorized")];
  await failure(client.getStorage());
  assert.deepEqual(out, ["ended"]);
});

test("with a session of the page, a log-out deletes it", async () => {
  const { client, service } = await loggedInWorld(PORTAL);
  await client.logOut();
  assert.equal(service.requests[0].method, "DELETE");
  assert.equal(service.requests[0].path, PORTAL.session);
});

test("with a session of the page, a call is not done as another, who has the cookie by now", async () => {
  const { client, service, clock, out } = await loggedInWorld(PORTAL);
  await clock.advance(20 * MINUTE);
  const tokens = { access_token: "access-ben", expires_in: 900, userId: PORTAL.session };
  service.answers[PORTAL.session] = [json(200, tokens)];
  assert.equal((await failure(client.listNotifications())).code, "invalid_grant");
  assert.deepEqual(out, ["logout"]);
  assert.equal(service.requests.length, 1);
});

const BOT = { account: USER, secret: "csvc_x" };
const ASKED = { grant_type: "client_credentials", client_id: USER, client_secret: "csvc_x" };
const granted = (token) =>
  json(200, { access_token: token, token_type: "Bearer", expires_in: 900, scope: "progress" });

async function serviceWorld(options) {
  const found = world(options);
  found.service.answers[TOKEN] = ["bot-1", "bot-2", "bot-3"].map(granted);
  await found.client.logInAsService(BOT);
  return found;
}

test("a service account logs in with its secret, and is no user", async () => {
  const storage = new Kept();
  const { client, service } = await serviceWorld({ storage });
  await client.getStorage();
  assert.deepEqual(service.of(TOKEN)[0].body, ASKED);
  assert.equal(service.of(STORAGE)[0].headers.authorization, "Bearer bot-1");
  assert.equal(client.user, null);
  assert.equal(storage.strings.size, 0);
});

test("a service account may ask for fewer scopes", async () => {
  const { client, service } = world();
  await client.logInAsService({ ...BOT, scope: "events" });
  assert.deepEqual(service.of(TOKEN)[0].body, { ...ASKED, scope: "events" });
});

test("a service account's secret gets the next token, in time or when one is refused", async () => {
  const { client, service, clock } = await serviceWorld();
  await clock.advance(14 * MINUTE);
  service.answers[STORAGE] = [problem(401, "invalid_token")];
  await client.getStorage();
  assert.deepEqual(
    service.of(TOKEN).map(({ body }) => body),
    [ASKED, ASKED, ASKED],
  );
  const sent = service.of(STORAGE).map(({ headers }) => headers.authorization);
  assert.deepEqual(sent, ["Bearer bot-2", "Bearer bot-3"]);
});

test("a service account that is gone is signed out", async () => {
  const { client, service, clock, out } = await serviceWorld();
  service.answers[TOKEN] = [oauth(401, "invalid_client")];
  await clock.advance(14 * MINUTE);
  assert.equal((await failure(client.getStorage())).code, "invalid_client");
  assert.deepEqual(out, ["ended"]);
  assert.equal(await client.token(), null);
});

test("a service account's log-out ends its token", async () => {
  const { client, service, out } = await serviceWorld();
  await client.logOut();
  assert.deepEqual(service.of("/oauth/revoke")[0].body, { token: "bot-1" });
  assert.deepEqual(out, ["logout"]);
  assert.equal(await client.token(), null);
});

test("a service account of a page of the service's own origin has no cookie", async () => {
  const { service } = await serviceWorld({ session: "/portal/session" });
  assert.equal(service.of(TOKEN).length, 1);
  assert.equal(service.of("/portal/session").length, 0);
});

const GUEST = "urn:contentsvc:grant:guest";
const SECRET = /^[A-Za-z0-9_-]{43,128}$/;
const kept = (storage) =>
  [...storage.strings].filter(([key]) => key.endsWith(" guest")).map(([, value]) => value);

test("a guest's secret is kept before it is sent, and is the same the next time", async () => {
  const storage = new Kept();
  const { client, service } = world({ storage });
  let before;
  service.answers[TOKEN] = [() => ((before = kept(storage)), service.tokens())];
  assert.deepEqual(await client.logInAsGuest(), { id: USER, username: "ada" });
  const [{ body }] = service.of(TOKEN);
  assert.equal(body.grant_type, GUEST);
  assert.match(body.secret, SECRET);
  assert.ok(new Set(body.secret).size >= 16);
  assert.deepEqual(before, [body.secret]);
  await client.logOut();
  await client.logInAsGuest();
  const again = world({ storage });
  await again.client.logInAsGuest();
  assert.equal(service.of(TOKEN)[1].body.secret, body.secret);
  assert.equal(again.service.of(TOKEN)[0].body.secret, body.secret);
});

test("a guest's secret outlives log-outs without a storage too", async () => {
  const { client, service } = world();
  await client.logInAsGuest();
  await client.logOut();
  await client.logInAsGuest();
  const [first, second] = service.of(TOKEN).map(({ body }) => body.secret);
  assert.equal(first, second);
});

test("a guest's log-in is sent again with the same secret", async () => {
  const { client, service, clock } = world();
  service.answers[TOKEN] = [lost, oauth(429, "slow_down")];
  const user = client.logInAsGuest();
  for (let n = 0; n < 8; n += 1) await clock.advance(1000);
  await user;
  assert.equal(new Set(service.of(TOKEN).map(({ body }) => body.secret)).size, 1);
  assert.equal(service.of(TOKEN).length, 3);
});

test("two log-ins as a guest at once have one secret", async () => {
  const { client, service } = world({ storage: new Kept() });
  await Promise.all([client.logInAsGuest(), client.logInAsGuest()]);
  assert.equal(new Set(service.of(TOKEN).map(({ body }) => body.secret)).size, 1);
});

test("a guest's secret is forgotten on invalid_grant, and on nothing else", async () => {
  const storage = new Kept();
  const { client, service } = world({ storage, retries: 0 });
  for (const answer of [oauth(403, "account_banned"), oauth(429, "slow_down"), lost]) {
    service.answers[TOKEN] = [answer];
    await failure(client.logInAsGuest());
    assert.equal(kept(storage).length, 1);
  }
  service.answers[TOKEN] = [oauth(400, "invalid_grant")];
  assert.equal((await failure(client.logInAsGuest())).code, "invalid_grant");
  assert.deepEqual(kept(storage), []);
  await client.logInAsGuest();
  const sent = service.of(TOKEN).map(({ body }) => body.secret);
  assert.equal(new Set(sent).size, 2);
});

test("a secret that another program has put there meanwhile is not forgotten", async () => {
  const storage = new Kept();
  const { client, service } = world({ storage });
  const other = () => {
    for (const key of storage.strings.keys()) if (key.endsWith(" guest")) storage.set(key, "other");
    return oauth(400, "invalid_grant");
  };
  service.answers[TOKEN] = [other];
  await failure(client.logInAsGuest());
  assert.deepEqual(kept(storage), ["other"]);
});

test("a guest's secret is forgotten when the account is full, which has its name", async () => {
  const storage = new Kept();
  const { client, service } = world({ storage });
  await client.logInAsGuest();
  service.answers[`/api/v1/user/${USER}/info`] = [json(200, { id: USER, username: "grace" })];
  const body = { username: "grace", email: "grace@example.com", password: "open sesame" };
  await client.putAccount({ body });
  assert.deepEqual(kept(storage), []);
  assert.deepEqual(client.user, { id: USER, username: "grace" });
});

test("so it is with an account elsewhere, whose name is asked for", async () => {
  const storage = new Kept();
  const { client, service } = world({ storage });
  await client.logInAsGuest();
  service.answers[`/api/v1/user/${USER}/info`] = [json(200, { id: USER, username: "player-7" })];
  await client.linkIdentity({ body: { subject_token: "x", subject_token_type: "y" } });
  assert.deepEqual(kept(storage), []);
  assert.equal(client.user.username, "player-7");
});

test("a full account forgets no guest's secret", async () => {
  const storage = new Kept();
  const { client } = world({ storage });
  await client.logInAsGuest();
  await client.logIn({ username: "ada", password: "open sesame" });
  await client.linkIdentity({ body: { subject_token: "x", subject_token_type: "y" } });
  assert.equal(kept(storage).length, 1);
});

test("with a cookie, a guest's secret is in memory until it is answered", async () => {
  const storage = new Kept();
  const { client, service } = world({ storage, session: "/portal/session", retries: 0 });
  service.answers["/portal/session"] = [lost];
  await failure(client.logInAsGuest());
  await client.logInAsGuest();
  await client.logInAsGuest();
  const sent = service.of("/portal/session").map(({ body }) => body.secret);
  assert.equal(sent[0], sent[1]);
  assert.notEqual(sent[1], sent[2]);
  assert.deepEqual(kept(storage), []);
  assert.ok(![...storage.strings.values()].some((value) => value.includes(sent[2])));
});
