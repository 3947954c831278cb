/** The start: the log-in of the last visit, then the page. */
// First: the others use it from their start.
import {} from "./storage.js";
import "./url-secrets.js";
import { inGame } from "./layout.js";
import { html, render } from "./vendor/preact.js";
import { App, guestLine } from "./app.js";
import { keepFocus } from "./focus.js";
import { address, here } from "./router.js";
import { open, restore, state } from "./session.js";
import { applyTheme } from "./theme.js";

applyTheme();
keepFocus();
// The link by which anybody says what is against the law brings along the address of the page.
const report = /** @type {HTMLAnchorElement | null} */ (document.querySelector(".foot .to-notice a"));
report?.addEventListener("click", () => {
  const path = here();
  const about = path.startsWith("/notice") ? "" : `?url=${encodeURIComponent(address(path))}`;
  report.href = address(`/notice${about}`);
});
const root = /** @type {HTMLElement} */ (document.getElementById("app"));
// What is public need not wait for the log-in; who is logged in would see a page of strangers first.
const [game] = await Promise.all([
  inGame ? import("./in-game.js") : null,
  open()?.sent?.catch(restore) ?? restore(),
]);
// It is above the place, which would move.
const line = state.guest ? await guestLine().catch(() => null) : null;
root.replaceChildren();
render(html`<${App} top=${game?.Bar} line=${line} />`, root);
