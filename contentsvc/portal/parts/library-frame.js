/** The library: its places side by side, for who is logged in. */
import { html, useEffect, useRef } from "../vendor/preact.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { useTitle } from "./hooks.js";
import { LoggedIn } from "./logged-in.js";

const PLACES = /** @type {const} */ ([
  ["/library", "library.saved"],
  ["/library/collections", "library.collections"],
  ["/library/memberships", "library.memberships"],
]);

/** @param {{place: string, children?: any}} props */
export function LibraryFrame({ place, children }) {
  useTitle(t("place.library"));
  const row = useRef(/** @type {HTMLElement | null} */ (null));
  // On a narrow page the row is longer than the page.
  useEffect(
    () =>
      row.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }),
    [place],
  );
  return html`
    <h1>${t("place.library")}</h1>
    <nav class="tabs" ref=${row} aria-label=${t("place.library")}>
      ${PLACES.map(
        ([path, text]) =>
          html`
            <a key=${path} href=${address(path)} aria-current=${place === path ? "page" : undefined}>
              ${t(text)}
            </a>
          `,
      )}
    </nav>
    <${LoggedIn}>${children}<//>
  `;
}
