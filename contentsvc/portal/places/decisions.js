/** `/decisions`: what moderators have decided about the visitor, the newest first. */
import { html } from "../vendor/preact.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { actionWords, StateBadge } from "../parts/decision.js";
import { useTitle } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { LoggedIn } from "../parts/logged-in.js";
import { Empty } from "../parts/states.js";
import { When } from "../parts/when.js";

/** @typedef {import("../client.js").UserDecision} UserDecision */

export default function Decisions() {
  useTitle(t("place.decisions"));
  return html`
    <div class="narrow">
      <h1>${t("place.decisions")}</h1>
      <${LoggedIn}>
        <p>${t("decision.lead")}</p>
        <${Own} />
      <//>
    </div>
  `;
}

function Own() {
  const found = useList("listUserDecisions", { limit: 20 }, []);
  return html`
    <${List}
      of=${found}
      label=${t("place.decisions")}
      item=${(/** @type {UserDecision} */ one) =>
        html`
          <p class="line">
            <a class="decision-link" href=${address(`/decisions/${one.id}`)}>
              ${actionWords(one.action, one.subject.kind)}
            </a>
            <${StateBadge} of=${one} />
            <${When} at=${one.created} />
          </p>
          <p class="small" dir="auto">${one.ground.explanation || one.ground.reference}</p>
        `}
      empty=${html`<${Empty} title=${t("decision.none")} text=${t("decision.none-text")} />`}
    />
  `;
}
