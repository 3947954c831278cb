/** What a place is about, or that it is not there. */
import { ApiError } from "../client.js";
import { html } from "../vendor/preact.js";
import NotFound from "../places/not-found.js";
import { Loaded } from "./states.js";

/** As `Loaded`, for what the whole place is about: what is gone or hidden is as a wrong address.
 * @template T
 * @param {{of: import("./hooks.js").Loaded<T>, children: (data: T) => any}} props */
export function Found({ of, children }) {
  if (of.error instanceof ApiError && of.error.status === 404) return html`<${NotFound} />`;
  return html`<${Loaded} of=${of}>${children}<//>`;
}
