/** What a guest sees beside every place: who they are here, and the way to an account. */
import { isOpen } from "../base.js";
import { html } from "../vendor/preact.js";
import { address, here } from "../router.js";
import { logOut } from "../session.js";
import { t } from "../texts.js";
import { Confirm } from "./confirm.js";
import { useSession } from "./hooks.js";

/** One line. In a page that the game has opened, the game makes the account: a link could be a stranger's.
 * @param {{path: string}} props */
export function GuestLine({ path }) {
  const { guest } = useSession();
  if (!guest) return null;
  const isKept = guest === "own" && isOpen;
  return html`
    <aside class="guest" aria-label=${t("guest.label")}>
      <p>
        ${t(guest === "in-game" ? "guest.in-game" : isOpen ? "guest.line" : "guest.closed")}${" "}
        ${
          isKept &&
          path !== "/register" &&
          html`
            <a href=${address(`/register?then=${encodeURIComponent(here())}`)}>${t("guest.keep")}</a>
          `
        }
      </p>
    </aside>
  `;
}

/** Asks before a guest logs out: there is no way back.
 * @param {{onClose: () => void}} props */
export function LeaveGuest({ onClose }) {
  return html`
    <${Confirm}
      title=${t("guest.leave-title")}
      text=${t(isOpen ? "guest.leave-text" : "guest.leave-closed")}
      action=${t("action.log-out")}
      work=${logOut}
      onClose=${onClose}
    />
  `;
}
