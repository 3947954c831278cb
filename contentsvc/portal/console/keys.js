/** Single keys that act at once. They are off until somebody switches them on, for whom that is kept in this
 * browser. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { state } from "../session.js";
import { t } from "../texts.js";
import { Dialog, useId } from "../parts/form.js";

/** @typedef {{key: string, text: string, work: () => unknown}} Key */

const name = () => `contentsvc.keys.${state.user?.id ?? ""}`;

/** Whether an event is about something that somebody types in, or answers.
 * @param {KeyboardEvent} event */
const isElsewhere = ({ target }) =>
  !!document.querySelector("dialog[open]") ||
  (target instanceof Element && !!target.closest("input, textarea, select, [contenteditable]"));

/** The keys of a place: whether they are on, and what shows them.
 * @param {Key[]} keys what they do now: one that can do nothing is not among them
 * @returns {[boolean, any]} */
export function useKeys(keys) {
  const [on, setOn] = useState(() => localStorage.getItem(name()) === "on");
  const [shown, setShown] = useState(false);
  // Effects come later than what is drawn: a key that follows at once is to find what was typed.
  const last = useRef({ keys, on });
  last.current = { keys, on };
  useEffect(() => {
    /** @param {KeyboardEvent} event */
    const press = (event) => {
      if (event.defaultPrevented || event.repeat || event.isComposing || isElsewhere(event)) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { keys, on } = last.current;
      const work = event.key === "?" ? () => setShown(true) : keys.find((one) => one.key === event.key)?.work;
      if (!work || (!on && event.key !== "?")) return;
      event.preventDefault();
      void work();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  /** @param {boolean} on */
  const turn = (on) => {
    if (on) localStorage.setItem(name(), "on");
    else localStorage.removeItem(name());
    setOn(on);
  };
  const view = html`
    <button
      type="button"
      class="icon"
      aria-label=${t("console.keys")}
      aria-haspopup="dialog"
      onClick=${() => setShown(true)}
    >
      ?
    </button>
    ${shown && html`<${Shown} keys=${keys} on=${on} turn=${turn} onClose=${() => setShown(false)} />`}
  `;
  return [on, view];
}

/** @param {{keys: Key[], on: boolean, turn: (on: boolean) => void, onClose: () => void}} props */
function Shown({ keys, on, turn, onClose }) {
  const id = useId();
  return html`
    <${Dialog} title=${t("console.keys")} onClose=${onClose}>
      <p>
        <label class="check">
          <input
            type="checkbox"
            role="switch"
            checked=${on}
            aria-describedby=${id}
            onChange=${() => turn(!on)}
          />${" "}
          ${t("console.keys-on")}
        </label>
      </p>
      <p class="hint" id=${id}>${t("console.keys-hint")}</p>
      <dl class="keys">
        ${[...keys, { key: "?", text: t("console.keys-show") }].map(
          ({ key, text }) =>
            html`
              <dt key=${key}>
                <kbd>${key}</kbd>
              </dt>
              <dd>${text}</dd>
            `,
        )}
      </dl>
    <//>
  `;
}
