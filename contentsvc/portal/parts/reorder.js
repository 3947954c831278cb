/** Lists whose order is changed by dragging, and by arrow keys, Home and End on the handle of an item. In the
 * layout of a game, where arrow keys lead from one control to the next, Enter takes an item by its handle,
 * and puts it down. */
import { html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
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
  /** The item that is taken, as the next key finds it: that may come before the page is drawn. */
  const taken = useRef(/** @type {number | null} */ (null));
  const [, draw] = useState(/** @type {number | null} */ (null));
  /** @param {number | null} at */
  const take = (at) => draw((taken.current = at));
  /** The handle that was pressed. Where its row is moved on the page it loses the focus, and has it again. */
  const pressed = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    if (document.activeElement === document.body) pressed.current?.focus();
  });
  /** @param {KeyboardEvent} event @param {number} at */
  const press = (event, at) => {
    const handle = /** @type {HTMLElement} */ (event.currentTarget);
    if (inGame && (event.key === "Enter" || (event.key === "Escape" && taken.current !== null))) {
      event.preventDefault();
      pressed.current = handle;
      return take(taken.current === null && !event.repeat ? at : null);
    }
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: count() - 1 }[event.key];
    if (to === undefined || (inGame && taken.current === null)) return;
    event.preventDefault();
    pressed.current = handle;
    move(at, to);
    if (inGame) take(Math.min(Math.max(to, 0), count() - 1));
    requestAnimationFrame(() => handle.scrollIntoView({ block: "nearest" }));
  };
  /** What is left is put down. It is told by the next frame, when another may have been taken.
   * @param {FocusEvent} event */
  const leave = ({ currentTarget }) =>
    requestAnimationFrame(() => {
      if (pressed.current !== currentTarget || document.activeElement === currentTarget) return;
      pressed.current = null;
      take(null);
    });
  /** @param {number} at */
  const handle = (at) => ({
    onKeyDown: (/** @type {KeyboardEvent} */ event) => press(event, at),
    onBlur: leave,
    ...(inGame && { "aria-pressed": taken.current === at }),
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
