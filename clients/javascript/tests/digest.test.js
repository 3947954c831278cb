// SHA-256 in plain JavaScript, beside that of Node.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";

import { Sha256, digestOf } from "../src/digest.js";

const wanted = (data) => createHash("sha256").update(data).digest("hex");

test("the digest of any length, however it is cut, is Node's", () => {
  for (let length = 0; length < 300; length += 1) {
    const data = randomBytes(length);
    for (const step of [1, 7, 63, 64, 65, 300]) {
      const hash = new Sha256();
      for (let at = 0; at < length; at += step) hash.update(data.subarray(at, at + step));
      assert.equal(hash.digest(), wanted(data), `${length} bytes by ${step}`);
    }
  }
});

test("the number of bits may need more than 32 bits", () => {
  const [hash, other] = [new Sha256(), createHash("sha256")];
  const zeros = new Uint8Array(1 << 24);
  for (let count = 0; count < 33; count += 1) {
    hash.update(zeros);
    other.update(zeros);
  }
  assert.equal(hash.digest(), other.digest("hex"));
});

test("a Blob is read in pieces", async () => {
  const data = randomBytes(1_000_000);
  assert.equal(await digestOf(new Blob([data])), wanted(data));
});
