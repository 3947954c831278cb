/** Any other address. */
import { html } from "../vendor/preact.js";
import { inGame } from "../layout.js";
import { address, logInAddress } from "../router.js";
import { t } from "../texts.js";
import { useSession, useTitle } from "../parts/hooks.js";
import { Empty } from "../parts/states.js";

export default function NotFound() {
  const { user } = useSession();
  useTitle(t("not-found.title"), true);
  return html`
    <h1>${t("not-found.title")}</h1>
    <${Empty} title=${t("not-found.text")} text=${t("not-found.why")}>
      <p class="actions">
        <a class="button main" href=${address("/")}>${t("place.discover")}</a>
        <a class="button" href=${address("/browse")}>${t("place.browse")}</a>
        <a class="button" href=${address("/search")}>${t("place.search")}</a>
        ${!user && !inGame && html`<a class="button" href=${logInAddress()}>${t("action.log-in")}</a>`}
      </p>
    <//>
  `;
}
