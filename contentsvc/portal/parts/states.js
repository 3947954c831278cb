/** What a place shows while it waits, when it has nothing, and when it failed. */
import { html } from "../vendor/preact.js";
import { t } from "../texts.js";
import { Alert, Button } from "./form.js";

/** @param {{label?: string}} props */
export function Waiting({ label }) {
  return html`
    <p class="waiting" role="status">
      <span class="spinner" aria-hidden="true"></span>
      ${label ?? t("state.loading")}
    </p>
  `;
}

/** @param {{title: string, text?: string, children?: any}} props */
export function Empty({ title, text, children }) {
  return html`
    <div class="empty">
      <p class="empty-title">${title}</p>
      ${text && html`<p>${text}</p>`}
      ${children}
    </div>
  `;
}

/** What was read, or why not. While it is read for the first time, that.
 * @template T
 * @param {{of: import("./hooks.js").Loaded<T>, children: (data: T) => any}} props */
export function Loaded({ of, children }) {
  if (of.data !== undefined)
    return html`
      ${of.error ? html`<${Alert} error=${of.error} />` : null}
      ${children(of.data)}
    `;
  if (of.loading) return html`<${Waiting} />`;
  return html`
    <${Alert} error=${of.error} />
    <p>
      <${Button} onClick=${of.reload}>${t("action.retry")}<//>
    </p>
  `;
}
