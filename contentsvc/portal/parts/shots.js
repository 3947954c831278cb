/** Pictures in an order that is changed by dragging, and by keys on the handle. The first is shown first. */
import { html, useState } from "../vendor/preact.js";
import { inGame } from "../layout.js";
import { t } from "../texts.js";
import { useId } from "./basics.js";
import { Icon } from "./icons.js";
import { Handle, moved, useReorder } from "./reorder.js";

/** @typedef {{key: string, name: string, picture: any, facts?: string}} Shot */

/**
 * @param {{shots: Shot[], label: string, onMove: (from: number, to: number) => void,
 *   onRemove: (at: number) => void}} props
 */
export function Shots({ shots, label, onMove, onRemove }) {
  const hint = useId();
  const [said, say] = useState("");
  const { list, drag, begin, handle } = useReorder(
    () => shots.length,
    (from, to) => {
      if (from === to || to < 0 || to >= shots.length) return;
      onMove(from, to);
      say(t("collections.moved", { name: shots[from].name, place: to + 1, count: shots.length }));
    },
  );
  if (!shots.length) return null;
  const isOrdered = shots.length > 1;
  const shown = drag ? moved(shots, drag.from, drag.to) : shots;
  return html`
    ${
      isOrdered &&
      html`<p class="hint" id=${hint}>${t(inGame ? "in-game.order-hint" : "publish.order-hint")}</p>`
    }
    <ol class=${`order shots ${drag ? "moving" : ""}`} ref=${list} aria-label=${label}>
      ${shown.map(
        (shot, at) =>
          html`
            <li
              key=${shot.key}
              class=${drag?.to === at ? "dragged" : ""}
              onPointerDown=${(/** @type {PointerEvent} */ event) => isOrdered && begin(event, at)}
            >
              ${
                isOrdered &&
                html`
                  <${Handle} name=${shot.name} hint=${hint} keys=${handle(at)} />
                `
              }
              ${shot.picture}
              <span class="shot-name">
                <bdi>${shot.name}</bdi>
                <span class="facts small">
                  ${shot.facts && html`<span class="faint">${shot.facts}</span>`}
                  ${at === 0 && isOrdered && html`<span class="badge static">${t("publish.cover")}</span>`}
                </span>
              </span>
              <button
                type="button"
                class="icon"
                aria-label=${t("publish.remove", { name: shot.name })}
                onClick=${() => onRemove(at)}
              >
                <${Icon} name="close" />
              </button>
            </li>
          `,
      )}
    </ol>
    <p class="unseen" role="status">${said}</p>
  `;
}
