/** What is done with content that one likes: it is kept, and is a favourite. Both are shown at once, and
 * taken back if they are refused. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { has, mark, onSaved } from "../saved.js";
import { t } from "../texts.js";
import { meet } from "../last-visit.js";
import { Alert } from "./form.js";
import { useAction, useSession } from "./hooks.js";
import { Count, Icon } from "./icons.js";
import { control } from "./names.js";

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
 *   words: boolean}} props */
function Toggle({ content, name, of, words }) {
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
  const text = t(name === "subscribed" ? "action.subscribe" : "action.favourite");
  return html`
    <span class="keep">
      <button
        type="button"
        class=${`button plain small ${words ? "" : "bare"}`}
        aria-label=${words ? text : control(text, content.name)}
        title=${words ? undefined : text}
        aria-pressed=${on}
        onClick=${() => act.run()}
      >
        <${Icon}
          name=${name === "subscribed" && on ? "subscribed" : of}
          filled=${name === "favourite" && on}
        />
        ${words && html`<span aria-hidden="true">${text}</span>`}
      </button>
      <${Count} name=${of} count=${Math.max(content.counts[of] + more, 0)} sign=${false} />
      <${Alert} error=${act.error} instead=${REFUSED} />
    </span>
  `;
}

/** @param {{content: Content, words: boolean}} props */
export function Keep({ content, words }) {
  return html`
    <${Toggle} content=${content} name="subscribed" of="subscribers" words=${words} />
    <${Toggle} content=${content} name="favourite" of="favourites" words=${words} />
  `;
}
