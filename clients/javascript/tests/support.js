/** What the tests share. */
import { randomBytes, randomUUID } from "node:crypto";

import { Client } from "../src/index.js";

export const SERVICE = process.env.CONTENTSVC_URL;
export const PASSWORD = "open sesame";

/** A client of the daemon, or of what is before it. */
export const newClient = (options, url = SERVICE) => new Client(url, options);

/** A user who has just registered: {username, password}. */
export async function register() {
  const username = `u${randomUUID().replaceAll("-", "").slice(0, 12)}`;
  const body = { username, email: `${username}@example.com`, password: PASSWORD };
  await newClient().registerUser({ body });
  return { username, password: PASSWORD };
}

/** A client whose user has just registered and is logged in. */
export async function loggedIn(options, url) {
  const client = newClient(options, url);
  await client.logIn(await register());
  return client;
}

/** An image of one pixel. */
export const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==",
  "base64",
);

/** What `publish` takes, of new content of these bytes. */
export function publication(data = randomBytes(3_000_000)) {
  return {
    contentId: randomUUID(),
    revisionId: randomUUID(),
    content: { name: "Tower", description: "High.", type: "game" },
    entity: data,
    screenshots: [new Blob([PICTURE], { type: "image/png" })],
  };
}

/** New content: {client: its author's, contentId, data: the bytes of its entity}. */
export async function published() {
  const client = await loggedIn();
  const given = publication();
  await client.publish(given);
  return { client, contentId: given.contentId, data: given.entity };
}
