/** What stands for a subject that has no picture. */
import { html } from "../vendor/preact.js";

/** @type {Record<string, string>} */
const SHAPES = {
  content: "M2 4.5L8 1.5l6 3v7l-6 3-6-3zM2 4.5l6 3 6-3M8 7.5v7",
  comment: "M2 3h12v8H7l-3 3v-3H2zM5 6h6M5 8.5h4",
  user: "M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c.4-3 2.6-4.2 5.5-4.2s5.1 1.2 5.5 4.2",
  collection: "M2 4h5l1.5 2H14v7.5H2zM4 2h4",
};

/** @param {{kind: string}} props */
export function KindSign({ kind }) {
  return html`
    <svg class="sign" viewBox="0 0 16 16" width="16" height="16">
      <path d=${SHAPES[kind] ?? SHAPES.content} />
    </svg>
  `;
}
