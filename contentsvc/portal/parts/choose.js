/** The values of a field, of which one is chosen, as large as the keys of a game pad need them. */
import { html } from "../vendor/preact.js";
import { Dialog } from "./form.js";

/** @param {{select: HTMLSelectElement, onClose: () => void}} props */
export default function Choose({ select, onClose }) {
  /** @param {HTMLOptionElement} option */
  const choose = ({ value }) => {
    onClose();
    if (value === select.value) return;
    select.value = value;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  };
  /** @param {HTMLOptionElement} option */
  const one = (option) =>
    html`
      <li key=${option.index}>
        <button
          type="button"
          class="button whole"
          aria-pressed=${option.selected}
          disabled=${option.disabled}
          onClick=${() => choose(option)}
        >
          ${option.text}
        </button>
      </li>
    `;
  return html`
    <${Dialog} kind="choose" title=${select.labels[0]?.textContent?.trim() ?? ""} onClose=${onClose}>
      ${[...select.children].map((part) =>
        part instanceof HTMLOptGroupElement
          ? html`
            <h3>${part.label}</h3>
            <ul>${[.../** @type {any} */ (part.children)].map(one)}</ul>
          `
          : html`<ul>${one(/** @type {HTMLOptionElement} */ (part))}</ul>`,
      )}
    <//>
  `;
}
