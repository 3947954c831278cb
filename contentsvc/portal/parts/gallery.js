/** The pictures of a content: one at a time in its own shape, with the others below it. */
import { html, useState } from "../vendor/preact.js";
import { t } from "../texts.js";
import { Icon } from "./icons.js";
import { Lazy } from "./lazy.js";
import { Picture } from "./pictures.js";

/** @param {{content: import("../client.js").ContentDetail}} props */
export function Gallery({ content }) {
  const [chosen, choose] = useState(0);
  const [isLarge, setLarge] = useState(false);
  const shots = content.screenshotUris.filter(Boolean);
  if (!shots.length) return null;
  const at = Math.min(chosen, shots.length - 1);
  const of = { name: content.name, id: content.id, since: content.updated };
  return html`
    <figure class="screens" aria-label=${t("content.screenshots")}>
      <button
        type="button"
        class="stage"
        aria-haspopup="dialog"
        title=${t("content.enlarge")}
        onClick=${() => setLarge(true)}
      >
        <span class="stage-back" aria-hidden="true">
          <${Picture} ...${of} path=${shots[at]} width=${160} height=${90} />
        </span>
        <${Picture}
          ...${of}
          path=${shots[at]}
          width=${1280}
          height=${720}
          kind="own-shape"
          first
          alt=${t("content.screenshot", { number: at + 1, name: content.name })}
        />
        <span class="stage-sign"><${Icon} name="large" /></span>
      </button>
      ${
        shots.length > 1 &&
        html`
          <figcaption>
            ${shots.map(
              (path, index) =>
                html`
                  <button
                    type="button"
                    key=${`${index} ${path}`}
                    aria-label=${t("content.show", { number: index + 1 })}
                    aria-pressed=${index === at}
                    onClick=${() => choose(index)}
                  >
                    <${Picture} ...${of} path=${path} width=${160} height=${90} />
                  </button>
                `,
            )}
          </figcaption>
        `
      }
    </figure>
    ${
      isLarge &&
      html`
        <${Lazy}
          of="lightbox"
          load=${() => import("./lightbox.js")}
          shots=${shots}
          at=${at}
          onMove=${choose}
          onClose=${() => setLarge(false)}
          content=${content}
        />
      `
    }
  `;
}
