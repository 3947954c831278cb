/** What needs a log-in, or what it is and the ways to one. */
import { html } from "../vendor/preact.js";
import { isOpen } from "../base.js";
import { address, here, logInAddress } from "../router.js";
import { hasText, t } from "../texts.js";
import { useSession } from "./hooks.js";
import { Empty } from "./states.js";

/** @param {{children?: any}} props */
export function LoggedIn({ children }) {
  const { user } = useSession();
  if (user) return children;
  const path = here();
  const about = `logged-in.${path.split(/[/?]/)[1]}`;
  return html`
    <${Empty}
      title=${t("logged-in.needed")}
      text=${t(hasText(about) ? about : "logged-in.other")}
    >
      <p class="actions">
        <a class="button main" href=${logInAddress()}>
          ${t("action.log-in")}
        </a>
        ${
          isOpen &&
          html`
            <a class="button plain" href=${address(`/register?then=${encodeURIComponent(path)}`)}>
              ${t("action.register")}
            </a>
          `
        }
      </p>
    <//>
  `;
}
