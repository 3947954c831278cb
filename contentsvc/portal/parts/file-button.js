/** Where files are chosen: a button of the page's own, and the browser's field, which has the name, the focus
 * and the keyboard. */
import { html, useRef } from "../vendor/preact.js";
import { Button } from "./basics.js";

/** @param {{id: string, onChoose: (files: FileList) => void, accept?: string, multiple?: boolean,
 *   busy?: boolean, children?: any, [attribute: string]: any}} props `id` is the field's, as its label has
 *   it; the children are what the button says */
export function FileButton({ id, onChoose, accept, multiple, busy = false, children, ...described }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  return html`
    <input
      id=${id}
      ref=${input}
      type="file"
      class="unseen"
      multiple=${multiple}
      accept=${accept}
      ...${described}
      onChange=${(/** @type {any} */ { target }) => {
        if (target.files.length) onChoose(target.files);
        // The same file can be chosen again.
        target.value = "";
      }}
    />
    <${Button} tabindex="-1" aria-hidden="true" busy=${busy} onClick=${() => input.current?.click()}>
      ${children}
    <//>
  `;
}
