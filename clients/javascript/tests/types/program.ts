// What a program in TypeScript relies on. It need not run: it passes `tsc --strict`.
import {
  ApiError,
  Client,
  NetworkError,
  PublishError,
  verifyWebhook,
  type ChallengeCreate,
  type ContentCreate,
  type ContentFile,
  type ContentInfo,
  type Events,
  type Notification,
  type Part,
  type Progress,
  type User,
} from "contentsvc-client";
import { Client as Core, type ServerMessage } from "contentsvc-client/core";

const storage = {
  get: (key: string) => localStorage.getItem(key),
  set: (key: string, value: string) => localStorage.setItem(key, value),
  remove: async (key: string) => localStorage.removeItem(key),
};

export const client = new Client("https://play.example.com", { client: "game", storage });
export const small: Core = new Core(new URL("https://play.example.com"), { timeout: 5 });

client.addEventListener("signedout", (event) => {
  const reason: "logout" | "ended" = event.detail.reason;
  console.log(reason);
});

export async function start(): Promise<string> {
  const user: User = await client.logIn({ username: "ada", password: "open sesame" });
  return client.user?.username ?? user.id;
}

/** A studio may have types of its own. */
export async function publishMusic(files: Omit<ContentCreate, "type">): Promise<void> {
  const types: ContentCreate["type"][] = ["game", "music", `level_${files.version.length}`];
  for (const type of types) await client.putContent({ contentId: "x", body: { ...files, type } });
  const given: string = types[0] ?? "";
  const challenge: Pick<ChallengeCreate, "types"> = { types: [given, "asset"] };
  console.log(challenge, await client.listContent({ category: ["music", "game"] }));
}

export async function find(words: string, signal?: AbortSignal): Promise<ContentInfo[]> {
  const parameters = { q: words, sort: "top", limit: 20, tags: ["physics"] } as const;
  return client.listContent(parameters, { signal, retries: 1, headers: { "X-Game": "tower" } });
}

// What the service can leave out can be undefined; what it needs must be there.
export const all = client.listContent({ q: undefined });
// @ts-expect-error: a comment has a content
export const lost = client.createComment({ body: { body: "hello" } });
// @ts-expect-error: there is no such order
export const ordered = client.listContent({ sort: "size" });

export async function comment(contentId: string, body: string): Promise<string> {
  const { location } = await client.createComment({ contentId, body: { body } });
  const nothing: undefined = await client.followUser({ otherId: client.user!.id });
  return location + String(nothing);
}

export async function talk(contentId: string): Promise<string[]> {
  const said: string[] = [];
  for await (const { body, parentId } of client.each("listComments", { contentId })) {
    said.push(parentId === null ? body : `> ${body}`);
  }
  const first: Part<ContentInfo, { limit?: number | undefined }> = await client.part("listContent", {
    limit: 10,
  });
  // @ts-expect-error: this gives no list
  client.each("getContent", { contentId });
  return said.concat(first.items.map((item) => item.name));
}

// The kind of a notification says what else it has; later kinds have what all have.
export function told(notification: Notification): string {
  switch (notification.kind) {
    case "ContentSuspended":
      return `${notification.content}: ${notification.reason}`;
    case "FriendMessage": {
      const sender: string = notification.sender;
      return sender;
    }
    default: {
      const kind: string = notification.kind;
      return `${kind} of ${notification.created}`;
    }
  }
}

export function isOpen(message: ServerMessage): number {
  return message.type === "hello" ? message.heartbeat : 0;
}

export async function save(key: string, value: Record<string, unknown>): Promise<number | null> {
  try {
    await client.putProgress({ key, body: { value, version: 1 } });
    return null;
  } catch (error) {
    if (error instanceof ApiError && error.code === "progress_conflict") return error.status;
    if (error instanceof ApiError && error.errors[0]?.pointer) return error.retryAfter;
    if (error instanceof NetworkError) console.warn(error.cause);
    throw error;
  }
}

export const leave = async (): Promise<void> => client.logOut({ timeout: 2 });

// Files, and what is published of them.
const show = ({ file, done, total }: Progress): void => console.log(file, done / total);

export async function publish(entity: File, shot: Blob, ids: [string, string]): Promise<number> {
  const [contentId, revisionId] = ids;
  const content = { name: "Tilting Tower", type: "game", description: "Stack it high." } as const;
  const publication = { contentId, revisionId, content, entity, screenshots: [shot] };
  try {
    return (await client.publish({ ...publication, onProgress: show })).listingId;
  } catch (error) {
    if (error instanceof PublishError) console.log(error.problems[0]?.code);
    throw error;
  }
}

export async function wear(image: Blob): Promise<string | undefined> {
  const [path] = await client.upload([{ use: "avatar", data: image, mediaType: "image/png" }]);
  return path;
}

export async function fetched(contentId: string, stream: WritableStream): Promise<Blob[]> {
  const blobs: Blob[] = [];
  const into = (file: ContentFile) => (file.size > 1e8 ? stream : undefined);
  for await (const file of client.download(contentId, { platform: "ps5", into })) {
    if (file.data) blobs.push(file.data);
  }
  return blobs;
}

// Events for the studio's programs.
export async function hear(after: number | null, signal: AbortSignal): Promise<number | null> {
  const events: Events = client.events({ after, kinds: ["ContentPublished"], signal });
  for await (const event of events) {
    const type: string | undefined = event.data.type;
    if (type === "game") console.log(event.subject.id);
    else events.close();
  }
  return events.after;
}

export async function take(request: Request): Promise<string> {
  return verifyWebhook("whsec_eA==", request.headers, await request.arrayBuffer());
}

// @ts-expect-error: a name is no file
export const wrong = client.upload([{ use: "entity", data: "tower.bin" }]);
