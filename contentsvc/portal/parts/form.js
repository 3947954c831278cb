/** Forms, their fields, and dialogs. */
import { ApiError } from "../client.js";
import { createContext, html, useContext, useEffect, useRef, useState } from "../vendor/preact.js";
import { needPart, t } from "../texts.js";
import { Alert, Button, RequestId, useId } from "./basics.js";
import { fault, sorted } from "./problems.js";
import { words } from "./words.js";

export { Alert, Button, useId };

// What a form refuses it says at once.
await needPart("errors");

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

/** @typedef {import("./problems.js").Known} Known */
/**
 * What a form knows of its fields.
 * @typedef {object} Held
 * @property {Map<string, Known>} fields
 * @property {Record<string, string>} marks what is wrong with which
 * @property {unknown} rest what is about none of them
 * @property {unknown} cause what the service said, if it was that
 * @property {unknown} error what was sorted last
 * @property {boolean} isDue whether the first marked field is to have the focus
 */
/** @typedef {{held: Held, limits: Record<string, import("./problems.js").Limit>, instead?:
 *   import("./words.js").Instead, forget: (name: string) => void}} Around */

const Surrounding = createContext(/** @type {Around | null} */ (null));

/** Tell the form around of a field: the problem that it has, and what forgets it.
 * @param {string | undefined} name that of the member of the body or of the query; `a/b` is the member b of
 *   the member a. A field without a name has no problems.
 * @param {Known} known
 * @returns {[string | null, () => void]} */
export function useField(name, known) {
  const form = useContext(Surrounding);
  const own = useRef(/** @type {Known | null} */ (null));
  if (form && name) form.held.fields.set(name, (own.current = { limit: form.limits[name], ...known }));
  useEffect(
    () => () => {
      if (name && form?.held.fields.get(name) === own.current) form?.held.fields.delete(name);
    },
    [name],
  );
  return [(name && form?.held.marks[name]) || null, () => name && form?.forget(name)];
}

/**
 * A field with its label. Its `name` ties it to what the form around knows: limits, and why it was refused.
 * @param {{label: string, value: string, onChange: (value: string) => void, name?: string, type?: string,
 *   lines?: number, hint?: string, problem?: string | null, sent?: any, required?: boolean, needed?: string,
 *   check?: Known["check"], wrong?: string, focused?: boolean, [attribute: string]: any}} props `sent` is
 *   what is sent of the value; `needed`, `check` and `wrong` are those of Known; `focused` has the focus as
 *   it comes
 */
export function Field(props) {
  const { label, value, onChange, name, type = "text", lines, hint, ...others } = props;
  const { problem, sent = value, required, needed, check, wrong, focused, ...attributes } = others;
  const id = useId();
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  const exact = type === "password";
  const [mark, forget] = useField(name, { value: sent, required, needed, check, wrong, exact });
  const bad = problem ?? mark;
  useEffect(() => {
    if (focused) element.current?.focus();
  }, []);
  /** @param {Event} event */
  const input = (event) => {
    forget();
    onChange(/** @type {HTMLInputElement} */ (event.target).value);
  };
  const common = { id, value, required, ref: element, onInput: input, ...about(id, !!hint, bad) };
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
      <${Problem} id=${id} text=${bad} />
    </div>
  `;
}

/**
 * A field of which one value is chosen.
 * @param {{label: string, value: string, options: [string, string | [string, string][]][], onChange: (value:
 *   string) => void, name?: string, required?: boolean, hint?: string, problem?: string | null}} props
 *   `options` are values and their texts, or names of groups and the options of each
 */
export function Choice({ label, value, options, onChange, name, required, hint, problem }) {
  const id = useId();
  const [mark, forget] = useField(name, { value, required });
  const bad = problem ?? mark;
  /** @param {[string, string]} one */
  const option = ([name, text]) =>
    html`
      <option key=${name} value=${name} selected=${name === value}>
        ${text}
      </option>
    `;
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <select
        id=${id}
        value=${value}
        ...${about(id, !!hint, bad)}
        onChange=${(/** @type {any} */ event) => (forget(), onChange(event.target.value))}
      >
        ${options.map(([name, text]) =>
          typeof text === "string"
            ? option([name, text])
            : text.length > 0 && html`<optgroup key=${name} label=${name}>${text.map(option)}</optgroup>`,
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
      <${Problem} id=${id} text=${bad} />
    </div>
  `;
}

