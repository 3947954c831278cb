// Publishing, against the daemon.
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { test } from "node:test";

import { ApiError, NetworkError, PublishError } from "../src/index.js";
import { failure } from "./fakes.js";
import { proxy } from "./proxy.js";
import { PICTURE, loggedIn, publication } from "./support.js";

const SMALL = 1000;
const isContent = ({ method, url }) => method === "PUT" && url.startsWith("/api/v1/content/");
const revisionOf = ({ contentId }) => ({
  contentId,
  revisionId: randomUUID(),
  content: { version: "2", revisionDescription: "Higher." },
  entity: randomBytes(SMALL),
});

test("publish makes new content, with screenshots and packages", async () => {
  const client = await loggedIn();
  const packages = [{ id: randomUUID(), win64: randomBytes(SMALL), linux64: randomBytes(SMALL) }];
  const given = { ...publication(), packages };
  const steps = [];
  const done = await client.publish({ ...given, onProgress: (step) => steps.push(step) });
  const { contentId, revisionId } = given;
  const content = await client.getContent({ contentId });
  assert.deepEqual(done, { contentId, revisionId, listingId: content.listingId });
  assert.equal(content.name, "Tower");
  assert.equal(content.entity.entityId, contentId);
  assert.equal(content.entity.revisionId, revisionId);
  assert.match(content.screenshotUris[0], /\.png$/);
  assert.deepEqual(Object.keys(content.packages[0]), ["id", "win64", "linux64"]);
  assert.deepEqual([...new Set(steps.map(({ file }) => file))].sort(), [0, 1, 2, 3]);
});

test("publish sends the names of files", async () => {
  const client = await loggedIn();
  const file = (name) => new File([randomBytes(SMALL)], name);
  const given = {
    ...publication(),
    entity: file("tower.zip"),
    packages: [
      { id: randomUUID(), win64: file("same.pak"), linux64: file("same.pak") },
      { id: randomUUID(), win64: file("win.pak"), linux64: file("linux.pak") },
      { id: randomUUID(), name: "said.pak", win64: randomBytes(SMALL), linux64: file("other.pak") },
      { id: randomUUID(), win64: file("a.pak"), linux64: randomBytes(SMALL) },
    ],
  };
  await client.publish(given);
  const files = await client.listContentFiles({ contentId: given.contentId });
  const names = files.map(({ name }) => name);
  const packages = ["same.pak", "same.pak", null, null, "said.pak", "said.pak", null, null];
  assert.deepEqual(names, ["tower.zip", ...packages]);
});

test("what a name may not have is _, and what is left of nothing is no name", async () => {
  const client = await loggedIn();
  for (const [name, expected] of [
    ["a/b\\c\r\n\u202e\u0085\ud83d.zip", "a_b_c_____.zip"],
    ['tür "1" 100%\u{1f5fc}.zip', 'tür "1" 100%\u{1f5fc}.zip'],
    ["\u{1f5fc}".repeat(300), "\u{1f5fc}".repeat(255)],
    ["..", null],
    [" \u200b\u3164", null],
  ]) {
    const [path] = await client.upload([{ use: "entity", data: randomBytes(SMALL) }]);
    const part = { entityId: randomUUID(), revisionId: randomUUID(), path, name };
    const given = { ...publication(), entityName: name };
    given.content.originating = [part];
    await client.publish(given);
    const files = await client.listContentFiles({ contentId: given.contentId });
    assert.deepEqual(
      files.map((file) => file.name),
      [expected, expected],
    );
  }
});

test("publish makes a revision of content that exists, and leaves its description", async () => {
  const client = await loggedIn();
  const given = publication();
  const before = await client.publish(given);
  const revision = revisionOf(given);
  const after = await client.publish(revision);
  assert.ok(after.listingId > before.listingId);
  const content = await client.getContent({ contentId: given.contentId });
  assert.equal(content.revisionId, revision.revisionId);
  assert.equal(content.revision.version, "2");
  assert.equal(content.description, "High.");
  assert.equal(content.screenshotUris.length, 1);
});

test("a revision brings a description and screenshots; name, type and tags stay", async () => {
  const client = await loggedIn();
  const given = publication();
  given.content.tags = ["physics"];
  await client.publish(given);
  const revision = revisionOf(given);
  const others = { name: "Another", type: "asset", tags: ["other"], description: "Higher." };
  const content = { ...revision.content, ...others };
  const screenshots = [...given.screenshots, ...given.screenshots];
  await client.publish({ ...revision, content, screenshots });
  const found = await client.getContent({ contentId: given.contentId });
  assert.deepEqual([found.name, found.type, found.tags], ["Tower", "game", ["physics"]]);
  assert.equal(found.description, "Higher.");
  assert.equal(found.screenshotUris.length, 2);
});

