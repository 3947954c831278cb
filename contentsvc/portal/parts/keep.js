/** What is done with content that one likes: it is kept, and is a favourite. Both are shown at once, and
 * taken back if they are refused. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { has, mark, onSaved } from "../saved.js";
import { number } from "../format.js";
import { t } from "../texts.js";
import { meet } from "../last-visit.js";
import { Alert } from "./form.js";
import { useAction, useSession } from "./hooks.js";
import { Icon } from "./icons.js";

/** @typedef {import("../client.js").ContentInfo | import("../client.js").ContentDetail} Content */

/** @type {Record<string, import("../texts.js").Key>} */
const REFUSED = { quota_exceeded: "keep.full" };

/** Whether this is marked, drawn again when it changes.
 * @param {import("../saved.js").Mark} name @param {string} id */
function useMark(name, id) {
  const [on, set] = useState(has(name, id));
  useEffect(() => {
    const look = () => set(has(name, id));
    look();
    return onSaved(look);
  }, [name, id]);
  return on;
}

/** One of the two as a button with its number.
 * @param {{content: Content, name: import("../saved.js").Mark, of: "subscribers" | "favourites",
 *   kind: string, text: string, children: any}} props */
function Toggle({ content, name, of, kind, text, children }) {
  const { user } = useSession();
  const on = useMark(name, content.id);
  // What was changed here since the numbers were read.
  const [more, setMore] = useState(0);
  useEffect(() => setMore(0), [content]);
  const act = useAction(async () => {
    setMore(more + (on ? -1 : 1));
    await mark(name, content.id, !on).catch((error) => {
      setMore(more);
      throw error;
    });
    if (name === "subscribed" && !on && user) meet(user.id, content);
  });
  // A service of before has none.
  const count = Math.max((content.counts?.[of] ?? 0) + more, 0);
  return html`
    <button
      type="button"
      class=${`button ${kind}`}
      aria-label=${text}
      aria-pressed=${on}
      title=${count ? t(`counts.${of}`, { count }) : undefined}
      onClick=${() => act.run()}
    >
      ${children(on)}
      ${count > 0 && html`<span class="number" data-number=${number(count)}></span>`}
    </button>
    <span class="unseen">${t(`counts.${of}`, { count })}</span>
    <${Alert} error=${act.error} instead=${REFUSED} />
  `;
}

/** What one does with content that one wants: the large button of its page.
 * @param {{content: Content}} props */
export function Subscribe({ content }) {
  const text = t(useMark("subscribed", content.id) ? "action.subscribed" : "action.subscribe");
  return html`
    <${Toggle} content=${content} name="subscribed" of="subscribers" kind="main large whole" text=${text}>
      ${(/** @type {boolean} */ on) =>
        html`
          <${Icon} name=${on ? "subscribed" : "subscribers"} />
          <span aria-hidden="true">${text}</span>
        `}
    <//>
  `;
}

/** @param {{content: Content}} props */
export function Favourite({ content }) {
  return html`
    <${Toggle}
      content=${content}
      name="favourite"
      of="favourites"
      kind="plain"
      text=${t("action.favourite")}
    >
      ${(/** @type {boolean} */ on) => html`<${Icon} name="favourites" filled=${on} />`}
    <//>
  `;
}
