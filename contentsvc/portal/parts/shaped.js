/** Texts of content, in the shape that their authors have given them. */
import { h, html, useEffect, useMemo, useState } from "../vendor/preact.js";
import { once } from "../once.js";
import { service } from "../service.js";
import { Outward } from "./outward.js";
import { Picture } from "./pictures.js";

/** @typedef {import("./markdown.js").Node} Node */
/** @typedef {(number: number, alt: string) => any} Shots what shows a screenshot, by its number, from 1 on;
 *   null where there is none */

/** The screenshots of a content, as its texts show them.
 * @param {import("../client.js").ContentDetail} content
 * @returns {Shots} */
export const shotsOf = (content) => (number, alt) => {
  const path = content.screenshotUris[number - 1];
  const { id, name, updated: since } = content;
  return path
    ? html`<${Picture} ...${{ path, id, name, since, alt }} width=${1280} height=${720} kind="shot" />`
    : null;
};

/** Whether texts have a shape here: the option `markup`. */
export const isShaping = service.markup !== "none";
/** What a text may have in which more is to be seen than paragraphs and lines. */
const MARKS = /[*_`[<&\\]|^[ \t]*(?:[#>~=+-]|\d{1,9}[.)])|^(?: {4}|\t)/m;
/** Lines of a text that is not read without the parser, which knows how many elements there may be. */
const LINES = 1_000;

/** @type {typeof import("./markdown.js").shape | null} */
let parse = null;
const fetchParser = once(async () => void (parse = (await import("./markdown.js")).shape));

/** @param {string} text @param {number} [most] */
const linesOf = (text, most) => text.split(/\r\n?|\n/, most);

/** @param {string} text */
const needs = (text) => isShaping && (MARKS.test(text) || linesOf(text, LINES).length === LINES);

/** Fetch what these texts need, before they are shown: nothing moves then. Without it they are shown as they
 * are written.
 * @param {string[]} texts */
export async function shapeable(...texts) {
  if (!parse && texts.some(needs)) await fetchParser().catch(() => {});
}

/** Paragraphs and lines.
 * @param {string} text
 * @returns {Node[]} */
function paragraphs(text) {
  const parts = linesOf(text)
    .map((line) => line.trim())
    .join("\n")
    .split(/\n{2,}/);
  return parts.filter(Boolean).map((part) => {
    const [first, ...lines] = part.trim().split("\n");
    return { tag: "p", children: [first, ...lines.flatMap((line) => [{ tag: "br", children: [] }, line])] };
  });
}

/** @param {Node[]} nodes
 * @returns {string} */
const said = (nodes) => nodes.map((node) => (typeof node === "string" ? node : said(node.children))).join("");

/**
 * A text in its shape.
 * @param {{text: string, under: number, shots?: Shots, class?: string}} props `under` is the level of the
 *   heading that it stands under
 */
export function Shaped({ text, under, shots = () => null, class: kind = "" }) {
  const [, draw] = useState({});
  const isWaiting = !parse && needs(text);
  useEffect(() => {
    if (isWaiting) void shapeable(text).then(() => draw({}));
  }, [isWaiting]);
  const isPlain = !isShaping || isWaiting;
  const tree = useMemo(
    () => (isPlain ? null : parse && needs(text) ? parse(text) : paragraphs(text)),
    [text, isPlain],
  );
  if (!tree) return html`<p class=${`text ${kind}`} dir="auto">${text}</p>`;
  /** @param {Node} node
   * @returns {any} */
  const shown = (node) => {
    if (typeof node === "string") return node;
    const { tag, children } = node;
    const inside = children.map(shown);
    if (tag === "a") return html`<${Outward} href=${node.href} text=${said(children)}>${inside}<//>`;
    if (tag === "img") return shots(node.shot ?? 0, node.alt ?? "") ?? node.alt;
    if (/^h\d$/.test(tag)) return h(`h${Math.min(6, under + Number(tag[1]))}`, { dir: "auto" }, inside);
    if (tag === "pre") return html`<pre dir="ltr" tabindex="0">${inside}</pre>`;
    return h(
      tag,
      { start: node.start, dir: /^(p|ul|ol|blockquote)$/.test(tag) ? "auto" : undefined },
      inside,
    );
  };
  return html`<div class=${`shaped ${kind}`}>${tree.map(shown)}</div>`;
}
