/** Small drawings beside numbers and in buttons. What they say, the text beside them says too. */
import { html } from "../vendor/preact.js";
import { number } from "../format.js";
import { t } from "../texts.js";

const SHAPES = {
  plays: "M4 2.5v11l9-5.5z",
  downloads: "M8 2v8m-3.5-3.5L8 10l3.5-3.5M3 13.5h10",
  subscribed: "M2.5 8.5l3.5 3.5 7.5-8",
  subscribers: "M8 3v10M3 8h10",
  back: "M10 3.5L5.5 8l4.5 4.5",
  bell: "M4 11.5V7a4 4 0 0 1 8 0v4.5l1 1H3zM6.5 14.5h3",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.3 1.5",
  close: "M4 4l8 8M12 4l-8 8",
  collect: "M2.5 3.5h7M2.5 7.5h7M2.5 11.5h4M12 8.5v5M9.5 11h5",
  down: "M4 6l4 4 4-4",
  large: "M9.5 2.5h4v4M6.5 13.5h-4v-4M13.5 2.5L9 7M2.5 13.5L7 9",
  "log-out": "M6.5 2.5h-4v11h4M10 11l3-3-3-3M13 8H6",
  menu: "M2 4h12M2 8h12M2 12h12",
  next: "M6 3.5L10.5 8 6 12.5",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7L14 14",
  settings: "M2 5h7m4 0h1M2 11h1M7 11h7M13 5A2 2 0 1 1 9 5a2 2 0 0 1 4 0zM7 11a2 2 0 1 1-4 0 2 2 0 0 1 4 0z",
  upload: "M8 10.5V2.5m-3.5 3L8 2l3.5 3.5M3 10v3.5h10V10",
  votes: "M5 7.2L7.6 2c1 0 1.6.7 1.6 1.6V6h3.4c.9 0 1.5.8 1.3 1.6l-1 4.4c-.1.6-.7 1-1.3 1H2.2V7.2H5V13",
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

/** A number with its sign. What it counts is read aloud.
 * @param {{name: "plays" | "downloads" | "subscribers" | "favourites" | "votes", count: number,
 *   sign?: boolean, shown?: string, values?: Record<string, number>}} props `shown` stands beside
 *   the sign, if not the number itself; `values` are what else its text has */
export function Count({ name, count, sign = true, shown = number(count), values = {} }) {
  const text = t(`counts.${name}`, { count, ...values });
  return html`
    <span class="count" title=${text}>
      ${sign && html`<${Icon} name=${name} />`}
      <span aria-hidden="true">${shown}</span>
      <span class="unseen">${text}</span>
    </span>
  `;
}
