import type { CallOptions, Operations } from "./operations.js";

export type * from "./operations.js";

/** Keeps strings for the client. What is missing is null. */
export interface Storage {
  get(key: string): string | null | Promise<string | null>;
  set(key: string, value: string): unknown;
  remove(key: string): unknown;
}

/** Options of a client. */
export interface ClientOptions {
  /** Which program this is, for the service's sockets: `game`, if it is left out. */
  client?: "game" | "portal" | undefined;
  /** Keeps the log-in, and what `live` has seen. Without it both end with the page. */
  storage?: Storage | undefined;
  /** The path at which the service keeps the refresh token in a cookie: `/portal/session`. */
  session?: string | undefined;
  /** Seconds to wait for an answer: 30, if it is left out. */
  timeout?: number | undefined;
  /** How many times at most a request is sent again: 3, if it is left out. */
  retries?: number | undefined;
  /** Used instead of JSON.parse, for answers, errors and what a socket says: `exactly`, or your own. */
  parse?: ((text: string) => unknown) | undefined;
  /** Used instead of the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Used instead of the global `WebSocket`, which Node 20 does not have. */
  WebSocket?: (new (url: string) => unknown) | undefined;
}

/** Who is logged in. */
export interface User {
  id: string;
  username: string;
}

/** Why nobody is logged in any more. */
export interface SignedOut {
  reason: "logout" | "ended";
}

/** The items of one part of a list, and the parameters of the next part. */
export interface Part<Item, Parameters> {
  items: Item[];
  next: Parameters | null;
}

type Parameters<Name extends keyof Operations> = NonNullable<globalThis.Parameters<Operations[Name]>[0]>;
type ItemOf<Answer> = Answer extends (infer Item)[]
  ? Item
  : Answer extends { items: (infer Item)[] }
    ? Item
    : never;
type Item<Name extends keyof Operations> = ItemOf<Awaited<ReturnType<Operations[Name]>>>;

/** The operations whose answers are lists. */
export type ListName = {
  [Name in keyof Operations]: [Item<Name>] extends [never] ? never : Name;
}[keyof Operations];

/** A client of one service, for at most one user at a time. Each operation is a method. */
export class Client extends EventTarget {
  constructor(base: string | URL, options?: ClientOptions);

  /** Who is logged in. Null before the first call, where the log-in is in the storage. */
  readonly user: User | null;

  /** Log in with a password. Rejects with ApiError (`invalid_grant`, `account_banned`,
   * `slow_down`) and NetworkError. */
  logIn(by: { username: string; password: string }, options?: CallOptions): Promise<User>;

  /** Log in with a token of another service: `subjectTokenType` is its type of RFC 8693. */
  logInWith(by: { subjectToken: string; subjectTokenType: string }, options?: CallOptions): Promise<User>;

  /** Begin to play without an account, where the service takes guests (`getService`). The first time
   * this makes a guest, later it logs in to the same one: its secret is kept in the storage, through
   * log-outs too, until the guest has become a full account. */
  logInAsGuest(options?: CallOptions): Promise<User>;

  /** Log in with a code of `createPortalCode`, and the id of its user: for pages of the service's own
   * origin, with `session`. A code is good once, so it is never sent again. */
  logInWithCode(by: { code: string; user: string }, options?: CallOptions): Promise<User>;

  /** Act as a service account of the studio, by its id and one of its secrets. The client gets the
   * next tokens by itself. Neither is kept in the storage, and `user` is null. */
  logInAsService(
    by: { account: string; secret: string; scope?: string },
    options?: CallOptions,
  ): Promise<void>;

  /** Log out. Nobody is logged in here afterwards, even if this rejects because the service could
   * not be told. */
  logOut(options?: CallOptions): Promise<void>;

  /** An access token that is good for a while, null if nobody is logged in. `fresh` is true if the
   * service refused the present one, or the token that it refused. */
  token(options?: {
    fresh?: boolean | string | undefined;
    signal?: AbortSignal | undefined;
  }): Promise<string | null>;

  /** All items of a list. */
  each<Name extends ListName>(
    name: Name,
    parameters?: Parameters<Name>,
    options?: CallOptions,
  ): AsyncGenerator<Item<Name>, void, undefined>;

  /** One part of a list. */
  part<Name extends ListName>(
    name: Name,
    parameters?: Parameters<Name>,
    options?: CallOptions,
  ): Promise<Part<Item<Name>, Parameters<Name>>>;

  /** The answer of an operation as the text that came, in which all numbers are exact: "" for 204. */
  text<Name extends keyof Operations>(
    name: Name,
    parameters?: Parameters<Name>,
    options?: CallOptions,
  ): Promise<string>;

  addEventListener(
    type: "signedout",
    listener: ((event: CustomEvent<SignedOut>) => void) | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener(
    type: "signedout",
    listener: ((event: CustomEvent<SignedOut>) => void) | null,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | EventListenerOptions,
  ): void;
}

export interface Client extends Operations {}

/** The answer to a request that is no success. Decide by `code`. */
export class ApiError extends Error {
  readonly name: "ApiError";
  readonly status: number;
  /** The problem's, of OAuth's form its `error`; null if the answer is not the service's own. */
  readonly code: string | null;
  readonly title: string | null;
  readonly detail: string;
  readonly requestId: string | null;
  /** Where a body or query is not valid. */
  readonly errors: { pointer?: string; parameter?: string; detail: string }[];
  /** Seconds to wait, where the service says so. */
  readonly retryAfter: number | null;
  /** The whole body. */
  readonly problem: Record<string, unknown> | null;
}

/** No answer came, or none in time. `cause` says why. */
export class NetworkError extends Error {
  readonly name: "NetworkError";
}

/** A GUID of random bits, for ids that make a call repeatable. */
export function guid(): string;
