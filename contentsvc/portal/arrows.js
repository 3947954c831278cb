/** Where the arrow keys lead: from each control to the nearest that way, and to each control of the page. */

/** @typedef {"up" | "down" | "left" | "right"} Way */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Area */
/** @typedef {Map<HTMLElement, Record<Way, HTMLElement | null>>} Graph */

export const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex='0']";
const WAYS = /** @type {const} */ (["down", "right", "up", "left"]);
/** @type {Record<Way, Way>} */
const BACK = { up: "down", down: "up", left: "right", right: "left" };
/** Fields whose caret, or value, the keys to the sides move. */
const TYPED = "textarea, input:not([type=checkbox], [type=radio], [type=file], [type=submit], [type=button])";
/** What a control is in, from the top of the page to what lies over its end; a place is what remains. */
const PARTS = ["header.bar", "", ".announcements", ".notices"];
const [PLACE, NOTICES] = [1, 3];
/** So many are looked at beside the way. */
const ASIDE = 12;

/** @param {Element} element */
export const isTyped = (element) => element.matches(TYPED);

/** @param {Element | null} element
 * @returns {element is HTMLElement} */
export const isControl = (element) =>
  element instanceof HTMLElement &&
  element.matches(CONTROLS) &&
  element.tabIndex >= 0 &&
  !element.matches(":disabled") &&
  element.checkVisibility({ visibilityProperty: true });

/** What has the keys alone while it is open: a dialog, or a menu.
 * @returns {HTMLElement} */
export function scope() {
  const menu = document.activeElement?.closest(".menu");
  const open = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("dialog[open]")]).at(-1);
  return open ?? (menu?.querySelector(".menu-open") ? /** @type {HTMLElement} */ (menu) : document.body);
}

/** @param {Element} within
 * @returns {HTMLElement[]} */
export const controls = (within) =>
  [.../** @type {NodeListOf<HTMLElement>} */ (within.querySelectorAll(CONTROLS))].filter(isControl);

/** What of a control is seen: of a small one, what is pressed in its place.
 * @param {HTMLElement} control
 * @returns {HTMLElement} */
export function seen(control) {
  const isSmall = control.matches(".unseen, [type=checkbox], [type=radio], [type=file]");
  return (isSmall && (control.closest("label") ?? control.parentElement)) || control;
}

/** What it is in, as one of PARTS. @param {Element} element */
function partOf(element) {
  const at = PARTS.findIndex((part) => part && element.closest(part));
  return at < 0 ? PLACE : at;
}

/** Where it is: in a place, whatever that is scrolled to; of the rest, in the window.
 * @param {Element} element
 * @returns {Area} */
export function areaOf(element) {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const [x, y] = partOf(element) === PLACE && !element.closest("dialog") ? [scrollX, scrollY] : [0, 0];
  return { left: left + x, top: top + y, right: right + x, bottom: bottom + y };
}

/** An area as one sees it who looks that way: [near, far, from side, to side].
 * @param {Area} area @param {Way} way
 * @returns {[number, number, number, number]} */
function turned({ left, top, right, bottom }, way) {
  if (way === "down") return [top, bottom, left, right];
  if (way === "up") return [-bottom, -top, left, right];
  return way === "right" ? [left, right, top, bottom] : [-right, -left, top, bottom];
}

/** @typedef {ReturnType<typeof turned>} Turned */

/** Whether two overlap, seen that way. @param {Turned} one @param {Turned} other */
const isAhead = (one, other) => other[3] > one[2] + 1 && other[2] < one[3] - 1;

/** How far it is, of which what is beside the way is less than what is ahead.
 * @param {Turned} from @param {Turned} to */
function cost(from, to) {
  const far = Math.max(0, to[0] - from[1]);
  const beside = Math.max(0, to[2] - from[3], from[2] - to[3]);
  const [start, end] = [to[2] - from[2], to[3] - from[3]].map(Math.abs);
  const askew = Math.min(start, end, Math.abs(to[2] + to[3] - from[2] - from[3]) / 2);
  return 13 * far ** 2 + (beside ? beside ** 2 : askew ** 2 / 8);
}

