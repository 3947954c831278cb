/** When something begins and ends, as two fields of a form. */
import { html } from "../vendor/preact.js";
import { instant, local } from "../format.js";
import { t } from "../texts.js";
import { Field } from "../parts/form.js";

/** @param {{names: [string, string], labels: Record<string, string>, values: Record<string, string>,
 *   hints?: Record<string, string>, onChange: (part: Record<string, string>) => void}} props `names` are
 *   those of the members that are sent */
export function Times({ names, labels, values, hints = {}, onChange }) {
  const [first, last] = names;
  return html`
    <div class="times">
      ${names.map(
        (name) =>
          html`
            <${Field}
              key=${name}
              label=${labels[name]}
              type="datetime-local"
              name=${name}
              value=${values[name]}
              sent=${instant(values[name])}
              hint=${hints[name]}
              check=${() =>
                name === last &&
                values[first] &&
                values[last] <= values[first] &&
                t("console.until-before-from")}
              wrong=${name === last ? t("console.until-before-from") : undefined}
              onChange=${(/** @type {string} */ value) => onChange({ [name]: value })}
            />
          `,
      )}
    </div>
  `;
}

/** What is sent of such a field. A time that was not touched keeps its seconds, which the field has not.
 * @param {string} text @param {number | null} [was] */
export const timeOf = (text, was) => (was !== undefined && text === local(was) ? was : instant(text));
