/** The page: its header, and the place that the address names. */
import { html, useEffect, useState } from "./vendor/preact.js";
import { Announcements } from "./parts/announcements.js";
import { Header } from "./parts/header.js";
import { useNews } from "./parts/hooks.js";
import { Maintenance, useClosed } from "./parts/maintenance.js";
import { once } from "./once.js";
import { start } from "./router.js";
import { notFound, PLACES, prepare } from "./routes.js";
import { service } from "./service.js";
import { onState, state } from "./session.js";
import Unreachable from "./places/unreachable.js";
import { language, needPart, onLanguage, t } from "./texts.js";

/** Of guests alone. */
export const guestLine = once(async () => {
  await needPart("more");
  return (await import("./parts/guest.js")).GuestLine;
});

/** @param {{top?: import("./vendor/preact.js").ComponentType<{path: string}>,
 *   line: typeof import("./parts/guest.js").GuestLine | null}} props `top` is above each place, `line` that
 *   of a guest */
export function App({ top = Header, line }) {
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
  // Most visits need nothing that is said beside a place.
  const [Notices, setNotices] = useState(/** @type {typeof import("./parts/notices.js") | null} */ (null));
  useNews("notices", () => Notices ?? import("./parts/notices.js").then(setNotices, () => {}));
  const [Line, setLine] = useState(() => line);
  useEffect(() => {
    const look = () =>
      void (
        state.guest &&
        guestLine().then(
          (found) => setLine(() => found),
          () => {},
        )
      );
    look();
    return onState(look);
  }, []);
  const [Terms, setTerms] = useState(
    /** @type {() => typeof import("./parts/terms.js").TermsLine | null} */ (() => null),
  );
  useEffect(() => {
    const look = () =>
      void (
        service.terms &&
        state.user &&
        import("./parts/terms.js").then(
          ({ TermsLine }) => setTerms(() => TermsLine),
          () => {},
        )
      );
    look();
    return onState(look);
  }, []);
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
    <${top} path=${path} />
    ${Line && html`<${Line} path=${path} />`}
    ${Terms && html`<${Terms} />`}
    <${Announcements} />
    <main tabindex="-1" id="main">
      ${closed && html`<${Maintenance} closed=${closed} path=${path} />`}
      <div class="place" hidden=${!!closed}>
        ${View && html`<${View} key=${path} parameters=${place.parameters} query=${place.query} />`}
      </div>
    </main>
    <div class="notices">
      <div role="status">${Notices && html`<${Notices.Said} />`}</div>
      ${Notices && html`<${Notices.Warned} />`}
    </div>
  `;
}
