/** The field that finds content and players, in the header and at `/search`. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { go } from "../router.js";
import { t } from "../texts.js";
import { Icon } from "./icons.js";

/** @param {{q: string}} props `q` is what was searched for, where that is shown */
export function SearchField({ q }) {
  const [text, setText] = useState(q);
  // One goes back and forth between searches.
  useEffect(() => setText(q), [q]);
  /** @param {Event} event */
  const send = (event) => {
    event.preventDefault();
    if (text.trim()) void go(`/search?${new URLSearchParams({ q: text.trim() })}`);
  };
  return html`
    <form class="find" role="search" onSubmit=${send}>
      <input
        type="search"
        aria-label=${t("field.search")}
        placeholder=${t("header.search")}
        maxlength="256"
        enterkeyhint="search"
        dir="auto"
        value=${text}
        onInput=${(/** @type {any} */ event) => setText(event.target.value)}
      />
      <button type="submit" aria-label=${t("action.search")}><${Icon} name="search" /></button>
    </form>
  `;
}
