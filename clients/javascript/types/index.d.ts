import { Client as Core } from "./core.js";
import type { CallOptions } from "./operations.js";
import type { Events, EventsOptions } from "./events.js";
import type { Files } from "./files.js";
import type { Library, LibraryOptions } from "./library.js";
import type { Live, LiveOptions } from "./live.js";

export * from "./core.js";
export { Events } from "./events.js";
export type { EventsOptions } from "./events.js";
export * from "./files.js";
export { Library } from "./library.js";
export type { LibraryChange, LibraryOptions } from "./library.js";
export { Live } from "./live.js";
export * from "./webhooks.js";
export type { LiveEvents, LiveOptions, Place, Received } from "./live.js";

/** As JSON.parse, but whole numbers that no number of JavaScript holds exactly are BigInt. In a body
 * a BigInt is a number. */
export function exactly(text: string): unknown;

/** The whole client: the core with what is live, the library, events, files and publishing. */
export class Client extends Core {
  /** The ids of all whom the user blocks, for `isBlocked`. */
  blocked(options?: CallOptions): Promise<Set<string>>;

  /** A user's notifications as they come: those of who is logged in when it connects. */
  live(options?: LiveOptions): Live;

  /** What this device is to fetch and to remove, so that it has what its user keeps. */
  library(options?: LibraryOptions): Library;

  /** What has happened, for admins and for services with the scope `events`. */
  events(options?: EventsOptions): Events;
}

/** Whether something that the service has answered is of a user whose id `blocked` has: a content, a
 * comment, a collection, a message, an invite, a notification, or a record of one or the user. */
export function isBlocked(blocked: ReadonlySet<string>, thing: object | null | undefined): boolean;

export interface Client extends Files {}
