import { guid } from "./guid.js";

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/gs;

/** As JSON.parse, but whole numbers that no number of JavaScript holds exactly are BigInt. */
export function exactly(text) {
  const mark = guid();
  const isLong = (token) => /^-?[1-9]\d{15,}$/.test(token) && !Number.isSafeInteger(+token);
  const marked = text.replace(TOKEN, (token) => (isLong(token) ? `"${mark}${token}"` : token));
  const isMarked = (value) => typeof value === "string" && value.startsWith(mark);
  const read = (_, value) => (isMarked(value) ? BigInt(value.slice(mark.length)) : value);
  return JSON.parse(marked, marked === text ? undefined : read);
}

/** As JSON.stringify, but a BigInt is a number. */
export function written(value) {
  const mark = guid();
  const text = JSON.stringify(value, (_, one) => (typeof one === "bigint" ? mark + one : one));
  return text?.includes(mark) ? text.replace(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1") : text;
}
