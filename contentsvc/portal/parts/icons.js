/** Small drawings beside numbers and in buttons. What they say, the text beside them says too. */
import { html } from "../vendor/preact.js";

const SHAPES = {
  plays: "M4 2.5v11l9-5.5z",
  downloads: "M8 2v8m-3.5-3.5L8 10l3.5-3.5M3 13.5h10",
  subscribed: "M2.5 8.5l3.5 3.5 7.5-8",
  subscribers: "M8 3v10M3 8h10",
  favourites: "M8 13.5C3.5 10 2 8 2 5.8A3 3 0 0 1 8 4.9a3 3 0 0 1 6 .9C14 8 12.5 10 8 13.5z",
};

/** @param {{name: keyof typeof SHAPES, filled?: boolean}} props */
export function Icon({ name, filled = false }) {
  return html`
    <svg
      class=${`sign ${filled || name === "plays" ? "filled" : ""}`}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      aria-hidden="true"
    >
      <path d=${SHAPES[name]} />
    </svg>
  `;
}
