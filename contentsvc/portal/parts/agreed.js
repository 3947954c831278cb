/** A box that must be ticked before a form is sent. */
import { html } from "../vendor/preact.js";
import { about, Problem, useField, useId } from "./form.js";

/** @param {{name: string, value: boolean, onChange: (value: boolean) => void, needed: string, children?:
 *   any}} props `needed` is said where it is not ticked */
export function Agreed({ name, value, onChange, needed, children }) {
  const id = useId();
  const [problem, forget] = useField(name, { value: value ? "yes" : "", required: true, needed });
  return html`
    <div class="field">
      <label class="check" for=${id}>
        <input
          id=${id}
          type="checkbox"
          checked=${value}
          ...${about(id, false, problem)}
          onChange=${(/** @type {any} */ event) => (forget(), onChange(event.target.checked))}
        />
        <span>${children}</span>
      </label>
      <${Problem} id=${id} text=${problem} />
    </div>
  `;
}
