// What a client written in TypeScript relies on, with types made of openapi.json. It need not run:
// it passes `tsc --strict`, or the document has lost something.

import type { components, operations, paths } from "./api.js";

type Get<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Answer } } } };
}
  ? Answer
  : never;
type Problem<
  Operation extends keyof operations,
  Status extends number,
> = operations[Operation]["responses"] extends {
  [status in Status]: { content: { "application/problem+json": infer Answer } };
}
  ? Answer
  : never;
type Notification = Get<"/api/v1/user/{userId}/notifications">[number];

// The kind of a notification says what else it has; what all have is always there.
export function told(notification: Notification): string {
  const when = new Date(notification.created * 1000).toISOString();
  const seen = notification.read ? "" : "!";
  switch (notification.kind) {
    case "Debug":
      return `${when} ${notification.text}${seen}`;
    case "ContentSuspended":
      return `${when} ${notification.content}: ${notification.reason}${seen}`;
    default:
      return `${when} ${notification.kind}${seen}`;
  }
}

// So does the type of a message of the socket.
export function heard(message: components["schemas"]["ServerMessage"]): number {
  switch (message.type) {
    case "hello":
      return message.heartbeat;
    case "notification":
      return told(message.notification).length + message.seq;
    default:
      return 0;
  }
}

// A part of a profile may be missing, an avatar is null where there is none.
export function described(user: Get<"/api/v1/user/{userId}">): string {
  const { profile } = user.publicProfile;
  const avatar: string | null = user.avatar;
  return `${user.username} ${profile ?? "-"} ${avatar ?? "-"}`;
}

// The codes of an error are those that its operation has.
export function refused(problem: Problem<"getContent", 404>): "content_not_found" {
  return problem.code;
}

// Bodies are checked.
export const rating: components["schemas"]["RatingBody"] = { value: "1" };
// @ts-expect-error: a rating is "0" or "1"
export const three: components["schemas"]["RatingBody"] = { value: "3" };
// @ts-expect-error: without a text
export const bare: components["schemas"]["DebugNotify"] = { recipient: "x" };
