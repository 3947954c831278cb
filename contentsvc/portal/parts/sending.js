/** How far a publication is, with the way to cancel it. */
import { html, useEffect, useRef } from "../vendor/preact.js";
import { cancel, progressOf, secondsLeft } from "../publications.js";
import { language, t } from "../texts.js";
import { size } from "../format.js";
import { apart } from "./drop.js";
import { Button, useId } from "./form.js";

/** How long it takes, in the largest unit that suits.
 * @param {number | null} seconds */
function left(seconds) {
  if (seconds === null) return t("publish.left-unknown");
  if (seconds < 55) return t("publish.left-soon");
  const [unit, length] = seconds < 5_400 ? ["minute", 60] : ["hour", 3_600];
  const words = new Intl.NumberFormat(language, {
    style: "unit",
    unit,
    unitDisplay: "long",
    maximumFractionDigits: 0,
  });
  return t("publish.left", { time: words.format(Math.max(1, Math.round(seconds / length))) });
}

/** @param {{path: string, of: import("../publications.js").Publication}} props */
export function Sending({ path, of }) {
  const id = useId();
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => heading.current?.focus(), []);
  const { done, total } = progressOf(of);
  const isSent = of.isBegun && done === total;
  const phase = !of.isBegun
    ? t("publish.preparing")
    : isSent
      ? t("publish.finishing")
      : t("publish.sending", { count: of.files.length });
  return html`
    <section class="panel sending" aria-labelledby=${id}>
      <h2 id=${id} ref=${heading} tabindex="-1">
        ${t("publish.under-way", { name: apart(of.name) })}
      </h2>
      <p role="status">${phase}</p>
      <progress value=${of.isBegun ? done : undefined} max=${total || 1} aria-label=${t("publish.total")} />
      <p class="sending-facts small">
        <span>${t("publish.sent", { done: size(done), total: size(total) })}</span>
        <span>${isSent ? "" : left(secondsLeft(of))}</span>
      </p>
      <p class="actions">
        <${Button} onClick=${() => cancel(path)}>${t("action.cancel")}<//>
      </p>
      <p class="hint">${t("publish.go-on")}</p>
      <ul class="sending-files" aria-label=${t("publish.files")} tabindex="0">
        ${of.files.map(
          ({ file, done, total }, index) =>
            html`
              <li key=${index}>
                <bdi>${file.name}</bdi>
                <span class="faint small">${size(total)}</span>
                <span class="small">
                  ${
                    of.isBegun && done === total
                      ? t("publish.file-sent")
                      : t("votes.share", { share: Math.floor((100 * done) / (total || 1)) })
                  }
                </span>
              </li>
            `,
        )}
      </ul>
    </section>
  `;
}
