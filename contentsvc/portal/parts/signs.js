/** Small drawings of what happened, and of what one does about it. What they say, a text says too. */
import { html } from "../vendor/preact.js";

const SHAPES = {
  bin: "M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9M6.8 7v4M9.2 7v4",
  check: "M2.5 8.5l3.5 3.5 7.5-8",
  comment: "M2.5 3h11v8H7.5l-3 2.5V11h-2z",
  dot: "M8 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z",
  dots: "M3 8h.01M8 8h.01M13 8h.01",
  flag: "M4 14V2.5h8.5L10.5 6l2 3.5H4",
  link: "M6 10l4-4M7 4.5l1.2-1.2a3 3 0 0 1 4.3 4.3L11.3 9M9 11.5l-1.2 1.2a3 3 0 0 1-4.3-4.3L4.7 7",
  message: "M2 3.5h12v9H2zM2 4l6 5 6-5",
  mute: "M6 3.2A4 4 0 0 1 12 7v3M12.5 12.5H3l1-1V7c0-.4 0-.7.1-1M6.5 14.5h3M2 2l12 12",
  new: "M8 13V3M4 7l4-4 4 4",
  news: "M2.5 6.5v3h2.5l6 3.5V3L5 6.5zM5 9.5V13h2",
  person: "M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8zM2.5 14c0-3 2.5-4.5 5.5-4.5s5.5 1.5 5.5 4.5",
  shield: "M8 1.8l5.5 2v4c0 3.2-2.3 5.4-5.5 6.4-3.2-1-5.5-3.2-5.5-6.4v-4zM8 5v3.5M8 10.8v.2",
  trophy:
    "M5 2.5h6V7a3 3 0 0 1-6 0zM5 4H2.5c0 2.5 1 3.5 2.7 3.7M11 4h2.5c0 2.5-1 3.5-2.7 3.7M8 10v3M5.5 13.5h5",
};

/** @typedef {keyof typeof SHAPES} SignName */

/** @param {{name: SignName}} props */
export function Sign({ name }) {
  return html`
    <svg class=${`sign sign-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d=${SHAPES[name]} />
    </svg>
  `;
}

/** A button that is a sign: `label` is its whole name, and `title` what it does, for who points at it.
 * @param {{name: SignName, label: string, title: string, [attribute: string]: any}} props */
export function SignButton({ name, label, title, ...attributes }) {
  return html`
    <button type="button" class="icon" aria-label=${label} title=${title} ...${attributes}>
      <${Sign} name=${name} />
    </button>
  `;
}
