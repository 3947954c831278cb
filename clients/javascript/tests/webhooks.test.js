// The check of what a webhook is sent: the cases are those of all clients.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { SignatureError, verifyWebhook } from "../src/index.js";

const file = new URL("../../conformance.json", import.meta.url);
const { webhooks: cases } = JSON.parse(await readFile(file, "utf8"));

for (const { rule, secrets, headers, body, now, id } of cases) {
  test(rule, async () => {
    const verifying = verifyWebhook(secrets, headers, body, { now });
    if (id === null) await assert.rejects(verifying, SignatureError);
    else assert.equal(await verifying, id);
  });
}

test("a secret may stand alone, headers be those of a Request, and the body bytes", async () => {
  const [{ secrets, headers, body, now, id }] = cases;
  const bytes = new TextEncoder().encode(body);
  assert.equal(await verifyWebhook(secrets[0], new Headers(headers), bytes, { now }), id);
  assert.equal(await verifyWebhook(secrets[0], headers, bytes.buffer, { now }), id);
});

test("the time is that of now", async () => {
  const [{ secrets, headers, body }] = cases;
  await assert.rejects(verifyWebhook(secrets, headers, body), SignatureError);
});

test("what is no secret is a mistake of the program", async () => {
  const [{ headers, body, now }] = cases;
  await assert.rejects(verifyWebhook("whsec_not base64", headers, body, { now }), TypeError);
});