/** @param {Turned} from @param {Turned} to */
const isThatWay = (from, to) => (from[0] < to[0] || from[1] <= to[0]) && from[1] < to[1];

/** A control, and its area as one sees it who looks some way.
 * @typedef {{one: HTMLElement, to: Turned}} Seen */

/** Them as one sees them, in the order in which they begin.
 * @param {Iterable<[HTMLElement, Area]>} areas @param {Way} way
 * @returns {Seen[]} */
export const looking = (areas, way) =>
  [...areas]
    .map(([one, area]) => ({ one, to: turned(area, way) }))
    .sort(({ to: [one] }, { to: [other] }) => one - other);

/** The index of the first that does not begin before this. @param {Seen[]} all @param {number} edge */
function from(all, edge) {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle].to[0] < edge) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The nearest that way. What is straight ahead goes before what is beside it: upwards and downwards unless
 * all of that is nearer, and to a side always, where nothing else counts but what stands in another column.
 * @param {Area} area @param {Seen[]} others @param {Way} way
 * @param {HTMLElement} [of] whose area it is
 * @returns {HTMLElement | null} */
export function nearest(area, others, way, of) {
  const here = turned(area, way);
  const isLevel = way === "left" || way === "right";
  let best = /** @type {HTMLElement | null} */ (null);
  let price = Infinity;
  let edge = Infinity;
  const first = from(others, here[0]);
  for (let at = first; at < others.length; at += 1) {
    const { one, to } = others[at];
    if (to[0] > here[1] && 13 * (to[0] - here[1]) ** 2 > price) break;
    if (one === of || !isThatWay(here, to) || !isAhead(here, to)) continue;
    const own = cost(here, to);
    if (own < price) [best, price, edge] = [one, own, to[0] + 1];
  }
  if (isLevel && best) return best;
  /** @type {[HTMLElement, number][]} */
  const aside = [];
  // What is only a little further that way stands beside it.
  for (let at = best || isLevel ? from(others, here[1] - 1) : first; at < others.length; at += 1) {
    const { one, to } = others[at];
    if (to[0] > edge) break;
    if (one === of || to[1] > edge || !isThatWay(here, to) || isAhead(here, to)) continue;
    const own = cost(here, to);
    if (own < price) aside.push([one, own]);
  }
  aside.sort(([, one], [, other]) => one - other);
  if (!isLevel) return aside[0]?.[0] ?? best;
  return aside.slice(0, ASIDE).find(([one]) => of && areBeside(of, one, way))?.[0] ?? null;
}

/** Whether two stand in columns side by side, though not in one row.
 * @param {HTMLElement} one @param {HTMLElement} other @param {Way} way */
function areBeside(one, other, way) {
  /** @type {Element | null} */
  let of = one;
  while (of?.parentElement && !of.parentElement.contains(other)) of = of.parentElement;
  let to = /** @type {Element | null} */ (other);
  while (to?.parentElement && to.parentElement !== of?.parentElement) to = to.parentElement;
  if (!of || !to) return false;
  const [from, next] = [turned(areaOf(of), way), turned(areaOf(to), way)];
  return isAhead(from, next) && next[0] >= from[1] - 1;
}

/** Whether this key moves the focus from there, and nothing else.
 * @param {HTMLElement} control @param {Way} way */
const isFree = (control, way) =>
  way === "up" || way === "down" || !(isTyped(control) || control.matches("[role=tab]"));

/** @type {{list: HTMLElement[], areas: Map<HTMLElement, Area>, graph: Graph} | null} */
let known = null;

/** Where each key leads, from each control of what is open.
 * @param {HTMLElement} within
 * @returns {Graph} */
export function graphOf(within) {
  const list = controls(within);
  const areas = new Map(list.map((one) => [one, areaOf(seen(one))]));
  if (known && isSame(known, list, areas)) return known.graph;
  const graph = drawn(list, areas);
  mend(list, areas, graph);
  known = { list, areas, graph };
  return graph;
}

