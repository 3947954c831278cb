/** The start: the log-in of the last visit, then the page. */
import "./portal-code.js";
import { html, render } from "./vendor/preact.js";
import { hideAnswer } from "./answer.js";
import { App } from "./app.js";
import { keepFocus } from "./focus.js";
import { open, restore } from "./session.js";
import { applyTheme } from "./theme.js";

hideAnswer();
applyTheme();
keepFocus();
const root = /** @type {HTMLElement} */ (document.getElementById("app"));
// What is public need not wait for the log-in; who is logged in would see a page of strangers first.
await (open()?.sent?.catch(restore) ?? restore());
root.replaceChildren();
render(html`<${App} />`, root);
