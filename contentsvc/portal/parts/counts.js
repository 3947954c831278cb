/** How often content was played and fetched, and how many keep and like it. Who is logged in keeps and likes
 * it here. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { t } from "../texts.js";
import { useSession } from "./hooks.js";
import { Count } from "./icons.js";
import { logInAddress } from "./then.js";

/** The buttons, which are fetched for who is logged in.
 * @type {import("../vendor/preact.js").ComponentType<any> | null} */
let buttons = null;

/** @param {{content: import("../client.js").ContentInfo | import("../client.js").ContentDetail,
 *   words?: boolean}} props `words` are beside the signs on the content's own page */
export function Counts({ content, words = false }) {
  const { user } = useSession();
  const [Keep, setKeep] = useState(() => buttons);
  useEffect(() => {
    if (user && !Keep)
      void import("./keep.js").then(
        (module) => setKeep(() => (buttons = module.Keep)),
        () => {},
      );
  }, [user?.id]);
  const { counts } = content;
  // A service of before has none.
  if (!counts) return null;
  return html`
    <div class=${`counts small ${words ? "words" : "faint"}`}>
      ${
        !words &&
        html`
          <${Count} name="plays" count=${counts.plays} />
          <${Count} name="downloads" count=${counts.downloads} />
        `
      }
      ${
        user && Keep
          ? html`<${Keep} content=${content} words=${words} />`
          : html`
            <${Count} name="subscribers" count=${counts.subscribers} />
            <${Count} name="favourites" count=${counts.favourites} />
            ${words && !user && html`<a href=${logInAddress()}>${t("keep.log-in")}</a>`}
          `
      }
    </div>
  `;
}