test("the same call again changes nothing", async () => {
  const client = await loggedIn();
  const given = publication();
  const done = await client.publish(given);
  assert.deepEqual(await client.publish(given), done);
  assert.equal((await client.listContentRevisions({ contentId: given.contentId })).length, 1);
});

test("an older revision again leaves what came after it", async () => {
  const client = await loggedIn();
  const given = publication();
  await client.publish(given);
  const revision = revisionOf(given);
  revision.content.description = "Higher.";
  await client.publish(revision);
  await client.publish(given);
  const content = await client.getContent({ contentId: given.contentId });
  assert.equal(content.revisionId, revision.revisionId);
  assert.equal(content.description, "Higher.");
});

test("the same call goes on after a failure at any request", async (t) => {
  const given = publication(randomBytes(SMALL));
  const { contentId } = given;
  let left = -1;
  let fault;
  const client = await loggedIn({}, await proxy(t, () => (left-- === 0 ? fault : undefined)));
  let failures = 0;
  for (let at = 0, done = false; !done; at += 1) {
    for (fault of [{ status: 503 }, { give: -1 }]) {
      left = at;
      const error = await client.publish({ ...given, retries: 0 }).then(
        () => null,
        (found) => found,
      );
      if (error) {
        assert.ok(error instanceof ApiError || error instanceof NetworkError, error);
        failures += 1;
      }
      done = !error;
    }
  }
  assert.ok(failures >= 10, `${failures}`);
  assert.equal((await client.listContentRevisions({ contentId })).length, 1);
});

test("a lost answer of the create makes no second content", async (t) => {
  let lost = 0;
  const act = (request) => (isContent(request) && lost++ === 0 ? { give: -1 } : undefined);
  const client = await loggedIn({}, await proxy(t, act));
  const given = publication(randomBytes(SMALL));
  await client.publish(given);
  assert.equal(lost, 2);
  assert.equal((await client.listUserContent()).length, 1);
});

test("parts that the service does not have are problems, before anything is sent", async () => {
  const client = await loggedIn();
  const given = publication(randomBytes(SMALL));
  const part = { entityId: randomUUID(), revisionId: randomUUID() };
  given.content.using = [part];
  given.content.packagesUsing = [randomUUID()];
  const onProgress = () => assert.fail("sent");
  const error = await failure(client.publish({ ...given, onProgress }));
  assert.ok(error instanceof PublishError, error);
  const [problem] = error.problems;
  assert.equal(problem.code, "unknown_reference");
  assert.deepEqual(problem.entities, [part]);
  assert.deepEqual(problem.packages, given.content.packagesUsing);
});

test("new content without a screenshot is a problem", async () => {
  const client = await loggedIn();
  const error = await failure(client.publish({ ...publication(), screenshots: [] }));
  assert.deepEqual(
    error.problems.map(({ code }) => code),
    ["invalid_body"],
  );
});

test("a screenshot that is no picture and has no type is a problem", async () => {
  const client = await loggedIn();
  const screenshots = [new TextEncoder().encode("a tower")];
  const error = await failure(client.publish({ ...publication(), screenshots }));
  assert.deepEqual(
    error.problems.map(({ code }) => code),
    ["media_type_not_allowed"],
  );
});

test("the bytes of a screenshot say its type, and none need be given", async () => {
  const client = await loggedIn();
  const wrong = new Blob([PICTURE], { type: "image/jpeg" });
  for (const screenshots of [[PICTURE], [wrong]]) {
    const given = publication(randomBytes(SMALL));
    await client.publish({ ...given, screenshots });
    const { screenshotUris } = await client.getContent({ contentId: given.contentId });
    assert.match(screenshotUris[0], /\.png$/);
  }
});

test("other bytes for the same ids are a problem", async () => {
  const client = await loggedIn();
  const given = publication(randomBytes(SMALL));
  await client.publish(given);
  const error = await failure(client.publish({ ...given, entity: randomBytes(SMALL) }));
  assert.ok(error instanceof PublishError, error);
  assert.deepEqual(
    error.problems.map(({ code }) => code),
    ["entity_conflict"],
  );
});

test("the content of somebody else is an ApiError", async () => {
  const [ada, ben] = [await loggedIn(), await loggedIn()];
  const given = publication(randomBytes(SMALL));
  await ada.publish(given);
  const error = await failure(ben.publish(revisionOf(given)));
  assert.ok(error instanceof ApiError, error);
  assert.equal(error.status, 403);
});

test("ids are needed, so that the same call can go on", async () => {
  const client = await loggedIn();
  const { contentId, ...others } = publication();
  assert.ok((await failure(client.publish(others))) instanceof TypeError, contentId);
});
