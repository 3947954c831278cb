/** A secret that the service shows once: it is made, shown, and copied with one press. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { t } from "../texts.js";
import { copy } from "../parts/copy.js";
import { Alert, Button, Dialog, useId } from "../parts/form.js";
import { useAction } from "../parts/hooks.js";

/** A value that cannot be changed, with a button that copies it.
 * @param {{label: string, value: string, autofocus?: boolean}} props */
export function Copied({ label, value, autofocus = false }) {
  const id = useId();
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const button = useRef(/** @type {HTMLElement | null} */ (null));
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (autofocus) button.current?.querySelector("button")?.focus();
  }, []);
  const press = async () => {
    if (field.current) setSaid(t((await copy(field.current)) ? "console.copied" : "console.copy-by-keys"));
  };
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <div class="copied" ref=${button}>
        <input
          id=${id}
          ref=${field}
          class="mono"
          readonly
          value=${value}
          dir="ltr"
          autocomplete="off"
          spellcheck="false"
          onFocus=${(/** @type {any} */ event) => event.target.select()}
        />
        <${Button} aria-label=${t("console.copy-what", { what: label })} onClick=${press}>
          ${t("console.copy")}
        <//>
      </div>
      <p class="hint" role="status">
        ${said}
      </p>
    </div>
  `;
}

/** Asks whether to make one, and shows it. `make` gives it; `beside` is shown with it, such as an id.
 * @param {{title: string, text: string, make: () => Promise<string>, onMade: () => unknown,
 *   onClose: () => void, beside?: any}} props */
export function Secret({ title, text, make, onMade, onClose, beside }) {
  const [value, setValue] = useState("");
  const act = useAction(async () => {
    setValue(await make());
    await onMade();
  });
  if (!value) {
    return html`
      <${Dialog} title=${title} onClose=${onClose}>
        <div class="stack">
          <p>${text}</p>
          <${Alert} error=${act.error} />
          <p class="actions">
            <${Button} kind="main" busy=${act.busy} onClick=${() => act.run()}>
              ${t("console.make-secret")}
            <//>
          </p>
        </div>
      <//>
    `;
  }
  return html`
    <${Dialog} title=${title} onClose=${onClose}>
      <div class="stack">
        <p>
          <b>${t("console.secret-once")}</b>
        </p>
        ${beside}
        <${Copied} label=${t("console.secret")} value=${value} autofocus=${true} />
        <${Alert} error=${act.error} />
        <p class="actions">
          <${Button} kind="main" onClick=${onClose}>
            ${t("console.secret-kept")}
          <//>
        </p>
      </div>
    <//>
  `;
}
