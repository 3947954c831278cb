import {
  Client,
  type Library,
  type LibraryChange,
  type Live,
  type Place,
  type Received,
} from "contentsvc-client";

const client = new Client("https://play.example.com", { WebSocket });

export async function watch(place: Place | undefined): Promise<number> {
  const live: Live = client.live({ resume: place, confirm: true });
  live.addEventListener("open", ({ detail }) => console.log(detail.seq));
  live.addEventListener("notification", ({ detail: { seq, notification } }) => {
    if (notification.kind === "Debug") console.log(notification.text, notification.created);
    live.seen(seq);
  });
  live.addEventListener("unread", (event) => console.log(event.detail.unread + 1));
  live.addEventListener("missed", ({ detail: { code } }) => {
    if (code === "trimmed") void client.listNotifications();
  });
  live.addEventListener("message", ({ detail }) => console.log(detail.type));
  live.addEventListener("waiting", ({ detail: { attempt, seconds, reason } }) => {
    console.log(`${reason}: attempt ${attempt} in ${seconds.toFixed(1)} s`);
  });
  live.addEventListener("ended", ({ detail }) => console.log(detail.code, detail.reason));
  let last: Received | null = null;
  for await (const received of live) {
    last = received;
    if (received.seq > 9) live.close();
  }
  return last?.seq ?? 0;
}

client.live({ resume: 0 });
client.live({ resume: { seq: 4, id: "0d7ad5c1-9c4c-4a2f-9a3e-4dcb9a2f3c11" } });
// @ts-expect-error: a number is no string
client.live({ resume: "4" });

export async function follow(signal: AbortSignal): Promise<string[]> {
  const live = client.live();
  const given = { game: "1.4.2", platform: "win64", features: ["vr"] } as const;
  const library: Library = client.library({ ...given, live, confirm: true, signal });
  const had: string[] = [];
  for await (const change of library) {
    if (change.kind === "fetch")
      await client.getRevision({ contentId: change.content, revisionId: change.revision });
    else had.push(change.revision ?? "unknown");
    await library.done(change);
    if (live.over) await library.forget(change.content);
  }
  return had;
}

export const kindOf = (change: LibraryChange): "fetch" | "remove" => change.kind;
client.library({ platform: "ps5" });
// @ts-expect-error: a platform has a name
client.library({ platform: 5 });