/** A form. It is sent by its button and by Enter. Before that, each of its fields is checked; what is
 * refused, here or by the service, is said beside the fields that it is about, of which the first has the
 * focus. `Refused` says the rest.
 * @param {{onSend: () => void, of?: {error: unknown}, limits?: Record<string,
 *   import("./problems.js").Limit>, instead?: import("./words.js").Instead, place?: (pointer: string) =>
 *   string | null | undefined, children?: any, [attribute: string]: any}} props `of` is the action that
 *   sends it, `limits` those of the operation, `instead` other words for some codes, `place` the field of a
 *   place in the body where that has another name */
export function Form({ onSend, of, limits = {}, instead, place, children, ...attributes }) {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  const [held] = useState(
    () =>
      /** @type {Held} */ ({
        fields: new Map(),
        marks: {},
        rest: null,
        cause: null,
        error: null,
        isDue: false,
      }),
  );
  const [, draw] = useState({});
  const error = of?.error ?? null;
  /** @param {Record<string, string>} marks @param {unknown} [rest] @param {unknown} [cause] */
  const mark = (marks, rest = null, cause = null) =>
    Object.assign(held, { marks, rest, cause, isDue: Object.keys(marks).length > 0 });
  if (held.error !== error) {
    held.error = error;
    const found = sorted(error, held.fields, instead, place);
    mark(found.marks, found.rest, error);
  }
  useEffect(() => {
    if (!held.isDue) return;
    held.isDue = false;
    const first = /** @type {HTMLElement | null} */ (element.current?.querySelector("[aria-invalid=true]"));
    const folded = first?.closest("details");
    if (folded) folded.open = true;
    first?.focus();
  });
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    const found = [...held.fields].map(([name, field]) => [name, fault(field)]);
    mark(Object.fromEntries(found.filter(([, text]) => text)));
    draw({});
    if (!held.isDue) onSend();
  };
  /** @param {string} name */
  const forget = (name) => {
    if (!(name in held.marks)) return;
    const { [name]: _, ...marks } = held.marks;
    held.marks = marks;
    draw({});
  };
  return html`
    <${Surrounding.Provider} value=${{ held, limits, instead, forget }}>
      <form novalidate ref=${element} onSubmit=${submit} ...${attributes}>
        ${children}
      </form>
    <//>
  `;
}

/** Why a form was not sent, as far as its fields do not say it. */
export function Refused() {
  const form = useContext(Surrounding);
  if (!form) return null;
  const { marks, rest, cause } = form.held;
  /** @type {import("./words.js").Instead} */
  const instead = { network: "error.network-kept", ...form.instead };
  if (!Object.keys(marks).length) return html`<${Alert} error=${rest} instead=${instead} />`;
  return html`
    <div class="alert" role="alert">
      <p>${t("error.look")}</p>
      ${rest ? html`<p>${words(rest, instead)}</p>` : null}
      <${RequestId} id=${cause instanceof ApiError ? cause.requestId : null} />
    </div>
  `;
}

/** What has the focus of a dialog that opens: its first field.
 * @param {HTMLElement} dialog
 * @returns {HTMLElement | null} */
const firstField = (dialog) =>
  dialog.querySelector(":is(input, select, textarea):not(:disabled, [type=hidden])");

/**
 * A dialog over the page. Escape and its button close it, and the focus goes back. Its first field has the
 * focus, also one that is there only later; without fields, its heading.
 * @param {{title: string, onClose: () => void, kind?: string, children?: any}} props `kind` are classes
 */
export function Dialog({ title, onClose, kind, children }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    heading.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  useEffect(() => {
    if (element.current && document.activeElement === heading.current) firstField(element.current)?.focus();
  });
  return html`
    <dialog class=${kind} ref=${element} aria-labelledby=${id} onClose=${onClose}>
      <header>
        <h2 id=${id} ref=${heading} tabindex="-1">
          ${title}
        </h2>
        <button type="button" class="icon" aria-label=${t("action.close")} onClick=${onClose}>
          ×
        </button>
      </header>
      ${children}
    </dialog>
  `;
}
