// Whole numbers that no number of JavaScript holds: as BigInt, and as text.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError, Client, exactly } from "../src/index.js";
import { written } from "../src/json.js";
import { failure } from "./fakes.js";

const LONG = ["9007199254740993", "-9007199254740993", "76561198012345678", "9223372036854775807"];

// A client of a service that answers this text to all, and notes what it was sent.
function talking(text, { status = 200, ...options } = {}) {
  const sent = [];
  const fetch = async (url, request) => {
    sent.push(request.body);
    return new Response(text, { status });
  };
  return { client: new Client("http://service.example", { fetch, ...options }), sent };
}

test("whole numbers are exact, wherever they are, and all else is as ever", () => {
  for (const number of LONG) {
    const text = `{"a": ${number}, "b": [${number}], "c": {"d":${number}}}`;
    const long = BigInt(number);
    assert.deepEqual(exactly(text), { a: long, b: [long], c: { d: long } });
    assert.equal(exactly(number), long);
  }
  const plain =
    '{"n": [0, -1, 9007199254740991, 1.5, 1e300, 12345678901234567.5, 1e17], "t": true, "z": null}';
  assert.deepEqual(exactly(plain), JSON.parse(plain));
});

test("texts and names stay, whatever is in them", () => {
  const value = { '"9007199254740993"': '\\"9007199254740993', b: "9007199254740993", c: "\\", d: "é\n" };
  assert.deepEqual(exactly(JSON.stringify(value)), value);
  assert.deepEqual(exactly(`${JSON.stringify([value]).slice(0, -1)},9007199254740993]`), [
    value,
    9007199254740993n,
  ]);
});

test("what is no JSON is refused, as JSON.parse does", () => {
  for (const text of [
    "",
    "{",
    "[01234567890123456789]",
    '{"a" 9007199254740993}',
    "9007199254740993x",
    '"',
  ]) {
    assert.throws(() => exactly(text), SyntaxError, text);
  }
});

test("a BigInt is written as a number", () => {
  for (const number of LONG) assert.equal(written({ a: [BigInt(number), "1"] }), `{"a":[${number},"1"]}`);
  assert.equal(written({ a: 1.5 }), '{"a":1.5}');
  assert.equal(written(undefined), undefined);
});

test("a client reads answers, and the problems of errors, with `parse`", async () => {
  const { client } = talking('{"value": {"owner": 76561198012345678}}', { parse: exactly });
  const { value } = await client.getContent({ contentId: "1" });
  assert.equal(value.owner, 76561198012345678n);
  const refusing = talking('{"code": "c", "value": 76561198012345678}', { status: 409, parse: exactly });
  const error = await failure(refusing.client.getContent({ contentId: "1" }));
  assert.ok(error instanceof ApiError);
  assert.equal(error.problem.value, 76561198012345678n);
});

test("`text` gives the answer as it came", async () => {
  const text = '{"a":  76561198012345678}';
  assert.equal(await talking(text).client.text("getContent", { contentId: "1" }), text);
  const none = talking(null, { status: 204 });
  assert.equal(await none.client.text("putContent", { contentId: "1", body: {} }), "");
});

test("a body may be a text of JSON, and may have a BigInt", async () => {
  const { client, sent } = talking("{}");
  const text = '{"attributes": {"owner": 76561198012345678}}';
  await client.putContent({ contentId: "1", body: text });
  await client.putContent({ contentId: "1", body: { attributes: { owner: 76561198012345678n } } });
  assert.deepEqual(sent, [text, '{"attributes":{"owner":76561198012345678}}']);
});

test("a text that may lack the id of a repeat is sent once", async () => {
  let count = 0;
  const fetch = async () => {
    count += 1;
    throw new TypeError("lost");
  };
  const client = new Client("http://service.example", { fetch });
  await failure(client.createComment({ contentId: "1", body: '{"body": "Hello"}' }));
  assert.equal(count, 1);
});
