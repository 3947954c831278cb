/** Content as a card in a list. */
import { html } from "../vendor/preact.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { Folded } from "./folded.js";
import { Count } from "./icons.js";
import { PersonLink } from "./people.js";
import { Picture } from "./pictures.js";

/** With fewer votes than this, a share says nothing. */
const ENOUGH = 3;

/** @param {{content: import("../client.js").ContentInfo}} props */
export function Card({ content }) {
  return html`
    <${Folded} by=${content.authorId} kind="card">
      <${Whole} content=${content} />
    <//>
  `;
}

/** Content as a list of cards, of which all is there.
 * @param {{of: import("../client.js").ContentInfo[], kind?: string, [attribute: string]: any}} props */
export function Cards({ of, kind = "", ...attributes }) {
  return html`
    <ul class=${`cards ${kind}`} ...${attributes}>
      ${of.map(
        (content) =>
          html`
            <li key=${content.id}>
              <${Card} content=${content} />
            </li>
          `,
      )}
    </ul>
  `;
}

/** @param {{content: import("../client.js").ContentInfo}} props */
function Whole({ content }) {
  const { status, visibility } = content;
  return html`
    <article class="card">
      <h3>
        <a class="card-link" href=${address(`/content/${content.id}`)}>
          <span class="card-shot">
            <${Picture}
              path=${content.thumbnailUri}
              name=${content.name}
              id=${content.id}
              width=${320}
              height=${180}
              since=${content.created}
            />
          </span>
          <span class="card-name" dir="auto">${content.name}</span>
        </a>
      </h3>
      ${
        (status !== "active" || visibility !== "public") &&
        html`
          <p class="badges">
            ${status !== "active" && html`<span class="badge warn static">${t(`status.${status}`)}</span>`}
            ${
              visibility &&
              visibility !== "public" &&
              html`<span class="badge warn static">${t(`visibility.${visibility}`)}</span>`
            }
          </p>
        `
      }
      <div class="card-foot small">
        <${PersonLink}
          person=${{ id: content.authorId, username: content.authorUsername, avatar: content.authorAvatar }}
        />
        <${Facts} content=${content} />
      </div>
    </article>
  `;
}

/** How it is liked, and how much it is used: each once, and not before it says something.
 * @param {{content: import("../client.js").ContentInfo}} props */
function Facts({ content: { votes, counts } }) {
  const all = votes ? votes.up + votes.down : 0;
  const used = counts?.plays ? "plays" : "downloads";
  if (all < ENOUGH && !counts?.[used]) return null;
  const share = Math.round((100 * (votes?.up ?? 0)) / all);
  return html`
    <p class="facts faint">
      ${
        all >= ENOUGH &&
        html`<${Count} name="votes" count=${all} shown=${t("votes.share", { share })} values=${{ share }} />`
      }
      ${counts?.[used] > 0 && html`<${Count} name=${used} count=${counts[used]} />`}
    </p>
  `;
}
