/** The shape of a text: CommonMark without HTML, as a tree. It is fetched where a text needs it. */
import { MarkdownIt } from "../vendor/markdown.js";
import { outside } from "./outward.js";

/** @typedef {import("markdown-it").Token} Token */
/** @typedef {string | Element} Node */
/** @typedef {{tag: string, children: Node[], line?: number, href?: string, start?: number, shot?: number,
 *   alt?: string}} Element `line` is where it begins in the text; the rest are what it has beside its tag: an
 *   `a` its address, a list its first number, an `img` the number of the screenshot and what it shows */

/** What is counted while a text is read: the tokens of blocks that were seen, the items of lists that are
 * open there, and the elements; the paragraphs that are open, one in the other, and the marks.
 * @typedef {{seen: number, items: number, elements: number, open: number, marks: number}} Counted */

/** How deep elements may be in each other, and how many there may be. What is beyond is shown as written. */
export const DEEPEST = 16;
export const MOST = 5_000;
/** After so many marks nothing more is looked for: mostly MOST elements are made of them. */
const MARKS = 4 * MOST;
/** So many images may be in the text that stands for an image, one inside of the other. */
const IMAGES = 4;
/** What begins a block of two elements, one inside of the other. */
const TWICE = /^(?:[-+*]|\d{1,9}[.)])(?:\s|$)|^(?:```|~~~)/;

// The parser's own limit of brackets in brackets, whose cost is the product of both lengths.
const parser = new MarkdownIt("commonmark", { html: false, maxNesting: DEEPEST + 1 });
parser.disable(["html_block", "html_inline"]);
// An address is judged where it becomes a link.
parser.validateLink = () => true;
parser.normalizeLink = (/** @type {string} */ address) => address;
parser.normalizeLinkText = (/** @type {string} */ text) => text;

/** @param {unknown} env */
const countedIn = (env) => /** @type {Counted} */ (env);

/** At least so many elements are made of these tokens. A paragraph of a list may be none.
 * @param {Token[]} tokens @param {Counted} counted what was counted before */
function elementsOf(tokens, counted) {
  for (; counted.seen < tokens.length; counted.seen += 1) {
    const { type, nesting } = tokens[counted.seen];
    if (type.startsWith("list_item")) counted.items += nesting;
    if (nesting >= 0 && type !== "inline" && !(type === "paragraph_open" && counted.items))
      counted.elements += 1;
  }
  return counted.elements;
}

// What is too deep is taken as it is written. What is too much is left out: `shape` stops before it.
parser.block.ruler.before("code", "limits", (state, line, end, silent) => {
  const room = DEEPEST - state.level;
  const isFull = elementsOf(state.tokens, countedIn(state.env)) > MOST;
  const begins = state.bMarks[line] + state.tShift[line];
  const isDeep =
    room <= 0 ||
    (room === 1 &&
      (state.sCount[line] - state.blkIndent > 3 || TWICE.test(state.src.slice(begins, state.eMarks[line]))));
  if (silent || !(isFull || isDeep)) return false;
  state.line = end;
  if (!isFull) {
    const token = state.push("written", "", 0);
    token.content = state.getLines(line, end, state.blkIndent, false).trimEnd();
    token.map = [line, end];
  }
  return true;
});

/** The state of a paragraph. The `map` of a token, which of blocks has lines, is where it begins and ends in
 * it; -1 is its end. */
class Placed extends parser.inline.State {
  /** Where the present rule began, and how many tokens it has made. */
  begun = 0;
  made = 0;
  /** The place of the last token. @type {[number, number]} */
  last = [0, 0];

  get counted() {
    return countedIn(this.env);
  }

  /** @param {ConstructorParameters<typeof parser.inline.State>} given */
  constructor(...given) {
    super(...given);
    this.counted.open += 1;
  }

  /** @param {string} type @param {string} tag @param {import("markdown-it").Token["nesting"]} nesting */
  push(type, tag, nesting) {
    const token = super.push(type, tag, nesting);
    token.map = this.last = [this.begun + this.made, -1];
    this.made += 1;
    this.counted.marks += 1;
    return token;
  }
}
parser.inline.State = Placed;
parser.inline.ruler2.push("end", (state) => {
  /** @type {Placed} */ (state).counted.open -= 1;
});
parser.inline.ruler.before("text", "limits", (given, silent) => {
  const state = /** @type {Placed} */ (given);
  if (silent) return false;
  if (state.last[1] < 0) state.last[1] = state.pos;
  state.begun = state.pos;
  state.made = 0;
  if (state.counted.marks <= MARKS && state.counted.open <= IMAGES) return false;
  state.pending += state.src.slice(state.pos, state.posMax);
  state.pos = state.posMax;
  return true;
});

/** What stands for an image where it is not shown.
 * @param {Token[]} tokens
 * @returns {string} */
const plain = (tokens) =>
  tokens
    .map((token) =>
      /break$/.test(token.type) ? "\n" : token.children ? plain(token.children) : token.content,
    )
    .join("");

/** Where the text of a token begins and ends. The token of `**` is that of its inner sign.
 * @param {Token} token @param {string} text */
function placeOf({ type, markup, map }, text) {
  const [from, to] = map ?? [0, -1];
  const more = markup.length - 1;
  if (/^(em|strong)_open$/.test(type)) return { from: from - more, to: from + 1 };
  if (/^(em|strong)_close$/.test(type)) return { from, to: from + 1 + more };
  return { from, to: to < 0 ? text.length : to };
}

/** The tree of a text.
 * @param {string} text
 * @returns {Node[]} */
export function shape(text) {
  const lines = text.replaceAll(/\r\n?/g, "\n").split("\n");
  /** @type {Element} */
  const root = { tag: "", children: [] };
  const open = [root];
  let depth = 0;
  let count = 0;
  const top = () => open[open.length - 1];
  /** @param {string} tag @param {Partial<Element>} [more] */
  const add = (tag, more) => {
    const element = { tag, children: [], ...more };
    top().children.push(element);
    count += 1;
    return element;
  };
  /** @param {string} tag @param {Partial<Element>} [more] */
  const begin = (tag, more) => (open.push(add(tag, more)), (depth += 1));
  const end = () => (open.pop(), (depth -= 1));

  /** @param {Token} paragraph
   * @returns {boolean} whether there is room for more */
  const addInline = ({ content, children, level, map }) => {
    const tokens = children ?? [];
    for (let at = 0; at < tokens.length; at += 1) {
      const token = tokens[at];
      const { type } = token;
      if (type === "text") {
        if (token.content) top().children.push(token.content);
        continue;
      }
      if (token.nesting < 0) {
        end();
        continue;
      }
      const href = type === "link_open" ? outside(`${token.attrGet("href")}`)?.href : undefined;
      const shot = type === "image" ? shotOf(`${token.attrGet("src")}`) : null;
      if (type === "image" && !shot) {
        top().children.push(plain(token.children ?? []));
        continue;
      }
      const isRefused = type === "link_open" && !href;
      if (count >= MOST && !isRefused) {
        while (depth > level) end();
        top().children.push(content.slice(placeOf(token, content).from));
        root.children.push(lines.slice(map?.[1]).join("\n"));
        return false;
      }
      if (depth >= DEEPEST || isRefused) {
        const { from } = placeOf(token, content);
        for (let inside = token.nesting; inside; inside += tokens[at].nesting) at += 1;
        top().children.push(content.slice(from, placeOf(tokens[at], content).to));
      } else if (token.nesting) {
        begin(token.tag, { href });
        // The host beside it.
        if (href) count += 1;
      } else if (shot) add("img", { shot, alt: plain(token.children ?? []) });
      else if (type === "code_inline") add("code", { children: [token.content] });
      else add("br");
    }
    return true;
  };

  for (const token of parser.parse(text, { seen: 0, items: 0, elements: 0, open: 0, marks: 0 })) {
    const [line] = token.map ?? [0];
    if (token.type === "written") top().children.push(token.content);
    else if (token.type === "inline") {
      if (!addInline(token)) break;
    } else if (token.nesting < 0) {
      if (!token.hidden) end();
    } else if (!token.hidden) {
      if (count >= MOST) {
        // What begins in this line goes with it.
        while (open.length > 1 && !top().children.length && top().line === line) {
          open.pop();
          top().children.pop();
        }
        root.children.push(lines.slice(line).join("\n"));
        break;
      }
      const start = token.attrGet("start");
      if (token.nesting) begin(token.tag, { line, ...(start && { start: Number(start) }) });
      else if (token.type === "hr") add("hr");
      else {
        begin("pre");
        add("code", { children: [token.content.replace(/\n$/, "")] });
        end();
      }
    }
  }
  return root.children;
}

/** The number of the screenshot that an address means.
 * @param {string} address */
const shotOf = (address) => Number(/^screenshot:([1-9]\d{0,3})$/.exec(address)?.[1] ?? 0);
