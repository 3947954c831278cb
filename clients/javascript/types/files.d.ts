import type { ContentCreate, ContentFile, EntityReference, RevisionCreate } from "./operations.js";

/** The bytes of a file: a Blob (in Node of `fs.openAsBlob`), or bytes, which are copied. */
export type FileData = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer>;

/** How far a file is, in bytes. `file` is its index, `done` the total once it is verified. */
export interface Progress {
  file: number;
  done: number;
  total: number;
}

/** Options of what moves files. */
export interface FilesOptions {
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Ends the transfer, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How many losses in a row without progress are borne: those of the client, if left out. */
  retries?: number | undefined;
}

/** A file to upload. */
export interface UploadFile {
  use: "entity" | "package" | "screenshot" | "avatar" | "emblem";
  data: FileData;
  /** Of an image its first bytes say the type. This, or else the type of the Blob, counts only
   * where they say nothing. */
  mediaType?: string | undefined;
}

export interface DownloadOptions extends FilesOptions {
  /** Another than the current one. */
  revision?: string | undefined;
  /** Leaves out packages' files for others. */
  platform?: string | undefined;
  /** The paths of those to get: all, if left out. */
  only?: readonly string[] | undefined;
  /** Gives the stream that takes a file, or nothing for a Blob. It is closed once the file is
   * verified, else aborted. It is called again where a file begins anew. */
  into?:
    | ((file: ContentFile) => WritableStream | undefined | void | Promise<WritableStream | undefined | void>)
    | undefined;
}

/** A file of a content. `data` is undefined if a stream has taken it, null if it cannot be had.
 * `platform` is that of a package's file, null of others. */
export interface DownloadedFile {
  path: string;
  use: ContentFile["use"];
  platform: ContentFile["platform"];
  mediaType: string;
  data: Blob | null | undefined;
}

/** What is published without files and ids. New content needs a name and a type. A revision leaves
 * the name, the type and the tags, and description and screenshots where they are not given. In the names of
 * `originating` what the service does not take is `_`. */
export type PublishedContent = Partial<
  Omit<ContentCreate & RevisionCreate, "revisionId" | "entity" | "screenshotUris">
>;

/** The files of a package, by platform. `name` is what each of them is called where it is downloaded: that of
 * the File, if left out, if all have one. */
export interface PublishedPackage {
  id: string;
  name?: string | undefined;
  win64?: FileData | undefined;
  osx64?: FileData | undefined;
  linux64?: FileData | undefined;
  /** The file for another platform of the service. */
  [platform: string]: FileData | string | undefined;
}

/** What to publish. Progress counts `entity`, then the screenshots, then the packages' files. */
export interface Publication extends FilesOptions {
  contentId: string;
  revisionId: string;
  content?: PublishedContent | undefined;
  entity: FileData;
  /** What the entity's file is called where it is downloaded: as a File says, if left out. */
  entityName?: string | undefined;
  /** Images. */
  screenshots?: FileData[] | undefined;
  packages?: PublishedPackage[] | undefined;
}

export interface Published {
  contentId: string;
  revisionId: string;
  listingId: number;
}

/** A reason why something cannot be published. */
export interface PublishProblem {
  code: string;
  detail: string;
  entities?: EntityReference[];
  packages?: string[];
  errors?: { pointer: string; detail: string }[];
}

/** Nothing was sent or published, for these reasons. */
export class PublishError extends Error {
  readonly name: "PublishError";
  readonly problems: PublishProblem[];
}

/** The SHA-256 of a Blob in hexadecimal digits, of which a piece is in memory at a time. It works on
 * plain http too. */
export function digestOf(data: Blob, signal?: AbortSignal): Promise<string>;

/** The bytes of a file have another digest: of a download twice, of an upload since it began. */
export class DigestError extends Error {
  readonly name: "DigestError";
  readonly path: string;
}

/** What Client has for files. */
export interface Files {
  /**
   * Have the service take files, unless it has them: their paths, in order, which are good for
   * publications of this user. After a failure the same call goes on file by file. Images are sent
   * without their metadata.
   *
   * Rejects with ApiError (`quota_exceeded`, `file_too_large`, `media_type_not_allowed`,
   * `file_blocked`, `storage_unavailable`, `files_external`), NetworkError, DigestError; TypeError
   * where data is none; the platform's error where a file cannot be read.
   */
  upload(files: readonly UploadFile[], options?: FilesOptions): Promise<string[]>;

  /**
   * The files of a content, one after the other, verified.
   *
   * Throws ApiError, NetworkError, DigestError; what `into` and its streams throw.
   */
  download(contentId: string, options?: DownloadOptions): AsyncGenerator<DownloadedFile, void, undefined>;

  /**
   * Publish new content, or a revision of it where it exists. The same call goes on after any
   * failure, and changes nothing after a success.
   *
   * Rejects with PublishError before anything is sent; else as `upload` and the operations do.
   */
  publish(publication: Publication, options?: FilesOptions): Promise<Published>;
}
