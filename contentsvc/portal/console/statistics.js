/** `/console/statistics`: what happened on each day, as a plot and as a table. */
import { html, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { note } from "../router.js";
import { number, size } from "../format.js";
import { t } from "../texts.js";
import { useLoad } from "../parts/hooks.js";
import { Loaded } from "../parts/states.js";
import { Frame } from "./frame.js";
import { DayTable, LENGTHS, Periods, Plot } from "../parts/plot.js";

/** @typedef {import("../client.js").DayStatistics} Day */

/** All are read at once: then another length is there at once. */
const LONGEST = 365;
/** Milliseconds. */
const DAY = 86_400_000;
const MEASURES = /** @type {const} */ ([
  "registered",
  "guests",
  "active",
  "deleted",
  "published",
  "revised",
  "comments",
  "messages",
  "ratings",
  "downloads",
  "bytes",
]);
/** @typedef {typeof MEASURES[number]} Measure */

/** @param {import("../router.js").PlaceProps} props */
export default function Statistics({ query }) {
  const days = LENGTHS.find((one) => String(one) === query.get("days")) ?? LENGTHS[0];
  const measure = MEASURES.find((one) => one === query.get("of")) ?? "registered";
  return html`
    <${Frame} place="/console/statistics" needs="events">
      <${All} first=${{ days, measure }} />
    <//>
  `;
}

/** @param {Measure} measure
 * @returns {(value: number) => string} */
const writer = (measure) => (measure === "bytes" ? size : number);

/** A number as the table has it.
 * @param {Measure} measure @param {number} value */
const cell = (measure, value) => (measure === "bytes" ? size(value) : value);

/** The sum; of the active players the mean, as most of them are the same on many days.
 * @param {Day[]} days @param {Measure} measure */
function total(days, measure) {
  const sum = days.reduce((before, day) => before + day[measure], 0);
  if (measure !== "active") return sum;
  const mean = sum / Math.max(days.length, 1);
  return mean < 10 ? Math.round(10 * mean) / 10 : Math.round(mean);
}

/** @param {{first: {days: number, measure: Measure}}} props what the address asks for */
function All({ first }) {
  const [{ days, measure }, choose] = useState(first);
  const found = useLoad((signal) => {
    const today = Date.now();
    /** @param {number} moment */
    const day = (moment) => new Date(moment).toISOString().slice(0, 10);
    return client.listStatistics({ from: day(today - (LONGEST - 1) * DAY), to: day(today) }, { signal });
  }, []);
  /** @param {number} days @param {Measure} measure */
  const show = (days, measure) => {
    choose({ days, measure });
    note(`/console/statistics?days=${days}&of=${measure}`);
  };
  return html`
    <${Periods} days=${days} choose=${(/** @type {number} */ one) => show(one, measure)} />
    <${Loaded} of=${found}>
      ${(/** @type {Day[]} */ year) => {
        const all = year.slice(-days);
        return html`
          <div class="measures" role="group" aria-label=${t("console.statistics")}>
            ${MEASURES.map(
              (one) =>
                html`
                  <button
                    key=${one}
                    type="button"
                    class="measure"
                    aria-pressed=${one === measure}
                    onClick=${() => show(days, one)}
                  >
                    <span class="small">${t(`measure.${one}`)}</span> <b>${writer(one)(total(all, one))}</b>
                  </button>
                `,
            )}
          </div>
          <${Plot}
            points=${all.map((one) => ({ day: one.day, value: one[measure] }))}
            label=${t(`measure.${measure}`)}
            write=${writer(measure)}
          />
          <p class="hint">${t("console.statistics-hint")}</p>
          <${DayTable}
            days=${all}
            measures=${MEASURES}
            label=${(/** @type {Measure} */ one) => t(`measure.${one}`)}
            write=${cell}
          />
        `;
      }}
    <//>
  `;
}
