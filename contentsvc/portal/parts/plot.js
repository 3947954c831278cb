/** Numbers of each day: a plot of one, drawn for the width that there is, all of them as a table, and the
 * choice of the period. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { language, t } from "../texts.js";
import { Details } from "./details.js";
import { Button } from "./form.js";

const HEIGHT = 240;
const LEFT = 64;
const TOP = 12;
const BOTTOM = 28;
/** Pixels for one label below the plot, and the part of a day's width that stays free where it is wide. */
const LABEL = 90;
const GAP = 0.2;
const LINES = 4;

/** @typedef {{day: string, value: number}} Point */

/** A round number, at least this one.
 * @param {number} value */
function round(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return (
    power *
    /** @type {number} */ (
      [1, 2, 2.5, 5, 10].find((step) => value <= step * power && Number.isInteger(step * power))
    )
  );
}

/** Where the lines are: in whole steps, with 0 among them, from what all points are above to what they are
 * below.
 * @param {number} most @param {number} [least] */
export function ticks(most, least = 0) {
  const step = round(Math.max(most, -least, 1) / LINES);
  const low = Math.floor(Math.min(least, 0) / step);
  const high = Math.max(Math.ceil(most / step), low < 0 ? 0 : 1);
  return Array.from({ length: high - low + 1 }, (_, n) => (low + n) * step);
}

/** A day without its year, in the visitor's language.
 * @param {string} day */
function short(day) {
  return new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" }).format(
    Date.parse(day),
  );
}

/** A day as a whole.
 * @param {string} day */
export function whole(day) {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(Date.parse(day));
}

/** @param {{points: Point[], label: string, write: (value: number) => string}} props */
export function Plot({ points, label, write }) {
  const frame = useRef(/** @type {HTMLElement | null} */ (null));
  const [width, setWidth] = useState(640);
  const [at, setAt] = useState(/** @type {number | null} */ (null));
  useEffect(() => {
    if (!frame.current) return;
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.max(Math.floor(entry.contentRect.width), 200)),
    );
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  const values = points.map(({ value }) => value);
  const lines = ticks(Math.max(...values, 0), Math.min(...values, 0));
  const [low, top] = [lines[0], lines[lines.length - 1]];
  const floor = HEIGHT - BOTTOM;
  const day = (width - LEFT) / points.length;
  const gap = day >= 5 ? day * GAP : 0;
  /** @param {number} value */
  const y = (value) => floor - ((floor - TOP) * (value - low)) / (top - low);
  const zero = y(0);
  /** @param {number} n */
  const x = (n) => LEFT + n * day;
  // A little is not nothing.
  /** @param {Point} point @param {number} n */
  const bar = ({ value }, n) => {
    const end = value > 0 ? Math.min(y(value), zero - 1) : Math.max(y(value), zero + 1);
    return value ? `M${x(n) + gap / 2} ${zero}V${end}h${day - gap}V${zero}Z` : "";
  };
  const every = Math.max(Math.ceil(points.length / Math.max(Math.floor((width - LEFT) / LABEL), 1)), 1);
  const chosen = at === null ? points.length - 1 : Math.min(at, points.length - 1);
  /** @param {PointerEvent} event */
  const look = (event) => {
    const left = /** @type {Element} */ (event.currentTarget).getBoundingClientRect().left;
    setAt(Math.min(Math.max(Math.floor((event.clientX - left - LEFT) / day), 0), points.length - 1));
  };
  return html`
    <figure class="plot" ref=${frame}>
      <figcaption class="line">
        <b>${label}</b>
        <span>
          ${whole(points[chosen].day)}: ${write(points[chosen].value)}
        </span>
      </figcaption>
      <svg
        role="img"
        aria-label=${label}
        width=${width}
        height=${HEIGHT}
        viewBox=${`0 0 ${width} ${HEIGHT}`}
        onPointerMove=${look}
        onPointerLeave=${() => setAt(null)}
      >
        ${lines.map(
          (value) =>
            html`
              <path key=${value} class="plot-line" d=${`M${LEFT} ${Math.round(y(value)) + 0.5}H${width}`} />
              <text key=${`${value} text`} x=${LEFT - 8} y=${y(value) + 4} text-anchor="end">
                ${write(value)}
              </text>
            `,
        )}
        <path class="plot-bars" d=${points.map(bar).join("")} />
        ${at !== null && html`<path class="plot-chosen" d=${bar(points[chosen], chosen)} />`}
        ${points.map(
          (point, n) =>
            n % every === 0 &&
            x(n) + LABEL / 2 < width &&
            html`
              <text key=${point.day} x=${x(n) + gap / 2} y=${HEIGHT - 8}>
                ${short(point.day)}
              </text>
            `,
        )}
      </svg>
    </figure>
  `;
}

/** How many of the last days there are to choose from. */
export const LENGTHS = [30, 90, 365];

/** The buttons that choose the period.
 * @param {{days: number, choose: (days: number) => void}} props */
export function Periods({ days, choose }) {
  return html`
    <p class="actions periods" role="group" aria-label=${t("console.period")}>
      ${LENGTHS.map(
        (one) =>
          html`
            <${Button} key=${one} aria-pressed=${one === days} onClick=${() => choose(one)}>
              ${t("console.days", { count: one })}
            <//>
          `,
      )}
    </p>
  `;
}

/** All numbers as a table that can be opened, the newest day first. `write` gives a number's text.
 * @template {string} Measure
 * @param {{days: (Record<Measure, number> & {day: string})[], measures: readonly Measure[],
 *   label: (measure: Measure) => string,
 *   write: (measure: Measure, value: number) => string | number}} props */
export function DayTable({ days, measures, label, write }) {
  return html`
    <${Details} name="table" summary=${t("console.table")}>
      <div class="table" tabindex="0" role="region" aria-label=${t("console.table")}>
        <table>
          <thead>
            <tr>
              <th scope="col">${t("console.day")}</th>
              ${measures.map(
                (one) =>
                  html`
                    <th key=${one} scope="col">
                      ${label(one)}
                    </th>
                  `,
              )}
            </tr>
          </thead>
          <tbody>
            ${[...days].reverse().map(
              (day) =>
                html`
                  <tr key=${day.day}>
                    <th scope="row">${whole(day.day)}</th>
                    ${measures.map((one) => html`<td key=${one}>${write(one, day[one])}</td>`)}
                  </tr>
                `,
            )}
          </tbody>
        </table>
      </div>
    <//>
  `;
}
