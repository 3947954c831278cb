/** A button that keeps its place: once its act is done, it says so, and does nothing more. */
import { html } from "../vendor/preact.js";
import { Button } from "../parts/form.js";
import { Icon } from "../parts/icons.js";

/** @param {{text: string, done?: string | false | null, off?: boolean, kind?: "main" | "plain" | "danger",
 *   letter?: string | false, busy: boolean, onClick: () => unknown}} props `done` is what it says then; `off`
 *   is whether there is nothing to do; `letter` is the key that presses it */
export function ActButton({ text, done, off, kind = "plain", letter, busy, onClick }) {
  const still = !!done || !!off;
  return html`
    <${Button}
      kind=${done ? "plain done" : kind}
      busy=${busy}
      aria-disabled=${still ? true : undefined}
      aria-keyshortcuts=${letter && !still ? letter : undefined}
      onClick=${() => still || onClick()}
    >
      ${done && html`<${Icon} name="subscribed" />`}
      ${done || text}
      ${letter && !still && html`<kbd aria-hidden="true">${letter}</kbd>`}
    <//>
  `;
}
