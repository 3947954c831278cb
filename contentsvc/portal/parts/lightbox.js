/** The pictures of a content as large as the window: arrow keys, buttons and a swipe lead from one to the
 * next. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { t } from "../texts.js";
import { Button, Dialog } from "./form.js";
import { Icon } from "./icons.js";
import { mayMove, Picture, wholeAddress } from "./pictures.js";

/** Pixels by which a finger moves that swipes. */
const SWIPE = 48;

/** Whether a picture moves: a WebP says so in its first bytes.
 * @param {string} url @param {AbortSignal} signal */
async function isMoving(url, signal) {
  if (!mayMove(url)) return false;
  const answer = await fetch(url, { headers: { Range: "bytes=0-31" }, signal });
  const reader = answer.body?.getReader();
  const { value: head = new Uint8Array() } = (await reader?.read()) ?? {};
  void reader?.cancel();
  return answer.ok && String.fromCharCode(...head.slice(12, 16)) === "VP8X" && !!(head[20] & 2);
}

/** Whether the one that is shown moves, and whether it does so now: not before somebody asks, where the
 * system is told to move little.
 * @param {string} path
 * @returns {[boolean, boolean, (moves: boolean) => void]} */
function useMoving(path) {
  const [of, setOf] = useState("");
  const [moves, setMoves] = useState(false);
  useEffect(() => {
    const control = new AbortController();
    isMoving(wholeAddress(path), control.signal).then(
      (is) => {
        if (control.signal.aborted || !is) return;
        setOf(path);
        setMoves(!matchMedia("(prefers-reduced-motion: reduce)").matches);
      },
      // What nobody can tell stands still.
      () => {},
    );
    return () => control.abort();
  }, [path]);
  return [of === path, of === path && moves, setMoves];
}

/** @param {{shots: string[], at: number, onMove: (at: number) => void, onClose: () => void,
 *   content: import("../client.js").ContentDetail}} props `shots` are their paths, `at` which one is shown */
export default function Lightbox({ shots, at, onMove, onClose, content }) {
  const count = shots.length;
  const [isOfMoving, moves, setMoves] = useMoving(shots[at]);
  /** @param {number} to */
  const move = (to) => onMove((to + count) % count);
  const last = useRef(move);
  last.current = move;
  const now = useRef(at);
  now.current = at;
  useEffect(() => {
    /** @param {KeyboardEvent} event */
    const key = (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const to = { ArrowLeft: now.current - 1, ArrowRight: now.current + 1, Home: 0, End: -1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      last.current(to);
    };
    document.addEventListener("keydown", key);
    return () => document.removeEventListener("keydown", key);
  }, []);
  const start = useRef(/** @type {{x: number, y: number, id: number} | null} */ (null));
  const moved = useRef(/** @type {HTMLElement | null} */ (null));
  /** @param {number} by */
  const shift = (by) => moved.current?.style.setProperty("translate", `${by}px`);
  /** @param {PointerEvent} event */
  const down = ({ clientX: x, clientY: y, pointerId: id, isPrimary, button }) => {
    start.current = isPrimary && !button && count > 1 ? { x, y, id } : null;
  };
  /** @param {PointerEvent} event */
  const drag = ({ clientX, pointerId }) => {
    if (start.current?.id === pointerId) shift(clientX - start.current.x);
  };
  /** @param {PointerEvent} event */
  const up = ({ clientX, clientY, pointerId, type }) => {
    const from = start.current;
    if (from?.id !== pointerId) return;
    start.current = null;
    shift(0);
    const [far, high] = [clientX - from.x, clientY - from.y];
    if (type === "pointerup" && Math.abs(far) > Math.max(SWIPE, Math.abs(high)))
      move(at + (far < 0 ? 1 : -1));
  };
  return html`
    <${Dialog} kind="lightbox" title=${content.name} onClose=${onClose}>
      <p class="lightbox-number" role="status">${t("content.picture", { number: at + 1, count })}</p>
      ${
        isOfMoving &&
        html`
          <${Button} class="button lightbox-play" onClick=${() => setMoves(!moves)}>
            ${t(moves ? "action.pause" : "action.play")}
          <//>
        `
      }
      <div
        class="lightbox-stage"
        onPointerDown=${down}
        onPointerMove=${drag}
        onPointerUp=${up}
        onPointerCancel=${up}
        onPointerLeave=${up}
        onDragStart=${(/** @type {Event} */ event) => event.preventDefault()}
      >
        <div class="lightbox-moved" ref=${moved} key=${`${at} ${shots[at]}`}>
          <${Picture}
            path=${shots[at]}
            name=${content.name}
            id=${content.id}
            width=${1920}
            height=${1080}
            since=${content.updated}
            first
            moves=${moves}
            alt=${t("content.screenshot", { number: at + 1, name: content.name })}
          />
        </div>
      </div>
      ${
        count > 1 &&
        html`
          <button
            type="button"
            class="icon turn back"
            aria-label=${t("content.previous")}
            onClick=${() => move(at - 1)}
          >
            <${Icon} name="back" />
          </button>
          <button
            type="button"
            class="icon turn"
            aria-label=${t("content.next")}
            onClick=${() => move(at + 1)}
          >
            <${Icon} name="next" />
          </button>
        `
      }
    <//>
  `;
}
