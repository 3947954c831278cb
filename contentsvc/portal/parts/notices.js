/** What is said beside every place, and what can be put back. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { dismiss, notices, onNotices } from "../notices.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { offer, onGone, undo } from "../undo.js";
import { Alert } from "./form.js";

export function Notices() {
  const [, draw] = useState({});
  const button = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const ends = [onNotices(() => draw({})), onGone(() => draw({}))];
    return () => ends.forEach((end) => end());
  }, []);
  const deed = offer();
  // The next stop of the keyboard is `Undo`, and then what would have been: it is there for a short time.
  useEffect(() => {
    if (!deed) return;
    /** @type {Element | null} */
    let before = null;
    /** @param {KeyboardEvent} event */
    const press = (event) => {
      const isThere = document.activeElement === button.current;
      if (event.key !== "Tab" && !(event.key === "Escape" && isThere)) return;
      if (!isThere && (before || event.shiftKey || document.querySelector("dialog[open]"))) return;
      const next = isThere ? before : button.current;
      if (!isThere) before = document.activeElement;
      if (!(next instanceof HTMLElement) || !next.isConnected) return;
      event.preventDefault();
      next.focus();
    };
    document.addEventListener("keydown", press, true);
    return () => {
      document.removeEventListener("keydown", press, true);
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    };
  }, [deed]);
  return html`
    <div class="notices">
      <div role="status">
        ${
          deed &&
          html`
            <p class="notice-line">
              <span>${deed.text}</span>
              <button type="button" class="button main" id="undo" ref=${button} onClick=${() => undo()}>
                ${t("action.undo")}
              </button>
            </p>
          `
        }
        ${notices.filter(({ error }) => !error).map((one) => html`<${Line} key=${one.id} notice=${one} />`)}
      </div>
      ${notices.filter(({ error }) => error).map((one) => html`<${Line} key=${one.id} notice=${one} />`)}
    </div>
  `;
}

/** @param {{notice: import("../notices.js").Notice}} props */
function Line({ notice: { id, text, path, link, error } }) {
  return html`
    <div class="notice-line">
      ${
        error
          ? html`
            <div>
              <p>${t("undo.failed")} <bdi>${text}</bdi></p>
              <${Alert} error=${error} />
            </div>
          `
          : html`
            <span>
              <bdi>${text}</bdi>${" "}
              ${path && html`<a href=${address(path)} onClick=${() => dismiss(id)}>${link}</a>`}
            </span>
          `
      }
      <button
        type="button"
        class="icon"
        aria-label=${t("notices.dismiss", { text })}
        onClick=${() => dismiss(id)}
      >
        ×
      </button>
    </div>
  `;
}
