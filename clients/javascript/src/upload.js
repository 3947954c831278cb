import { again } from "./again.js";
import { DigestError, PIECE, digestOf } from "./digest.js";
import { ApiError, NetworkError } from "./errors.js";
import { PASSING, Patience, forEach } from "./transfer.js";

const BATCH = 1000; // files that the service lets announce at once
const REFUSED = [400, 403]; // a new URL may be taken
const HEADERS_OF_THE_PLATFORM = /^(content-length|host)$/i;

/** Have the service take files, unless it has them. Their paths, in order. */
export async function upload(client, files, options = {}) {
  const { signal, retries } = options;
  const { given, problems } = await prepared(client, files, { signal, retries });
  if (problems.length) throw new ApiError(problems[0].status, problems[0]);
  return send(client, await measured(given, signal), options);
}

const isImage = ({ use }) => use !== "entity" && use !== "package";

// Bytes are copied: they may not change on the way.
function blob({ use, data, mediaType }, index) {
  if (!(data instanceof Blob)) {
    if (!(ArrayBuffer.isView(data) || data instanceof ArrayBuffer)) {
      throw new TypeError(`File ${index}: data is neither a Blob nor bytes.`);
    }
    data = new Blob([data]);
  }
  return { use, data, mediaType: mediaType ?? (data.type || undefined) };
}

/** Files as {use, data: a Blob, mediaType}, and the problems for which the service would refuse them
 * by its limits. The first bytes of a picture say its type, and what it says beside its pixels is left
 * out. No byte is read where a length alone decides. */
export async function prepared(client, files, call) {
  const { limits, mediaTypes } = await client.getStorage({}, call);
  const given = files.map(blob);
  const most = (file) => (isImage(file) ? limits.imageBytes : limits.fileBytes) || Infinity;
  const isWrong = (file) => !isImage(file) && !(file.data.size && file.data.size <= most(file));
  if (!given.some(isWrong) && given.some(isImage)) {
    const { typeOf, withoutMetadata } = await import("./pictures.js");
    for (const file of given.filter(isImage)) {
      file.mediaType = (await typeOf(file.data)) ?? file.mediaType;
      file.data = await withoutMetadata(file.data, file.mediaType, call.signal);
    }
  }
  const problems = [];
  const say = (status, code, pointer, detail) =>
    problems.push({ status, code, detail, errors: [{ pointer, detail }] });
  for (const [index, file] of given.entries()) {
    const { data, mediaType } = file;
    const at = `/files/${index}`;
    if (!data.size) say(400, "invalid_body", `${at}/size`, `File ${index} is empty.`);
    if (data.size > most(file)) {
      say(422, "file_too_large", `${at}/size`, `File ${index} has more than ${most(file)} bytes.`);
    }
    if (isImage(file) && !mediaTypes.includes(mediaType)) {
      const detail = `File ${index} is none of ${mediaTypes.join(", ")}.`;
      say(422, "media_type_not_allowed", `${at}/mediaType`, detail);
    }
  }
  return { given, problems };
}

/** The files with their digests. */
export async function measured(files, signal) {
  const found = [];
  for (const file of files) found.push({ ...file, sha256: await digestOf(file.data, signal) });
  return found;
}

/** The paths of measured files, once the service has them. */
export async function send(client, files, { onProgress, signal, retries = client.retries } = {}) {
  const all = files.map((file, index) => ({
    ...file,
    tell: (done) => onProgress?.({ file: index, done, total: file.data.size }),
  }));
  const sending = { client, signal, retries };
  for (let from = 0; from < all.length; from += BATCH) {
    await sendBatch(sending, all.slice(from, from + BATCH));
  }
  return all.map(({ path }) => path);
}

