/** A button that copies the address of a place, or on a phone hands it to another program. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { copy } from "./copy.js";

/** Whether the system has a sheet for what is shared. With a mouse, a copy is sooner where it is wanted. */
const shares = "share" in navigator && matchMedia("(pointer: coarse)").matches;

/** Milliseconds for which the button says what came of it. */
const PATIENCE = 5_000;
const LABEL = shares ? "notices.share" : "notices.copy";

/** @param {{path: string, kind?: string}} props `kind` are more classes of the button */
export function CopyLink({ path, kind = "" }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [key, setKey] = useState(/** @type {import("../texts.js").Key} */ (LABEL));
  const isTold = key !== LABEL;
  useEffect(() => {
    if (!isTold) return;
    const timer = setTimeout(() => setKey(LABEL), PATIENCE);
    return () => clearTimeout(timer);
  }, [isTold]);
  const press = async () => {
    const why = shares ? await navigator.share({ url: address(path) }).catch((error) => error) : null;
    if (shares && (!why || why.name === "AbortError")) return;
    if (field.current) setKey((await copy(field.current)) ? "notices.copied" : "notices.copy-failed");
  };
  return html`
    <input
      class="unseen"
      ref=${field}
      readonly
      tabindex="-1"
      value=${address(path)}
      aria-label="URL"
    />
    <button type="button" class=${`button ${kind}`} onClick=${press}>${t(key)}</button>
    <span class="unseen" role="status">${isTold && t(key)}</span>
  `;
}
