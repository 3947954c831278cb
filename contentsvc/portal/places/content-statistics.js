/** `/content/{id}/statistics`: how often one's own content was played, fetched and kept, as a plot and as a
 * table. */
import { html, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { address, note } from "../router.js";
import { number } from "../format.js";
import { language, t } from "../texts.js";
import { Found } from "../parts/found.js";
import { useLoad, useTitle } from "../parts/hooks.js";
import { LoggedIn } from "../parts/logged-in.js";
import { DayTable, LENGTHS, Periods, Plot } from "../parts/plot.js";
import { Loaded } from "../parts/states.js";

/** @typedef {import("../client.js").ContentDay} Day */
/** @typedef {import("../client.js").ContentDetail} Detail */

/** All are read at once: then another length is there at once. */
const LONGEST = 365;
/** Milliseconds. */
const DAY = 86_400_000;
const MEASURES = /** @type {const} */ ([
  "plays",
  "players",
  "completions",
  "seconds",
  "downloads",
  "subscribers",
]);
/** @typedef {typeof MEASURES[number]} Measure */

/** Seconds as hours or minutes, as the visitor's language writes them.
 * @param {number} seconds */
function length(seconds) {
  const hours = Math.abs(seconds) >= 3_600;
  const value = hours ? seconds / 3_600 : seconds / 60;
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: hours ? "hour" : "minute",
    unitDisplay: "short",
    maximumFractionDigits: value < 10 ? 1 : 0,
  }).format(value);
}

/** @param {Measure} measure
 * @returns {(value: number) => string} */
const writer = (measure) => (measure === "seconds" ? length : number);

/** A number as the table has it.
 * @param {Measure} measure @param {number} value */
const cell = (measure, value) => (measure === "seconds" ? length(value) : value);

/** @param {import("../router.js").PlaceProps} props */
export default function ContentStatistics({ parameters, query }) {
  const contentId = parameters.id;
  const days = LENGTHS.find((one) => String(one) === query.get("days")) ?? LENGTHS[0];
  const measure = MEASURES.find((one) => one === query.get("of")) ?? "plays";
  useTitle(t("statistics.title"));
  return html`
    <h1>${t("statistics.title")}</h1>
    <${LoggedIn}>
      <${Content} contentId=${contentId} first=${{ days, measure }} />
    <//>
  `;
}

/** @param {{contentId: string, first: {days: number, measure: Measure}}} props */
function Content({ contentId, first }) {
  const content = useLoad((signal) => client.getContent({ contentId }, { signal }), [contentId]);
  const days = useLoad(
    (signal) => {
      const today = Date.now();
      /** @param {number} moment */
      const day = (moment) => new Date(moment).toISOString().slice(0, 10);
      return client.listContentStatistics(
        { contentId, from: day(today - (LONGEST - 1) * DAY), to: day(today) },
        { signal },
      );
    },
    [contentId],
  );
  return html`
    <${Found} of=${content}>
      ${(/** @type {Detail} */ about) =>
        html`
          <p class="lead">
            <a class="back-to" href=${address(`/content/${contentId}`)} dir="auto">
              ${about.name}
            </a>
          </p>
          <${Loaded} of=${days}>
            ${(/** @type {Day[]} */ year) => html`<${All} content=${about} year=${year} first=${first} />`}
          <//>
        `}
    <//>
  `;
}

/** @param {{content: Detail, year: Day[], first: {days: number, measure: Measure}}} props `first` is what the
 *   address asks for */
function All({ content, year, first }) {
  const [{ days, measure }, choose] = useState(first);
  /** @param {number} days @param {Measure} measure */
  const show = (days, measure) => {
    choose({ days, measure });
    note(`/content/${content.id}/statistics?days=${days}&of=${measure}`);
  };
  const all = year.slice(-days);
  /** @param {Measure} one */
  const total = (one) => all.reduce((before, day) => before + day[one], 0);
  // The lines of a plot of times are whole hours, or whole minutes where that is little.
  const unit = measure !== "seconds" ? 1 : all.some((day) => day.seconds >= 14_400) ? 3_600 : 60;
  return html`
    <${Periods} days=${days} choose=${(/** @type {number} */ one) => show(one, measure)} />
    <div class="measures six" role="group" aria-label=${t("statistics.title")}>
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
              <span class="small">${t(`count.${one}`)}</span>${" "}
              <b>
                ${one === "subscribers" && total(one) > 0 ? "+" : ""}
                ${writer(one)(total(one))}
              </b>
              ${
                one !== "seconds" &&
                html`
                  <span class="small">
                    ${t("statistics.ever", { number: number(content.counts[one]) })}
                  </span>
                `
              }
            </button>
          `,
      )}
    </div>
    <${Plot}
      points=${all.map((one) => ({ day: one.day, value: one[measure] / unit }))}
      label=${t(`count.${measure}`)}
      write=${(/** @type {number} */ value) => writer(measure)(value * unit)}
    />
    <p class="hint">${t("statistics.hint")}</p>
    <${DayTable}
      days=${all}
      measures=${MEASURES}
      label=${(/** @type {Measure} */ one) => t(`count.${one}`)}
      write=${cell}
    />
  `;
}
