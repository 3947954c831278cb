/** What is said beside every place, and what can be put back. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { dismiss, notices } from "../notices.js";
import { address, here } from "../router.js";
import { t } from "../texts.js";
import { offer, said, undo } from "../undo.js";
import { Alert } from "./basics.js";
import { CopyLink } from "./copy-link.js";
import { useNews } from "./hooks.js";

/** Drawn again when something else is to be said. */
function useNotices() {
  const [, draw] = useState({});
  useNews("notices", () => draw({}));
  // What changed after the first drawing, before it was heard.
  useEffect(() => draw({}), []);
}

/** What is said quietly, and what can be put back. */
export function Said() {
  useNotices();
  const button = useRef(/** @type {HTMLElement | null} */ (null));
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
      // What had it is gone, and what stood around that may have it.
      const has = document.activeElement;
      const isLost =
        !button.current?.isConnected && (has === document.body || has?.matches(".notices > div"));
      if (isLost && before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [deed]);
  return html`
    ${
      deed &&
      html`
        <p class="notice-line">
          <bdi>${said(deed)}</bdi>
          <button type="button" class="button main" id="undo" ref=${button} onClick=${() => undo()}>
            ${t("action.undo")}
          </button>
        </p>
      `
    }
    ${notices.filter(({ error }) => !error).map((one) => html`<${Line} key=${one.id} notice=${one} />`)}
  `;
}

/** What could not be done. */
export function Warned() {
  useNotices();
  return notices.filter(({ error }) => error).map((one) => html`<${Line} key=${one.id} notice=${one} />`);
}

/** @param {{notice: import("../notices.js").Notice}} props */
function Line({ notice: { id, text, path, link, error, copied } }) {
  const isOver = copied && !path && here().replace(/\?.*/, "") !== copied;
  useEffect(() => {
    if (isOver) dismiss(id);
  }, [isOver]);
  return html`
    <div class="notice-line">
      ${
        error
          ? html`
            <div>
              <p><bdi>${text}</bdi></p>
              <${Alert} error=${error} />
              ${path && html`<a href=${address(path)} onClick=${() => dismiss(id)}>${link}</a>`}
            </div>
          `
          : html`
            <span>
              <bdi>${text}</bdi>${" "}
              ${path && html`<a href=${address(path)} onClick=${() => dismiss(id)}>${link}</a>`}
            </span>
          `
      }
      ${copied && html`<${CopyLink} path=${copied} />`}
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
