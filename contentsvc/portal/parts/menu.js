/** What is seldom done, behind a button. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { Button, useId } from "./basics.js";
import { Icon } from "./icons.js";

/** A button that opens what it says, over the page. Escape and a press elsewhere close it.
 * @param {{label: string, children?: any}} props */
export function Menu({ label, children }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const whole = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (!open) return;
    /** @param {Event} event */
    const look = ({ target }) => whole.current?.contains(/** @type {Node} */ (target)) || setOpen(false);
    document.addEventListener("pointerdown", look);
    return () => document.removeEventListener("pointerdown", look);
  }, [open]);
  /** @param {KeyboardEvent} event */
  const key = (event) => {
    // Escape within a dialog of it is the dialog's.
    const { target } = /** @type {{target: any}} */ (event);
    if (event.key !== "Escape" || !open || target.closest("dialog")) return;
    setOpen(false);
    whole.current?.querySelector("button")?.focus();
  };
  return html`
    <div class="menu" ref=${whole} onKeyDown=${key}>
      <${Turn} id=${id} open=${open} onTurn=${() => setOpen(!open)}>${label}<//>
      ${
        open &&
        html`
          <div class="menu-open" id=${id}>
            ${children}
          </div>
        `
      }
    </div>
  `;
}

/** The button that shows and hides what has this id.
 * @param {{id: string, open: boolean, onTurn: () => void, kind?: string, children?: any}} props */
export function Turn({ id, open, onTurn, kind = "plain", children }) {
  return html`
    <${Button}
      kind=${kind}
      aria-expanded=${open}
      aria-controls=${open ? id : undefined}
      onClick=${onTurn}
    >
      ${children}
      <${Icon} name="down" />
    <//>
  `;
}
