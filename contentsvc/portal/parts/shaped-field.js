/** A field of a text with a shape, and beside it how that will look. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { t } from "../texts.js";
import { useId } from "./basics.js";
import { Field } from "./form.js";
import { isShaping, Shaped } from "./shaped.js";

/** Milliseconds for which nothing is typed before it is shown. */
const PAUSE = 150;

/**
 * @param {{label: string, value: string, under: number, shots?: import("./shaped.js").Shots, [name: string]:
 *   any}} props `under` and `shots` are those of Shaped, the rest those of Field
 */
export function ShapedField({ under, shots, ...field }) {
  const { label, value } = field;
  const id = useId();
  const [shown, show] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => show(value), PAUSE);
    return () => clearTimeout(timer);
  }, [value]);
  if (!isShaping) return html`<${Field} ...${field} />`;
  return html`
    <div class="shaping">
      <${Field} hint=${t("shape.hint")} ...${field} />
      ${
        shown?.trim() &&
        html`
          <div class="field">
            <span class="label" id=${id}>${t("shape.preview", { field: label })}</span>
            <div class="shape-box" role="region" aria-labelledby=${id} tabindex="0">
              <${Shaped} text=${shown} under=${under} shots=${shots} />
            </div>
          </div>
        `
      }
    </div>
  `;
}
