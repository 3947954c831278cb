/** Dates, numbers and sizes as the visitor's language writes them. */
import { language, t } from "./texts.js";

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** @typedef {"ago" | "exact"} Times how the visitor wants to read when something was */

const CHOSEN = "contentsvc.times";

/** @returns {Times} */
export const times = () => (localStorage.getItem(CHOSEN) === "exact" ? "exact" : "ago");

/** @param {string} chosen */
export function setTimes(chosen) {
  if (chosen === "exact") localStorage.setItem(CHOSEN, chosen);
  else localStorage.removeItem(CHOSEN);
}

/** How long ago this was, such as "3 days ago"; its date and time for who has chosen that. What is yet to
 * come was now: the visitor's clock is slow.
 * @param {number} seconds Unix seconds */
export function ago(seconds) {
  return times() === "exact" ? written(seconds, "medium") : span(Math.min(seconds - Date.now() / 1000, 0));
}

/** How long it is until then, such as "in 3 days".
 * @param {number} seconds Unix seconds */
export function until(seconds) {
  return span(Math.max(seconds - Date.now() / 1000, 0));
}

/** @param {number} length seconds from now; what was is negative */
function span(length) {
  const words = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  for (const [unit, seconds] of UNITS) {
    if (Math.abs(length) >= seconds) return words.format(Math.trunc(length / seconds), unit);
  }
  return t("time.now");
}

/** The moment with date and time.
 * @param {number} seconds Unix seconds */
export const moment = (seconds) => written(seconds, "long");

/** @param {number} seconds @param {"medium" | "long"} dateStyle */
const written = (seconds, dateStyle) =>
  new Intl.DateTimeFormat(language, { dateStyle, timeStyle: "short" }).format(seconds * 1000);

/** @param {number} value */
export function number(value) {
  return new Intl.NumberFormat(language, { notation: value >= 10_000 ? "compact" : "standard" }).format(
    value,
  );
}

/** Bytes in the unit that suits, of 1,024 each: limits are round then, and systems show files so.
 * @param {number} bytes */
export function size(bytes) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const step = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), 3);
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: units[step],
    unitDisplay: step ? "short" : "long",
    maximumFractionDigits: step ? 1 : 0,
  }).format(bytes / 1024 ** step);
}

/** A moment as a field of a date and a time has it, in the visitor's zone.
 * @param {number | null | undefined} seconds Unix seconds */
export function local(seconds) {
  if (!seconds) return "";
  const date = new Date(seconds * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Unix seconds of such a field; null of an empty one.
 * @param {string} text */
export const instant = (text) => (text ? Math.floor(new Date(text).getTime() / 1000) : null);
