/** The buttons of the accounts elsewhere. */
import { html } from "../vendor/preact.js";
import { begin } from "../issuers.js";
import { inGame } from "../layout.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { Alert, Button } from "./form.js";
import { useAction, useLoad } from "./hooks.js";

/** What the log-in has beside name and password. Where the list cannot be read, nothing.
 * @param {{then: string}} props */
export function Issuers({ then }) {
  const { data = [] } = useLoad((signal) => client.listIssuers({}, { signal }), []);
  const going = useAction((/** @type {import("../issuers.js").Issuer} */ issuer) => begin(issuer, then));
  // They lead out of the game.
  if (inGame || !data.length) return null;
  return html`
    <p class="or">
      <span>${t("log-in.or")}</span>
    </p>
    ${data.map(
      (one) =>
        html`
          <p key=${one.issuer}>
            <${Button} busy=${going.busy} class="button plain whole" onClick=${() => going.run(one)}>
              ${t("log-in.with", { name: one.name })}
            <//>
          </p>
        `,
    )}
    <${Alert} error=${going.error} />
  `;
}