// /uploads alone says what is there. What it misses is sent, until it misses nothing.
async function sendBatch(sending, files) {
  const { client, signal, retries } = sending;
  let refusal;
  let left = files;
  for (let least = Infinity, idle = 0; ;) {
    const announced = left.map(({ use, sha256, data, mediaType }) => {
      return { use, sha256, size: data.size, mediaType };
    });
    const body = { files: announced };
    const answer = await client.announceFiles({ body }, { signal, retries });
    const missing = new Map(); // by path: what is given twice is sent once
    left = left.filter((file, index) => {
      const { path, upload } = answer.files[index];
      file.path = path;
      if (upload) missing.set(path, { file, upload });
      file.tell(upload ? 0 : file.data.size);
      return upload;
    });
    if (!left.length) return;
    idle = left.length < least ? 0 : idle + 1;
    least = left.length;
    if (idle > 1) throw refusal ?? new NetworkError(`${left[0].path} was sent, and is not there.`);
    refusal = await sendAll(sending, [...missing.values()]);
  }
}

// Send each once, or until a URL is refused: the error. The others may have expired as well.
async function sendAll({ client, signal, retries }, missing) {
  let refusal;
  let done = 0;
  const one = async ({ file, upload }, stop) => {
    if (refusal) return;
    let seen = done;
    const moved = () => {
      const before = seen;
      seen = done;
      return before < done;
    };
    const rules = { retries, signal: stop, passing: PASSING, moved, clock: client.clock };
    try {
      await again(() => put(client, file, upload, stop), rules);
      done += 1;
    } catch (error) {
      if (!REFUSED.includes(error.status)) throw error;
      const { data, path, sha256 } = file;
      const isOther = error.status === 400 && (await digestOf(data, stop)) !== sha256;
      if (isOther) throw new DigestError(path);
      refusal = error;
    }
  };
  await forEach(missing, one, signal);
  return refusal;
}

async function put(client, { data, tell }, { method, url, headers }, signal) {
  // Throws the platform's own error where the file has changed or is gone: that is no loss.
  await data.slice(0, 1).arrayBuffer();
  const patience = new Patience(client, signal);
  const moved = (sent) => {
    patience.moved();
    tell(Math.min(sent, data.size - 1)); // the last byte counts when the answer has come
  };
  const exchange = async () => {
    const request = { method, headers, signal: patience.signal };
    const response = await transmit(client, url, request, data, moved);
    if (!response.ok) throw await ApiError.of(response);
    await response.body?.cancel();
  };
  try {
    await patience.with(exchange(), transmit !== sendWhole);
    tell(data.size);
  } finally {
    patience.end();
  }
}

// A stream shows how much has been sent. Elsewhere than in Node it would have no length.
function sendStream(client, url, request, data, moved) {
  const headers = new Headers(request.headers);
  headers.set("Content-Length", data.size);
  const rules = { ...request, headers, duplex: "half" };
  return sendWhole(client, url, rules, streamOf(data, moved));
}

// In a service worker nothing shows it, so that the time is not limited.
function sendWhole({ fetch }, url, request, body) {
  return fetch(url, { ...request, body, credentials: "omit", redirect: "error" });
}

function streamOf(data, moved) {
  let sent = 0;
  const pull = async (controller) => {
    const piece = new Uint8Array(await data.slice(sent, sent + PIECE).arrayBuffer());
    sent += piece.length;
    controller.enqueue(piece);
    moved(sent);
    if (sent >= data.size) controller.close();
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

// In pages only this shows how much has been sent.
function sendByXhr(_, url, { method, headers, signal }, data, moved) {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open(method, url);
    for (const [name, value] of Object.entries(headers)) {
      if (!HEADERS_OF_THE_PLATFORM.test(name)) xhr.setRequestHeader(name, value);
    }
    xhr.upload.onprogress = ({ loaded }) => moved(loaded);
    xhr.onload = () => {
      const { status, responseText } = xhr;
      const retry = /^retry-after: *(.+)$/im.exec(xhr.getAllResponseHeaders());
      const found = retry ? { "Retry-After": retry[1] } : {};
      resolve(new Response(status === 204 ? null : responseText, { status, headers: found }));
    };
    xhr.onerror = () => reject(new TypeError("The connection was lost."));
    signal.addEventListener("abort", () => {
      xhr.abort();
      reject(signal.reason);
    });
    xhr.send(data);
  });
}

const ofPage = globalThis.XMLHttpRequest && sendByXhr;
const transmit = ofPage ?? (globalThis.process?.versions?.node ? sendStream : sendWhole);
