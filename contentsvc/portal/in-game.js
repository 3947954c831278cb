/** The portal in the web view of a game: a bar above each place, and all of it by arrow keys, Enter and
 * Escape, as the buttons of a game pad give them. Only the layout of a game loads it. */
import { html, render } from "./vendor/preact.js";
import { areaOf, controls, graphOf, isControl, isTyped, looking, nearest, scope, seen } from "./arrows.js";
import { isReading, recall, remember, shown } from "./history.js";
import { onArrival } from "./layout.js";
import { address, go } from "./router.js";
import { needPart, t } from "./texts.js";
import { Connection } from "./parts/header.js";
import { useSession } from "./parts/hooks.js";
import { Icon } from "./parts/icons.js";

/** @typedef {import("./arrows.js").Way} Way */

/** @type {Record<string, Way>} */
const KEYS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
/** What of the window's height a step scrolls, where what is next is further than one sees. */
const STEP = 0.7;
/** Pixels of a control by which it is seen. */
const SHOWN = 44;
/** What is scrolled into view as a whole, with a control of it. */
const WHOLE = "article, li, .field, .hero, .panel";
/** What has the focus at a place that has it, instead of the first control. */
const FIRST = ".act .button.main, .find input, .compose textarea";
/** Milliseconds between two looks, and those without another answer after which a place is there. */
const LOOK = 50;
const QUIET = 120;
/** Milliseconds after which what is there is enough. */
const LATE = 400;
/** Where in the history's entry the control is that had the focus. */
const FOCUS = "focus";

const style = document.createElement("link");
style.rel = "stylesheet";
style.href = new URL("in-game.css", import.meta.url).href;
const styled = new Promise((done) => Object.assign(style, { onload: done, onerror: done }));
document.head.append(style);
await Promise.all([styled, needPart("more").catch(() => {})]);

/** Back to where the visitor was before. */
function goBack() {
  const { navigation } = /** @type {{navigation?: {canGoBack: boolean}}} */ (/** @type {any} */ (window));
  if (navigation ? navigation.canGoBack : history.length > 1) history.back();
  else void go("/", { replace: true });
}

/** Instead of the header.
 * @param {{path: string}} props */
export function Bar({ path }) {
  const { unread } = useSession();
  /** @param {string} place @param {"search" | "bell"} sign @param {string} text */
  const link = (place, sign, text) =>
    html`
      <a href=${address(place)} aria-current=${path === place ? "page" : undefined}>
        <${Icon} name=${sign} />
        ${text}
      </a>
    `;
  return html`
    <header class="bar">
      <nav aria-label=${t("header.navigation")}>
        <button type="button" onClick=${goBack}>
          <${Icon} name="back" />
          ${t("in-game.back")}
        </button>
        ${link("/search", "search", t("place.search"))}
        ${link(
          "/notifications",
          "bell",
          unread ? t("place.notifications-unread", { unread }) : t("place.notifications"),
        )}
      </nav>
      <${Connection} />
    </header>
  `;
}

/** Where the last key came from: the opposite key leads back there.
 * @type {{from: HTMLElement, to: HTMLElement, way: Way} | null} */
let step = null;
/** The control of the place that had the focus last, and where that was.
 * @type {{control: HTMLElement, area: import("./arrows.js").Area} | null} */
let last = null;
/** A place to which the visitor has just come: what had the focus there, if it was left before, when that
 * was, and since when nothing was read.
 * @type {{wanted: string | undefined, begun: number, since: number} | null} */
let arrival = arriving();
/** The entry of the history whose place is drawn: while the next one is fetched, that of before is. */
let drawn = "";
let timer = 0;

function arriving() {
  const now = performance.now();
  return { wanted: recall(FOCUS), begun: now, since: now };
}

/** By what a control is known when its place is made again.
 * @param {HTMLElement} control */
function nameOf(control) {
  const form = /** @type {{type?: string, labels?: NodeListOf<HTMLElement> | null}} */ (
    /** @type {unknown} */ (control)
  );
  const said =
    control.getAttribute("href") ??
    control.getAttribute("aria-label") ??
    (form.labels?.[0] ?? control).textContent?.trim().slice(0, 80);
  return `${control.localName} ${form.type ?? ""} ${said}`;
}

/** The same, with which of its name it is.
 * @param {HTMLElement} control */
function keyOf(control) {
  const name = nameOf(control);
  const same = controls(document.body).filter((one) => nameOf(one) === name);
  return JSON.stringify([name, same.indexOf(control)]);
}

/** @param {string} key */
function found(key) {
  const [name, at] = JSON.parse(key);
  const same = controls(document.body).filter((one) => nameOf(one) === name);
  return same[at];
}

