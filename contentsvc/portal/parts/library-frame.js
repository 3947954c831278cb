/** The library: its places side by side, for who is logged in. */
import { html } from "../vendor/preact.js";
import { t } from "../texts.js";
import { useTitle } from "./hooks.js";
import { LoggedIn } from "./logged-in.js";
import { PlaceTabs } from "./tabs.js";

const PLACES = /** @type {const} */ ([
  ["/library", "library.saved"],
  ["/library/collections", "library.collections"],
  ["/library/memberships", "library.memberships"],
]);

/** @param {{place: string, children?: any}} props */
export function LibraryFrame({ place, children }) {
  const places = PLACES.map(([path, text]) => /** @type {const} */ ([path, t(text)]));
  const own = places.find(([path]) => path === place && path !== "/library");
  useTitle(own?.[1] ?? t("place.library"));
  return html`
    <h1>${t("place.library")}</h1>
    <${PlaceTabs} places=${places} place=${place} label=${t("place.library")} />
    <${LoggedIn}>${children}<//>
  `;
}
