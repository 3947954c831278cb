/** What needs a log-in, or the way to one. */
import { html } from "../vendor/preact.js";
import { t } from "../texts.js";
import { useSession } from "./hooks.js";
import { Empty } from "./states.js";
import { logInAddress } from "./then.js";

/** @param {{children?: any}} props */
export function LoggedIn({ children }) {
  const { user } = useSession();
  if (user) return children;
  return html`
    <${Empty} title=${t("logged-in.needed")}>
      <a class="button main" href=${logInAddress()}>
        ${t("action.log-in")}
      </a>
    <//>
  `;
}
