import type { Live } from "./live.js";

/** Options of a Library: what this device has, for the revisions that fit it, and how it goes on. */
export interface LibraryOptions {
  /** The version of the game, such as `1.4.2`. */
  game?: string | undefined;
  /** One of the service. */
  platform?: string | undefined;
  /** The features that it has; [] where it has none. */
  features?: string | readonly string[] | undefined;
  /** Goes on with it, until it ends. Without it the loop ends when there is no more to do. */
  live?: Live | undefined;
  /** Whether `done` says what was handled. Without it that is what came before the next. */
  confirm?: boolean | undefined;
  /** Ends the loop, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** What a device is to do: have this revision of a content, and no other; or have none of it. */
export type LibraryChange =
  | { readonly kind: "fetch"; readonly content: string; readonly revision: string }
  | {
      readonly kind: "remove";
      readonly content: string;
      /** The one that it has, null where that is not certain. */
      readonly revision: string | null;
    };

/**
 * What a device is to fetch and to remove, so that it has what its user keeps. One loop at a time. It
 * rejects with ApiError, and without `live` with NetworkError.
 */
export class Library implements AsyncIterable<LibraryChange> {
  private constructor();

  /** With `confirm`: this change, as it was given, was handled. Resolves when that is in the
   * storage. */
  done(change: LibraryChange): Promise<void>;

  /** What the device has of this content is lost or broken: it is given again. */
  forget(content: string): Promise<void>;

  [Symbol.asyncIterator](): AsyncGenerator<LibraryChange, void, undefined>;
}