/** @param {NonNullable<typeof known>} was @param {HTMLElement[]} list
 * @param {Map<HTMLElement, Area>} areas */
function isSame(was, list, areas) {
  if (was.list.length !== list.length) return false;
  return list.every((one, at) => {
    const [before, now] = [was.areas.get(one), areas.get(one)];
    return (
      was.list[at] === one &&
      before &&
      now &&
      Math.abs(before.left - now.left) + Math.abs(before.top - now.top) < 2 &&
      Math.abs(before.right - now.right) + Math.abs(before.bottom - now.bottom) < 2
    );
  });
}

/** By where they are: first within the bar, the place, or what lies over it; then from one to the next.
 * @param {HTMLElement[]} list @param {Map<HTMLElement, Area>} areas
 * @returns {Graph} */
function drawn(list, areas) {
  const parts = PARTS.map((_, at) => list.filter((one) => partOf(one) === at));
  const there = parts.filter((part) => part.length);
  const notice = parts[NOTICES][0] ?? null;
  /** @type {Graph} */
  const graph = new Map(list.map((one) => [one, { down: null, right: null, up: null, left: null }]));
  for (const way of WAYS) {
    /** @param {HTMLElement[]} part */
    const look = (part) =>
      looking(
        part.map((one) => [one, /** @type {Area} */ (areas.get(one))]),
        way,
      );
    there.forEach((part, at) => {
      const others = look(part);
      const isEnd = way === "up" && !at && there.at(-1) === parts[PLACE];
      const next = isEnd ? undefined : way === "down" ? there[at + 1] : there.at(at - 1);
      const beyond = next && next !== part ? look(next) : [];
      /** @param {HTMLElement} one @param {Area} area */
      const lead = (one, area) => {
        if (!isFree(one, way)) return null;
        const found = nearest(area, others, way, one);
        // What was said is there for a short time: each way out leads to it.
        if (found || way === "left" || way === "right")
          return found ?? (part.includes(notice) ? null : notice);
        return nearest(area, beyond, way) ?? beyond.at(way === "up" ? -1 : 0)?.one ?? null;
      };
      for (const one of part) {
        const own = graph.get(one);
        const area = areas.get(one);
        if (own && area) own[way] = lead(one, area);
      }
    });
  }
  return graph;
}

/** Have each be reached from the first, and the first from each: what no key leads to gets between one that
 * is reached and what a key leads to from there.
 * @param {HTMLElement[]} list @param {Map<HTMLElement, Area>} areas @param {Graph} graph */
function mend(list, areas, graph) {
  if (!list.length) return;
  const reached = new Set([list[0]]);
  const spread = () => {
    for (const one of reached)
      for (const next of Object.values(graph.get(one) ?? {})) if (next) reached.add(next);
  };
  spread();
  for (const island of list) {
    if (reached.has(island)) continue;
    const to = /** @type {Area} */ (areas.get(island));
    let best = { price: Infinity, from: list[0], way: /** @type {Way} */ ("down") };
    for (const from of reached) {
      const area = /** @type {Area} */ (areas.get(from));
      for (const way of WAYS) {
        const old = graph.get(from)?.[way];
        if (!isFree(from, way) || (old && !isFree(island, way))) continue;
        const [one, other] = [turned(area, way), turned(to, way)];
        // Halfway there by its middle is that way.
        const ahead = (other[0] + other[1] - one[0] - one[1]) / 2;
        const price = cost(one, other) + (ahead > 0 ? 0 : 1e6) + (old ? 1e4 : 0);
        if (price < best.price) best = { price, from, way };
      }
    }
    const { from, way } = best;
    const [start, own] = [graph.get(from), graph.get(island)];
    if (!start || !own) continue;
    if (start[way]) own[way] = start[way];
    start[way] = island;
    if (isFree(island, BACK[way])) own[BACK[way]] = from;
    reached.add(island);
    spread();
  }
}
