/** A button that copies the address of a place. */
import { html, useRef, useState } from "../vendor/preact.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { copy } from "./copy.js";

/** @param {{path: string}} props */
export function CopyLink({ path }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [key, setKey] = useState(/** @type {import("../texts.js").Key} */ ("notices.copy"));
  const press = async () =>
    field.current && setKey((await copy(field.current)) ? "notices.copied" : "notices.copy-failed");
  return html`
    <input
      class="unseen"
      ref=${field}
      readonly
      tabindex="-1"
      value=${address(path)}
      aria-label="URL"
    />
    <button type="button" class="button" onClick=${press}>${t(key)}</button>
  `;
}