/** @param {HTMLElement} control @param {boolean} [isStill] whether the page stays scrolled as it is */
function focus(control, isStill = false) {
  control.focus({ preventScroll: true });
  if (!isStill) reveal(control);
}

/** Have it seen, with what is around it.
 * @param {HTMLElement} control */
function reveal(control) {
  const whole = control.closest(WHOLE);
  const fits = whole && whole.getBoundingClientRect().height < innerHeight * 0.6;
  (fits ? whole : seen(control)).scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** Go on from where the focus is.
 * @param {Way} way */
function move(way) {
  const within = scope();
  const active = document.activeElement;
  const graph = graphOf(within);
  const from = active instanceof HTMLElement && graph.has(active) ? active : null;
  // The page follows a focus that went further than one sees.
  if (from && beyond(from, way) > 0) return follow(within, from, way);
  const back = from && step?.to === from && OPPOSITE[way] === step.way ? step.from : null;
  const lead = from ? graph.get(from)?.[way] : fromNowhere(active, within, way);
  const to = back && graph.has(back) ? back : lead;
  if (!to) return follow(within, null, way);
  focus(to, true);
  follow(within, to, way);
  step = from && document.activeElement === to ? { from, to, way } : null;
}

/** @type {Record<Way, Way>} */
const OPPOSITE = { up: "down", down: "up", left: "right", right: "left" };

/** What comes next where no control has the focus.
 * @param {Element | null} active @param {HTMLElement} within @param {Way} way */
function fromNowhere(active, within, way) {
  const isPlace = !active || active === document.body || active.matches("main");
  if (isPlace && within === document.body) return first(Infinity);
  const all = /** @type {[HTMLElement, import("./arrows.js").Area][]} */ (
    controls(within).map((one) => [one, areaOf(seen(one))])
  );
  return (isPlace ? null : nearest(areaOf(active), looking(all, way), way)) ?? all[0]?.[0];
}

/** How far a control is beyond the window, that way.
 * @param {HTMLElement} control @param {Way} way */
function beyond(control, way) {
  const { top, bottom, height } = seen(control).getBoundingClientRect();
  const part = Math.min(height, SHOWN);
  return way === "down" ? top + part - innerHeight : way === "up" ? part - bottom : -Infinity;
}

/** Scroll to a control that way. What is between is to be read: so it is a part of the window at most; and
 * that far where there is none.
 * @param {HTMLElement} within what is open
 * @param {HTMLElement | null} control @param {Way} way */
function follow(within, control, way) {
  if (control && beyond(control, way) < innerHeight * STEP) return reveal(control);
  if (way === "left" || way === "right" || within.matches(".menu")) return;
  const scrolled = within === document.body ? window : within;
  scrolled.scrollBy({ top: (way === "down" ? 1 : -1) * innerHeight * STEP, behavior: "instant" });
}

/** Whether the browser, or what has the focus, is to have this key.
 * @param {KeyboardEvent} event */
const isTheirs = (event) =>
  event.defaultPrevented ||
  event.isComposing ||
  event.ctrlKey ||
  event.altKey ||
  event.metaKey ||
  event.shiftKey;

/** @param {KeyboardEvent} event */
function press(event) {
  const active = document.activeElement;
  const way = KEYS[event.key];
  if (isTheirs(event)) return;
  if (event.key === "Escape") return escape(event);
  if (!way) return;
  arrival = null;
  if (!active || !isTyped(active)) return (event.preventDefault(), move(way));
  if (way === "left" || way === "right") return;
  if (!(active instanceof HTMLTextAreaElement)) return (event.preventDefault(), move(way));
  // Of several lines, the caret leaves the last one that way.
  const before = `${active.selectionStart} ${active.selectionEnd}`;
  setTimeout(() => {
    const now = `${active.selectionStart} ${active.selectionEnd}`;
    if (document.activeElement === active && before === now) move(way);
  });
}

/** What Escape closes, as it was before anything heard of the key. */
let open = false;

/** @param {KeyboardEvent} event */
function before(event) {
  const active = document.activeElement;
  if (event.key === "Escape")
    open =
      scope() !== document.body ||
      !!active?.matches("[role=combobox][aria-expanded=true], .handle[aria-pressed=true]");
  if (event.key !== "Enter" || isTheirs(event) || !(active instanceof HTMLElement)) return;
  const isField = active.matches("input, select");
  const isUnseen = beyond(active, "down") > 0 || beyond(active, "up") > 0;
  if (isUnseen && isControl(active) && !isTyped(active)) return (event.preventDefault(), reveal(active));
  if (event.repeat && !isTyped(active)) return event.preventDefault();
  if (!isField || isTyped(active)) return;
  // Browsers press these by other keys.
  event.preventDefault();
  if (active instanceof HTMLSelectElement) void choose(active);
  else active.click();
}

/** @param {KeyboardEvent} event */
function escape(event) {
  if (open) return;
  event.preventDefault();
  if (!event.repeat) goBack();
}

/** Have one of a field's values chosen in a dialog: the list of a browser is not for a game pad.
 * @param {HTMLSelectElement} select */
async function choose(select) {
  const { default: Choose } = await import("./parts/choose.js");
  const holder = document.createElement("div");
  document.body.append(holder);
  const close = () => {
    render(null, holder);
    holder.remove();
  };
  render(html`<${Choose} select=${select} onClose=${close} />`, holder);
}

/** Links that lead elsewhere are text: a game has no other browser. */
function quieten() {
  for (const link of document.links) if (link.origin !== location.origin) link.removeAttribute("href");
}

/** Have a control have the focus: at a place to which one comes, in a dialog that opens, and where what had
 * it is gone. */
function look() {
  clearTimeout(timer);
  const active = document.activeElement;
  const now = performance.now();
  const dialog = active?.closest("dialog");
  if (arrival && !dialog) {
    if (isReading()) arrival.since = now;
    const to = (arrival.wanted && found(arrival.wanted)) || first(now);
    if (!to) return void (timer = setTimeout(look, LOOK));
    arrival = null;
    return focus(to, true);
  }
  if (!active || isControl(active)) return;
  const around = dialog ?? active;
  const isLost = dialog || active.querySelector("main") || active.matches("main, .notices *, .announcements");
  const place = isLost && !dialog && controls(document.querySelector("main") ?? around);
  // A place may have none.
  const all = place && place.length ? place : controls(around);
  if (!all.length) return;
  const chosen = dialog && all.find((one) => one.matches("[aria-pressed=true]"));
  if (chosen || dialog || isLost || active.contains(all[0]))
    focus(chosen ?? (dialog ? all[0] : closest(all)));
}

/** What has the focus first at a place: what is done there, or else what is seen.
 * @param {number} now milliseconds, or Infinity to have it as it is */
function first(now) {
  const quiet = now - (arrival?.since ?? 0);
  const isLate = now - (arrival?.begun ?? 0) > LATE;
  const named = partNamed();
  if (named && !arrival?.wanted) return named;
  const isAwaited = arrival?.wanted || location.hash;
  if (quiet < (isAwaited ? 4 : 1) * QUIET && (isAwaited || !isLate)) return null;
  const all = controls(document.querySelector("main") ?? document.body);
  const inView = all.filter((one) => beyond(one, "down") <= 0 && beyond(one, "up") <= 0);
  const found = inView.find((one) => one.matches(FIRST)) ?? inView[0];
  return found ?? (quiet < (all.length ? 1 : 8) * QUIET ? null : controls(document.body)[0]);
}

/** The first control of the part of the place that the address names. */
function partNamed() {
  const part = location.hash && document.getElementById(location.hash.slice(1));
  return part ? controls(part.closest("section, article") ?? part)[0] : null;
}

/** The one that is nearest to where the focus was.
 * @param {HTMLElement[]} all */
function closest(all) {
  const was = last?.area;
  if (!was) return all[0];
  /** @param {HTMLElement} one */
  const far = (one) => {
    const { left, top } = areaOf(seen(one));
    return Math.hypot(left - was.left, 3 * (top - was.top));
  };
  return all.reduce((best, one) => (far(one) < far(best) ? one : best));
}

onArrival((isSame) => {
  drawn = shown();
  if (isSame) {
    const named = partNamed();
    if (named) focus(named, true);
    return;
  }
  step = last = null;
  arrival = arriving();
  timer = setTimeout(look, LOOK);
});

addEventListener("keydown", before, true);
addEventListener("keydown", press);
addEventListener("pointerdown", () => (arrival = null), true);
addEventListener("focusin", ({ target }) => {
  const control = /** @type {HTMLElement} */ (target);
  if (step && step.to !== control) step = null;
  // A place that gives the focus by itself, as to the comment of an address, has its reasons.
  if (arrival && !arrival.wanted && control.parentElement?.closest("main")) arrival = null;
  if (!isControl(control)) return void requestAnimationFrame(look);
  const main = control.closest("main");
  if (!main) return;
  // What stood there is gone, such as a row of a list: who takes away one goes on with the next.
  const isGone = last && !last.control.isConnected && !arrival;
  const instead = isGone ? closest(controls(main)) : control;
  last = { control: instead, area: areaOf(seen(instead)) };
  if (instead !== control) return focus(instead);
  if (!arrival && drawn === shown()) remember(FOCUS, keyOf(control));
});
new MutationObserver(() => (quieten(), look())).observe(document.body, {
  subtree: true,
  childList: true,
  attributeFilter: ["href", "hidden", "open", "disabled"],
});
