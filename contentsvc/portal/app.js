/** The page: its header, and the place that the address names. */
import { html, useEffect, useState } from "./vendor/preact.js";
import { Announcements } from "./parts/announcements.js";
import { Header } from "./parts/header.js";
import { Maintenance, useClosed } from "./parts/maintenance.js";
import { Notices } from "./parts/notices.js";
import { start } from "./router.js";
import { notFound, PLACES, prepare } from "./routes.js";
import { onState, state } from "./session.js";
import Unreachable from "./places/unreachable.js";
import { language, onLanguage, t } from "./texts.js";

export function App() {
  const [place, setPlace] = useState(/** @type {import("./router.js").Place | null} */ (null));
  const [, draw] = useState(language);
  useEffect(() => onLanguage(draw), []);
  useEffect(() => void start(PLACES, { notFound, unreachable: Unreachable }, setPlace), []);
  // Strangers have no places of their own: their first page stays as light as it is.
  useEffect(() => {
    const look = () => void (place && state.user && prepare());
    look();
    return onState(look);
  }, [!place]);
  const View = place?.view;
  const path = place?.path ?? "";
  const closed = useClosed(path);
  /** @param {MouseEvent} event */
  const skip = (event) => {
    event.preventDefault();
    document.querySelector("main")?.focus();
  };
  return html`
    <a class="skip button main" href="#main" onClick=${skip}>${t("header.skip")}</a>
    <${Header} path=${path} />
    <${Announcements} />
    <main tabindex="-1" id="main">
      ${closed && html`<${Maintenance} closed=${closed} path=${path} />`}
      <div class="place" hidden=${!!closed}>
        ${View && html`<${View} key=${path} parameters=${place.parameters} query=${place.query} />`}
      </div>
    </main>
    <${Notices} />
  `;
}
