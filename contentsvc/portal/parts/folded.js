/** What players made whom the visitor blocks: folded behind a word, which shows it. */
import { createContext, html, useContext, useState } from "../vendor/preact.js";
import { t } from "../texts.js";
import { Button } from "./basics.js";
import { useSession } from "./hooks.js";

/** Whose things were just shown: what lies within is shown too. */
const Shown = createContext("");

/** Whether the visitor blocks this player.
 * @param {string | undefined} by */
export function useBlocks(by) {
  return useSession().blocked.has(by ?? "");
}

/**
 * Something of the player `by`, which nobody sees without wanting to. Nothing of it is asked for before.
 * @param {{by: string | undefined, kind?: string, title?: string, id?: string, children?: any}} props `kind`
 *   are classes of the place that it has; `title` is the heading of a page that is about it; `id` is what an
 *   address names it by
 */
export function Folded({ by = "", kind = "", title, id, children }) {
  const blocked = useBlocks(by);
  const around = useContext(Shown);
  const [open, setOpen] = useState("");
  if (!blocked || around === by) return children;
  if (open === by) return html`<${Shown.Provider} value=${by}>${children}<//>`;
  return html`
    <div class=${`folded ${kind}`} id=${id} tabindex=${id && -1}>
      ${title && html`<h1>${title}</h1>`}
      <p class="small faint">
        ${t("blocked.folded")}${" "}
        <${Button} class="button plain small" aria-expanded="false" onClick=${() => setOpen(by)}>
          ${t("blocked.show")}
        <//>
      </p>
    </div>
  `;
}
