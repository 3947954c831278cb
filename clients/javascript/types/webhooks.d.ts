/** A request to a webhook is not from the service, or too old. */
export class SignatureError extends Error {}

/** Headers as `fetch` has them, or as Node's requests have them. */
export type SentHeaders =
  { get(name: string): string | null } | Record<string, string | string[] | undefined>;

/**
 * Checks the signature of what a webhook is sent, before its body is read: the text or the bytes as
 * they came. Gives its `webhook-id`. While secrets change, give both.
 *
 * @throws SignatureError: it is not signed with such a secret, or not within 5 minutes of `now`, in
 * Unix seconds.
 */
export function verifyWebhook(
  secrets: string | string[],
  headers: SentHeaders,
  body: string | Uint8Array | ArrayBuffer,
  options?: { now?: number | undefined },
): Promise<string>;
