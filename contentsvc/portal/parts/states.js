/** What a place shows while it waits, when it has nothing, and when it failed. */
import { html } from "../vendor/preact.js";
import { t } from "../texts.js";
import { Alert, Button } from "./basics.js";

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

/** Cards that are on their way: so many places of their size.
 * @param {{count?: number, kind?: string}} props `kind` are more classes of the list */
export function CardsWaiting({ count = 8, kind = "" }) {
  return html`
    <div class="skeletons">
      <p class="unseen" role="status">${t("state.loading")}</p>
      <div class=${`cards ${kind}`} aria-hidden="true">
        ${Array.from(
          { length: count },
          (_, n) =>
            html`
              <div class="card" key=${n}>
                <span class="skeleton picture"></span>
                <span class="card-name"><span class="skeleton words"></span></span>
                <span class="card-foot"><span class="skeleton words short"></span></span>
              </div>
            `,
        )}
      </div>
    </div>
  `;
}

/** What was read, or why not. While it is read for the first time, that, or what stands for it.
 * @template T
 * @param {{of: import("./hooks.js").Loaded<T>, children: (data: T) => any, waiting?: any}} props */
export function Loaded({ of, children, waiting }) {
  if (of.data !== undefined)
    return html`
      ${of.error ? html`<${Alert} error=${of.error} />` : null}
      ${children(of.data)}
    `;
  if (of.loading) return waiting ?? html`<${Waiting} />`;
  return html`
    <${Alert} error=${of.error} />
    <p>
      <${Button} onClick=${of.reload}>${t("action.retry")}<//>
    </p>
  `;
}
