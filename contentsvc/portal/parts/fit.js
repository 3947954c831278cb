/** Whether content fits the visitor's game. */
import { html } from "../vendor/preact.js";
import { game } from "../game.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { gameWords } from "./game-words.js";
import { useLoad } from "./hooks.js";

/** `content` was read with what the visitor has named.
 * @param {{content: import("../client.js").ContentDetail}} props */
export function Fit({ content }) {
  const { fitting } = content;
  if (fitting === undefined) return null;
  const words = gameWords(game());
  if (fitting === content.revisionId)
    return html`<p class="small fits">${t("fit.good", { game: words })}</p>`;
  return html`
    <div class="notice" role="note">
      <p>
        ${t(fitting ? "fit.older" : "fit.none", { game: words })}
        ${fitting && html`<${Version} contentId=${content.id} revisionId=${fitting} />`}
      </p>
      <p class="small">
        <a href=${address("/settings")}>${t("fit.settings")}</a>
      </p>
    </div>
  `;
}

/** @param {{contentId: string, revisionId: string}} props */
function Version({ contentId, revisionId }) {
  const found = useLoad(
    (signal) => client.getRevision({ contentId, revisionId }, { signal }),
    [contentId, revisionId],
  );
  return found.data
    ? html`<b>${t("fit.version", { version: found.data.version || t("content.no-version") })}</b>`
    : null;
}
