/** Lists whose order is changed by dragging, and by arrow keys, Home and End on the handle of an item. In the
 * layout of a game, where arrow keys lead from one control to the next, Enter takes an item by its handle,
 * and puts it down. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { inGame } from "../layout.js";
import { t } from "../texts.js";

/** The list with one item elsewhere.
 * @template T
 * @param {T[]} items @param {number} from @param {number} to
 * @returns {T[]} */
export function moved(items, from, to) {
  const rest = items.filter((_, at) => at !== from);
  return [...rest.slice(0, to), items[from], ...rest.slice(to)];
}

/** What such a list needs: `list` is its element, `drag` where the item that is dragged comes from and would
 * go, `begin` hears of a pointer that goes down on an item, and `handle` gives what
 * the handle of an item needs.
 * @param {() => number} count how many items there are
 * @param {(from: number, to: number) => void} move */
export function useReorder(count, move) {
  /** @type {[{from: number, to: number} | null, (now: {from: number, to: number} | null) => void]} */
  const [drag, setDrag] = useState(/** @type {{from: number, to: number} | null} */ (null));
  const list = useRef(/** @type {HTMLElement | null} */ (null));

  /** The place that is under the pointer.
   * @param {PointerEvent} event */
  const under = (event) => {
    const rows = [...(list.current?.children ?? [])];
    const at = rows.findIndex((row) => event.clientY < row.getBoundingClientRect().bottom);
    return at < 0 ? rows.length - 1 : at;
  };
  /** @param {PointerEvent} event @param {number} from */
  const begin = (event, from) => {
    const target = /** @type {Element} */ (event.target);
    if (event.button || (event.pointerType !== "mouse" && !target.closest(".handle"))) return;
    if (target.closest("a, button:not(.handle)")) return;
    setDrag({ from, to: from });
  };
  /** @param {PointerEvent} event */
  const follow = (event) => {
    if (!drag) return;
    const edge = 60;
    if (event.clientY < edge) scrollBy(0, -12);
    else if (event.clientY > innerHeight - edge) scrollBy(0, 12);
    const to = under(event);
    if (to !== drag.to) setDrag({ ...drag, to });
  };
  const end = () => {
    if (drag) move(drag.from, drag.to);
    setDrag(null);
  };
  useEffect(() => {
    if (!drag) return;
    /** @param {KeyboardEvent} event */
    const stop = (event) => event.key === "Escape" && setDrag(null);
    const leave = () => setDrag(null);
    // The row itself is moved on the page, and would lose the pointer.
    addEventListener("pointermove", follow);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", leave);
    addEventListener("keydown", stop);
    return () => {
      removeEventListener("pointermove", follow);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", leave);
      removeEventListener("keydown", stop);
    };
  });
  const [taken, take] = useState(/** @type {number | null} */ (null));
  /** @param {KeyboardEvent} event @param {number} at */
  const press = (event, at) => {
    if (inGame && (event.key === "Enter" || (event.key === "Escape" && taken !== null))) {
      event.preventDefault();
      return take(taken === null && !event.repeat ? at : null);
    }
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: count() - 1 }[event.key];
    if (to === undefined || (inGame && taken === null)) return;
    event.preventDefault();
    move(at, to);
    if (inGame) take(Math.min(Math.max(to, 0), count() - 1));
    const handle = /** @type {HTMLElement} */ (event.currentTarget);
    requestAnimationFrame(() => (handle.focus(), handle.scrollIntoView({ block: "nearest" })));
  };
  /** What is moved on the page loses the focus, and has it again at once.
   * @param {FocusEvent} event */
  const leave = ({ currentTarget }) => {
    const left = /** @type {HTMLElement} */ (currentTarget);
    requestAnimationFrame(() => {
      if (taken !== null && document.activeElement === document.body) left.focus();
      if (document.activeElement !== left) take(null);
    });
  };
  /** @param {number} at */
  const handle = (at) => ({
    onKeyDown: (/** @type {KeyboardEvent} */ event) => press(event, at),
    ...(inGame && { "aria-pressed": taken === at, onBlur: leave }),
  });
  return { list, drag, begin, handle };
}

/** What an item is moved by.
 * @param {{name: string, hint: string, keys: object}} props `hint` is the id of what says how, `keys` what
 *   `useReorder` gives for it */
export function Handle({ name, hint, keys }) {
  return html`
    <button
      type="button"
      class="handle icon"
      aria-label=${t("collections.move", { name })}
      aria-describedby=${hint}
      ...${keys}
    >
      <span aria-hidden="true">⠿</span>
    </button>
  `;
}
