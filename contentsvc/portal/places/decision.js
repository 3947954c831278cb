/** `/decisions/{id}`: what moderators have decided about the visitor, why, and the appeal. */
import { html } from "../vendor/preact.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { useTitle } from "../parts/hooks.js";
import { LoggedIn } from "../parts/logged-in.js";
import { OwnDecision } from "../parts/own-decision.js";

/** @param {import("../router.js").PlaceProps} props */
export default function Decision({ parameters }) {
  useTitle(t("place.decision"));
  return html`
    <div class="narrow">
      <h1>${t("place.decision")}</h1>
      <${LoggedIn}>
        <p class="small"><a class="back-to" href=${address("/decisions")}>${t("decision.all")}</a></p>
        <${OwnDecision} key=${parameters.id} decisionId=${parameters.id} />
      <//>
    </div>
  `;
}
