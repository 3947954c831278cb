/** The log-in with an account elsewhere: the code flow of OpenID Connect with PKCE (RFC 7636). The page
 * goes to the issuer and comes back; what it must know then, it keeps for this tab. */
import { digestOf } from "./client-files.js";
import { address } from "./router.js";
import { client } from "./session.js";
import { Told } from "./texts.js";

/** @typedef {import("./client.js").LogInIssuer} Issuer */
/**
 * What was begun.
 * @typedef {object} Begun
 * @property {Issuer} issuer
 * @property {string} state
 * @property {string} nonce
 * @property {string} verifier
 * @property {string} then where it leads back to
 */

const KEPT = "contentsvc.log-in";
/** Milliseconds for the issuer's answer. */
const PATIENCE = 30_000;
/** So often a service that has just started is asked where its issuers are, and milliseconds between. */
const TRIES = 6;
const PAUSE = 1_000;

/** What the refusals of an issuer are called in words (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6).
 * @type {Record<string, import("./texts.js").Key>} */
const REFUSALS = {
  access_denied: "log-in.denied",
  server_error: "log-in.away",
  temporarily_unavailable: "log-in.away",
  invalid_grant: "log-in.late",
};

/** Go to the issuer. What it answers comes to `/log-in`.
 * @param {Issuer} chosen
 * @param {string} then */
export async function begin(chosen, then) {
  const issuer = await found(chosen);
  const begun = { issuer, state: secret(), nonce: secret(), verifier: secret(), then };
  sessionStorage.setItem(KEPT, JSON.stringify(begun));
  const url = new URL(/** @type {string} */ (issuer.authorizationEndpoint));
  const asked = {
    response_type: "code",
    client_id: issuer.clientId,
    redirect_uri: address("/log-in"),
    scope: "openid profile",
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: await challenge(begun.verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  location.assign(url);
}

/** The issuer with its endpoints.
 * @param {Issuer} chosen */
async function found(chosen) {
  for (let tried = 0; tried < TRIES; tried += 1) {
    if (tried) await new Promise((resolve) => setTimeout(resolve, PAUSE));
    const issuer = (await client.listIssuers()).find((one) => one.issuer === chosen.issuer);
    if (!issuer || (issuer.authorizationEndpoint && issuer.tokenEndpoint))
      return issuer ?? refuse("log-in.away", chosen);
  }
  return refuse("log-in.away", chosen);
}

/** What this answer belongs to. It is forgotten: an answer is good once.
 * @param {URLSearchParams} answer
 * @returns {Begun} */
export function recall(answer) {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  /** @type {Begun | null} */
  const begun = JSON.parse(kept ?? "null");
  if (!begun || answer.get("state") !== begun.state) throw new Told("log-in.foreign");
  return begun;
}

/** The ID token for the answer's code.
 * @param {Begun} begun
 * @param {URLSearchParams} answer
 * @returns {Promise<string>} */
export async function redeem({ issuer, nonce, verifier }, answer) {
  // Another issuer's answer would bring its code to this one (RFC 9207).
  const iss = answer.get("iss");
  if (iss === null ? issuer.sendsIss : iss !== issuer.issuer) throw new Told("log-in.foreign");
  const code = answer.get("code");
  if (!code) return refuse(REFUSALS[answer.get("error") ?? ""], issuer);
  const form = {
    grant_type: "authorization_code",
    code,
    redirect_uri: address("/log-in"),
    client_id: issuer.clientId,
    code_verifier: verifier,
  };
  const token = await exchanged(issuer, new URLSearchParams(form));
  // Whether the issuer has signed it, the service finds out.
  const claims = claimsOf(token);
  if (claims?.iss !== issuer.issuer || claims.nonce !== nonce) throw new Told("log-in.foreign");
  return token;
}

/** What the issuer gives for a code.
 * @param {Issuer} issuer
 * @param {URLSearchParams} body */
async function exchanged(issuer, body) {
  let answer;
  let status;
  try {
    const response = await fetch(/** @type {string} */ (issuer.tokenEndpoint), {
      method: "POST",
      body,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(PATIENCE),
    });
    status = response.status;
    answer = await response.json();
  } catch {
    return refuse("log-in.away", issuer);
  }
  if (status >= 500) return refuse("log-in.away", issuer);
  if (typeof answer?.id_token !== "string") return refuse(REFUSALS[answer?.error], issuer);
  return answer.id_token;
}

/** @param {import("./texts.js").Key | undefined} key
 * @param {Issuer} issuer
 * @returns {never} */
function refuse(key, { name }) {
  throw new Told(key ?? "log-in.refused", { name });
}

/** The claims of a token, whose signature nobody has looked at.
 * @param {string} token */
function claimsOf(token) {
  try {
    const text = atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (each) => each.charCodeAt(0))));
  } catch {
    return null;
  }
}

function secret() {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

/** The SHA-256 of a verifier: on plain http there is no crypto.subtle.
 * @param {string} verifier */
async function challenge(verifier) {
  const digest = await digestOf(new Blob([verifier]));
  return base64url((digest.match(/../g) ?? []).map((pair) => parseInt(pair, 16)));
}

/** @param {Iterable<number>} bytes */
function base64url(bytes) {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
