/** Fields, buttons, and what is said when something was refused. */
import { ApiError, NetworkError } from "../client.js";
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { hasText, t, Told } from "../texts.js";
import { logInAddress } from "./then.js";

/** What to say of a failure: words for its code, or what the service says.
 * @param {unknown} error
 * @param {Record<string, import("../texts.js").Key>} [instead] other words for some codes
 * @returns {string} */
export function words(error, instead = {}) {
  if (error instanceof ApiError) {
    const own = instead[error.code ?? ""];
    if (own) return t(own, { limit: Number(error.problem?.limit) });
    if (error.retryAfter && error.status === 429)
      return t("error.wait", { count: Math.ceil(error.retryAfter) });
    if (error.code === "maintenance")
      return [t("error.maintenance"), error.problem?.message ?? ""].join(" ").trim();
    return codeWords(error.code, error.detail) ?? (error.title || t("error.other"));
  }
  if (error instanceof Told) return t(error.key, error.values);
  if (error instanceof NetworkError) return t("error.network");
  return t("error.other");
}

/** The words for a problem's code, or else what the service says of it; null if it says nothing.
 * @param {string | null} code @param {string | null} detail */
export function codeWords(code, detail) {
  const key = `error.${code}`;
  return hasText(key) ? t(key) : detail || null;
}

/** Says why something failed. It is read aloud.
 * @param {{error: unknown, instead?: Record<string, import("../texts.js").Key>}} props `instead` are other
 *   words for some codes */
export function Alert({ error, instead }) {
  if (!error) return null;
  const id = error instanceof ApiError ? error.requestId : null;
  const ended = error instanceof ApiError && error.status === 401;
  return html`
    <div class="alert" role="alert">
      <p>${words(error, instead)}</p>
      ${
        ended &&
        html`
          <p>
            <a href=${logInAddress()}>${t("action.log-in")}</a>
          </p>
        `
      }
      <${RequestId} id=${id} />
    </div>
  `;
}

/** By what those who run the service find the request in its log.
 * @param {{id: string | null}} props */
export function RequestId({ id }) {
  return id && html`<p class="faint small">${t("error.request", { id })}</p>`;
}

const WORD = /\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)/gy;

/** The words of a field in which commas separate them. One with a comma stands in quotation marks.
 * @param {string} text
 * @returns {string[]} */
export function separated(text) {
  const words = [...`${text},`.matchAll(WORD)].map(
    ([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain.trim(),
  );
  return words.filter(Boolean);
}

/** The text of such a field.
 * @param {string[]} words */
export function joined(words) {
  return words
    .map((word) => (/,|^"|^\s|\s$/.test(word) ? `"${word.replaceAll('"', '""')}"` : word))
    .join(", ");
}

let count = 0;
/** An id that nothing else on the page has. */
export function useId() {
  return useState(() => `i${++count}`)[0];
}

/** What ties a field to its hint and its problem, for those who do not see them beside it.
 * @param {string} id @param {boolean} hasHint @param {string | null} [problem] */
export function about(id, hasHint, problem) {
  const ids = [hasHint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean);
  return { "aria-describedby": ids.join(" ") || undefined, "aria-invalid": problem ? true : undefined };
}

/** What is wrong with the field with this id.
 * @param {{id: string, text?: string | null}} props */
export function Problem({ id, text }) {
  return text
    ? html`
      <p class="problem" id=${`${id}-problem`}>
        ${text}
      </p>
    `
    : null;
}

/**
 * A field with its label.
 * @param {{label: string, value: string, onChange: (value: string) => void, type?: string,
 *   lines?: number, hint?: string, problem?: string | null, [attribute: string]: any}} props
 */
export function Field({ label, value, onChange, type = "text", lines, hint, problem, ...attributes }) {
  const id = useId();
  /** @param {Event} event */
  const input = (event) => onChange(/** @type {HTMLInputElement} */ (event.target).value);
  const common = { id, value, onInput: input, ...about(id, !!hint, problem) };
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      ${
        lines
          ? html`<textarea rows=${lines} dir="auto" ...${common} ...${attributes} />`
          : html`<input type=${type} dir="auto" ...${common} ...${attributes} />`
      }
      ${
        hint &&
        html`
          <p class="hint" id=${`${id}-hint`}>
            ${hint}
          </p>
        `
      }
      <${Problem} id=${id} text=${problem} />
    </div>
  `;
}

/**
 * A field of which one value is chosen.
 * @param {{label: string, value: string, options: [string, string][], onChange: (value: string) => void,
 *   hint?: string, problem?: string | null}} props
 */
export function Choice({ label, value, options, onChange, hint, problem }) {
  const id = useId();
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <select
        id=${id}
        value=${value}
        ...${about(id, !!hint, problem)}
        onChange=${(/** @type {any} */ event) => onChange(event.target.value)}
      >
        ${options.map(
          ([name, text]) =>
            html`
              <option key=${name} value=${name} selected=${name === value}>
                ${text}
              </option>
            `,
        )}
      </select>
      ${
        hint &&
        html`
          <p class="hint" id=${`${id}-hint`}>
            ${hint}
          </p>
        `
      }
      <${Problem} id=${id} text=${problem} />
    </div>
  `;
}

/**
 * A button which says by itself that its work goes on.
 * @param {{busy?: boolean, kind?: "main" | "plain" | "danger", children?: any, [attribute: string]: any}}
 *   props
 */
export function Button({ busy = false, kind = "plain", children, ...attributes }) {
  return html`
    <button type="button" class=${`button ${kind}`} aria-busy=${busy} ...${attributes}>
      ${children}
    </button>
  `;
}

/** A form. It is sent by its button and by Enter.
 * @param {{onSend: () => void, children?: any, [attribute: string]: any}} props */
export function Form({ onSend, children, ...attributes }) {
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    onSend();
  };
  return html`
    <form novalidate onSubmit=${submit} ...${attributes}>
      ${children}
    </form>
  `;
}

/**
 * A dialog over the page. Escape and its button close it, and the focus goes back.
 * @param {{title: string, onClose: () => void, children?: any}} props
 */
export function Dialog({ title, onClose, children }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return html`
    <dialog ref=${element} aria-labelledby=${id} onClose=${onClose}>
      <header>
        <h2 id=${id}>${title}</h2>
        <button type="button" class="icon" aria-label=${t("action.close")} onClick=${onClose}>
          ×
        </button>
      </header>
      ${children}
    </dialog>
  `;
}
