import type { Notification } from "./operations.js";

/** Where to go on: after this number, whose notification has this id. */
export interface Place {
  seq: number;
  id?: string | null | undefined;
}

/** Options of a Live. */
export interface LiveOptions {
  /** Where to go on; 0 is all that is kept. Without it: where `storage` is, else from now. */
  resume?: Place | number | undefined;
  /** Whether `seen` says what was handled. Without it that is what listeners have returned from. */
  confirm?: boolean | undefined;
}

/** A notification with its number. */
export interface Received {
  seq: number;
  notification: Notification;
}

/** The `detail` of each event. */
export interface LiveEvents {
  /** It is connected, and goes on after this number. */
  open: { seq: number };
  notification: Received;
  /** The number of unread notifications to show. */
  unread: { unread: number };
  /** Flags have changed, or something was deleted or taken away: read what is shown again. */
  state: { seq: number; unread: number };
  /** Some may be lost for good: read the list once. */
  missed: { code: "log_changed" | "seq_ahead" | "trimmed" | (string & {}) };
  /** A message of another type. */
  message: { type: string; [member: string]: unknown };
  /** No connection: the next attempt, and the seconds until then. */
  waiting: { attempt: number; seconds: number; reason: string };
  /** It connects no more: a close code, 4401 after a failed renewal, 1000 for `close`. */
  ended: { code: number; reason: string };
}

type Listener<Detail> =
  ((event: CustomEvent<Detail>) => void) | { handleEvent(event: CustomEvent<Detail>): void } | null;

/** A user's notifications, each once and in order, over one socket after another. */
export class Live extends EventTarget implements AsyncIterable<Received> {
  private constructor();

  /** Whether it has ended. */
  readonly over: boolean;

  /** With `confirm`: the notification of this number was handled. */
  seen(seq: number): void;

  /** End it. What was not handled is given again the next time. */
  close(): void;

  /** Each notification. It is handled when the next is asked for. */
  [Symbol.asyncIterator](): AsyncIterator<Received, undefined, undefined>;

  addEventListener<Name extends keyof LiveEvents>(
    type: Name,
    listener: Listener<LiveEvents[Name]>,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<Name extends keyof LiveEvents>(
    type: Name,
    listener: Listener<LiveEvents[Name]>,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | EventListenerOptions,
  ): void;
}
