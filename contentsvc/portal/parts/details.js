/** What is opened by its summary. Whether it is open is kept with the entry of the history. */
import { html, useEffect, useRef } from "../vendor/preact.js";
import { useKept } from "./hooks.js";

/** @param {{name: string, summary: any, open?: boolean, kind?: string, children?: any}} props `name` is one
 *   that nothing else at the place has; `open` is whether it is open before somebody turns it, and opens it
 *   when it becomes true; children that are a function are made when it is open */
export function Details({ name, summary, open = false, kind, children }) {
  const [isOpen, keep] = useKept(`details ${name}`, /** @type {boolean | null} */ (null));
  const before = useRef(open);
  useEffect(() => {
    if (open && !before.current) keep(true);
    before.current = open;
  }, [open]);
  const now = isOpen ?? open;
  /** @param {any} event */
  const turn = ({ currentTarget }) => currentTarget.open !== now && keep(currentTarget.open);
  return html`
    <details class=${kind} open=${now} onToggle=${turn}>
      <summary>${summary}</summary>
      ${typeof children === "function" ? now && children() : children}
    </details>
  `;
}
