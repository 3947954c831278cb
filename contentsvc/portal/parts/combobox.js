/** A field whose text is completed from a list. */
import { html, useRef, useState } from "../vendor/preact.js";
import { about, Problem, useId } from "./form.js";

/**
 * @template T
 * @param {{label: string, value: string, options: T[], option: (one: T) => any, keyOf: (one: T) => string,
 *   list: string, onInput: (text: string) => void, onChoose: (one: T) => void, eager?: boolean,
 *   none?: string | false | null, said: string, hint?: string, problem?: string | null,
 *   onKeyDown?: (event: KeyboardEvent) => void, [attribute: string]: any}} props `list` names the list,
 *   `said` is told to those who do not see it, `none` is shown in place of an empty one. If it is `eager`,
 *   Enter takes the first option; otherwise only one that was gone to
 */
export function Combobox(props) {
  const { label, value, options: all, option, keyOf, list, onInput, onChoose, ...others } = props;
  const { eager = false, none, said, hint, problem, onKeyDown, ...attributes } = others;
  const id = useId();
  const [at, setAt] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const element = useRef(/** @type {HTMLInputElement | null} */ (null));
  const options = isOpen ? all : [];
  const marked = Math.min(at, options.length - 1);
  /** @param {T} one */
  const choose = (one) => {
    onChoose(one);
    setAt(-1);
    element.current?.focus();
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && options.length)
      setAt((Math.max(marked, step < 0 ? 0 : -1) + step + options.length) % options.length);
    else if (event.key === "Enter" && options.length && (eager || marked >= 0))
      choose(options[Math.max(marked, 0)]);
    else if (event.key === "Escape" && isOpen && options.length) setOpen(false);
    else return onKeyDown?.(event);
    event.preventDefault();
  };
  return html`
    <label for=${id}>${label}</label>
    <div class="combobox">
      <input
        id=${id}
        ref=${element}
        role="combobox"
        autocomplete="off"
        dir="auto"
        value=${value}
        aria-expanded=${options.length > 0}
        aria-autocomplete="list"
        aria-controls=${options.length ? `${id}-found` : undefined}
        aria-activedescendant=${marked >= 0 ? `${id}-${marked}` : undefined}
        ...${about(id, !!hint, problem)}
        ...${attributes}
        onInput=${(/** @type {any} */ event) => (onInput(event.target.value), setAt(-1), setOpen(true))}
        onKeyDown=${press}
        onFocus=${() => setOpen(true)}
        onBlur=${() => (setOpen(false), setAt(-1))}
      />
      ${
        options.length > 0 &&
        html`
          <ul class="combobox-found" role="listbox" id=${`${id}-found`} aria-label=${list}>
            ${options.map(
              (one, index) =>
                html`
                  <li
                    key=${keyOf(one)}
                    id=${`${id}-${index}`}
                    role="option"
                    aria-selected=${index === marked}
                    onPointerDown=${(/** @type {Event} */ event) => event.preventDefault()}
                    onMouseDown=${(/** @type {Event} */ event) => event.preventDefault()}
                    onClick=${() => choose(one)}
                  >
                    ${option(one)}
                  </li>
                `,
            )}
          </ul>
        `
      }
      ${isOpen && none && html`<p class="combobox-found none small">${none}</p>`}
    </div>
    ${
      hint &&
      html`
        <p class="hint" id=${`${id}-hint`}>
          ${hint}
        </p>
      `
    }
    <p class="unseen" role="status">${said}</p>
    <${Problem} id=${id} text=${problem} />
  `;
}
