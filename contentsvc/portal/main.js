/** The start: the log-in of the last visit, then the page. */
// First: the others use it from their start.
import {} from "./storage.js";
import { html, render } from "./vendor/preact.js";
import { hideAnswer } from "./answer.js";
import { App } from "./app.js";
import { keepFocus } from "./focus.js";
import { restore } from "./session.js";
import { applyTheme } from "./theme.js";

hideAnswer();
applyTheme();
keepFocus();
const root = /** @type {HTMLElement} */ (document.getElementById("app"));
// What is public need not wait for the log-in; who is logged in would see a page of strangers first.
await restore();
root.replaceChildren();
render(html`<${App} />`, root);
