import type { Event } from "./operations.js";

/** Options of Events. */
export interface EventsOptions {
  /** Where to begin: after this number, 0 with the oldest that is kept. Without it: from now. */
  after?: number | null | undefined;
  /** Only these kinds. */
  kinds?: string | readonly string[] | undefined;
  /** The most that one answer has: 200, if it is left out. */
  limit?: number | undefined;
  /** Ends the loop, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * What has happened, each event once and in order. It goes on whatever breaks meanwhile. It rejects
 * with ApiError (`cursor_expired`: some events are not kept any more, or an older back-up was
 * restored), and where the log-in has ended. One loop at a time.
 */
export class Events implements AsyncIterable<Event> {
  private constructor();

  /** Where to go on the next time: the number of the event that was given last. With `kinds` it also
   * moves on over others. Null until the service has said which is the newest. */
  readonly after: number | null;

  /** End it at once, also while it waits. */
  close(): void;

  [Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined>;
}
