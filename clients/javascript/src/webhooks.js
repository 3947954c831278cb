const TOLERANCE = 300; // seconds by which the clocks may differ
const VERSION = "v1,";

/** A request is not from the service, or too old. */
export class SignatureError extends Error {
  name = "SignatureError";
}

/**
 * Checks the signature of a request to a webhook, before its body is read: a string or bytes, as it
 * came. Gives its `webhook-id`.
 */
export async function verifyWebhook(secrets, headers, body, { now = Date.now() / 1000 } = {}) {
  const [id, timestamp, given] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    headerOf(headers, name),
  );
  if (!/^[0-9]{1,18}$/.test(timestamp)) throw new SignatureError("The timestamp is no time.");
  const encoder = new TextEncoder();
  const head = encoder.encode(`${id}.${timestamp}.`);
  const bytes = typeof body === "string" ? encoder.encode(body) : new Uint8Array(body);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  const signatures = given.split(/\s+/).filter((each) => each.startsWith(VERSION));
  const matches = [];
  for (const secret of [secrets].flat()) {
    const key = await crypto.subtle.importKey(
      "raw",
      decoded(secret.replace(/^whsec_/, "")) ?? notSecret(),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["verify"],
    );
    for (const each of signatures) {
      const raw = decoded(each.slice(VERSION.length));
      // It compares in constant time.
      matches.push(raw !== null && (await crypto.subtle.verify("HMAC", key, raw, signed)));
    }
  }
  if (!matches.includes(true)) throw new SignatureError("No signature matches.");
  if (Math.abs(now - Number(timestamp)) > TOLERANCE) {
    throw new SignatureError("The timestamp is too far from now.");
  }
  return id;
}

/** Of the Headers of a Request, or of an object as Node has it. */
function headerOf(headers, name) {
  const found =
    typeof headers.get === "function"
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof found !== "string") throw new SignatureError(`There is no header ${name}.`);
  return found;
}

/** The bytes of base64, null where it is none. */
function decoded(text) {
  try {
    const raw = atob(text);
    if (btoa(raw) !== text) return null;
    return Uint8Array.from(raw, (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function notSecret() {
  throw new TypeError("This is no secret of a webhook.");
}
