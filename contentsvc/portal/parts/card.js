/** Content as a card in a list. */
import { html } from "../vendor/preact.js";
import { address } from "../router.js";
import { ago, number } from "../format.js";
import { t } from "../texts.js";
import { Counts } from "./counts.js";
import { Folded } from "./folded.js";
import { typeName } from "./names.js";
import { Picture } from "./pictures.js";

/** @param {{content: import("../client.js").ContentInfo}} props */
export function Card({ content }) {
  return html`
    <${Folded} by=${content.authorId} kind="card">
      <${Whole} content=${content} />
    <//>
  `;
}

/** @param {{content: import("../client.js").ContentInfo}} props */
function Whole({ content }) {
  const { votes } = content;
  const count = votes ? votes.up + votes.down : 0;
  const { featured, status, visibility } = content;
  /** @type {[string, string][]} */
  const badges = [];
  if (featured) badges.push([t("content.featured"), ""]);
  if (status !== "active") badges.push([t(`status.${status}`), "warn"]);
  if (visibility && visibility !== "public") badges.push([t(`visibility.${visibility}`), "warn"]);
  return html`
    <article class="card">
      <${Picture}
        path=${content.thumbnailUri}
        name=${content.name}
        id=${content.id}
        width=${320}
        height=${180}
        since=${content.created}
      />
      ${
        badges.length > 0 &&
        html`
          <p class="badges">
            ${badges.map(
              ([text, kind]) =>
                html`
                  <span key=${text} class=${`badge static ${kind}`}>
                    ${text}
                  </span>
                `,
            )}
          </p>
        `
      }
      <h3 dir="auto">
        <a class="whole" href=${address(`/content/${content.id}`)}>${content.name}</a>
      </h3>
      <p class="small">
        <bdi>${content.authorUsername}</bdi>
      </p>
      <p class="facts small faint">
        <span>${typeName(content.type)}</span>
        ${
          votes &&
          count > 0 &&
          html`<span>${t("content.liked", { share: Math.round((100 * votes.up) / count), count })}</span>`
        }
        ${content.comments ? html`<span>${t("content.comments", { count: content.comments })}</span>` : null}
        ${content.created && html`<span>${ago(content.created)}</span>`}
      </p>
      <${Counts} content=${content} />
    </article>
  `;
}
