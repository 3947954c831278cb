import { PublishError } from "./errors.js";
import { measured, prepared, send } from "./upload.js";

/** Publish new content, or a revision of it where it exists: {contentId, revisionId, listingId}. */
export async function publish(client, publication, options) {
  const {
    contentId,
    revisionId,
    content = {},
    entity,
    entityName,
    screenshots = [],
    packages = [],
    ...others
  } = publication;
  const { onProgress, signal, retries } = { ...others, ...options };
  const call = { signal, retries };
  if (!contentId || !revisionId) throw new TypeError("contentId and revisionId are needed.");

  const bundles = packages.map(({ id, name, ...files }) => [id, Object.entries(files), name]);
  const all = [
    { use: "entity", data: entity },
    ...screenshots.map((data) => ({ use: "screenshot", data })),
    ...bundles.flatMap(([, files]) => files.map(([, data]) => ({ use: "package", data }))),
  ];
  const { given, problems } = await prepared(client, all, call);
  refuse(problems);
  const files = await measured(given, signal);

  const { using = [], packagesOriginating = [], packagesUsing = [] } = content;
  const originating = (content.originating ?? []).map((part) => ({ ...part, name: nameOf([part]) }));
  const core = { entityId: contentId, revisionId };
  const { sha256 } = files[0];
  const check = {
    contentId,
    dependencies: [{ ...core, path: `${sha256.slice(0, 2)}/${sha256}` }, ...originating, ...using],
    packages: [...packages, ...packagesOriginating].map(({ id }) => id).concat(packagesUsing),
    entity: core,
  };
  const isNew = await precheck(client, check, { using, packagesUsing, content, screenshots }, call);

  const [path, ...paths] = await send(client, files, { onProgress, ...call });
  const screenshotUris = paths.splice(0, screenshots.length);
  const body = {
    description: "",
    revisionDescription: "",
    version: "1",
    ...content,
    using,
    originating,
    packagesUsing,
    revisionId,
    screenshotUris,
    entity: { ...core, path, name: nameOf([{ name: entityName ?? entity.name }]) },
    packagesOriginating: [
      ...packagesOriginating,
      ...bundles.map(([id, platforms, name]) => ({
        id,
        name: nameOf(platforms.map(([, data]) => ({ name: name ?? data.name }))),
        ...Object.fromEntries(platforms.map(([platform]) => [platform, paths.shift()])),
      })),
    ],
  };
  if (isNew) await client.putContent({ contentId, body }, call);
  else await client.publishRevision({ contentId, body }, call);
  const shown = await described(
    client,
    { contentId, revisionId, isNew, content, screenshots, screenshotUris },
    call,
  );
  return { contentId, revisionId, listingId: shown.listingId };
}

// What files are called on this device, if that is one name: of a File, or of what is said instead. What a
// name may not have is "_".
function nameOf(files) {
  const names = new Set(files.map(({ name }) => name));
  const [name] = names;
  if (names.size > 1 || !name) return undefined;
  const plain = [...name.replace(/[/\\\p{Cc}\p{Bidi_C}\p{Cs}]/gu, "_")].slice(0, 255).join("");
  return /^\.{1,2}$/.test(plain) || !/[^\s\u2800\p{Cf}\p{DI}]/u.test(plain) ? undefined : plain;
}

// Give a revision's content its new description and screenshots, and what it shows. What is not given
// stays as it is then: a change of others, or a vote, has it read again.
async function described(
  client,
  { contentId, revisionId, isNew, content, screenshots, screenshotUris },
  call,
) {
  for (let left = 5; ; left -= 1) {
    const seen = {};
    const shown = await client.getContent({ contentId }, { ...call, seen });
    const isShown = shown.revisionId === revisionId.toLowerCase();
    if (isNew || !isShown || (content.description === undefined && !screenshots.length)) return shown;
    const { description = shown.description } = content;
    const shots = screenshots.length ? screenshotUris : shown.screenshotUris;
    try {
      await client.putContent({ contentId, body: { description, screenshotUris: shots } }, { ...call, seen });
      return shown;
    } catch (error) {
      if (error.code !== "precondition_failed" || left === 1) throw error;
    }
  }
}

// Whether it will be new content. Throws what the next step would be refused for.
async function precheck(client, check, { using, packagesUsing, content, screenshots }, call) {
  const { tags, type } = content;
  const ask = (operation) => {
    const more = operation === "create" ? { tags, type } : {};
    return client.checkUpload({ body: { ...check, ...more, operation } }, call);
  };
  let isNew = true;
  let answer;
  try {
    answer = await ask("create");
  } catch (error) {
    if (error.code !== "content_exists") throw error;
    isNew = false;
    answer = await ask("update");
  }
  const { problems, needed, neededPackages } = answer;
  const key = ({ entityId, revisionId }) => `${entityId} ${revisionId}`.toLowerCase();
  const missing = new Set([...needed.map(key), ...neededPackages]);
  const entities = using.filter((part) => missing.has(key(part)));
  const packages = packagesUsing.filter((id) => missing.has(id.toLowerCase()));
  const found = [...problems];
  if (entities.length || packages.length) {
    const detail = "The service does not have some parts that are to be used.";
    found.push({ code: "unknown_reference", detail, entities, packages });
  }
  if (isNew && !(content.name && content.type && screenshots.length)) {
    const detail = "New content needs a name, a type and a screenshot.";
    found.push({ code: "invalid_body", detail });
  }
  refuse(found);
  return isNew;
}

function refuse(problems) {
  if (problems.length) throw new PublishError(problems);
}
