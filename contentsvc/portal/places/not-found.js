/** Any other address. */
import { html } from "../vendor/preact.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { useTitle } from "../parts/hooks.js";
import { Empty } from "../parts/states.js";

export default function NotFound() {
  useTitle(t("not-found.title"), true);
  return html`
    <h1>${t("not-found.title")}</h1>
    <${Empty} title=${t("not-found.text")}>
      <a class="button main" href=${address("/")}>
        ${t("place.discover")}
      </a>
    <//>
  `;
}
