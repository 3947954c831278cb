/** The places of the portal, for the layout of a game, which has no header: its `Search` leads here. */
import { html, useState } from "../vendor/preact.js";
import { isOpen } from "../base.js";
import { logOut } from "../session.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { Alert } from "./basics.js";
import { LeaveGuest } from "./guest.js";
import { Me } from "./header.js";
import { useAction, useSession } from "./hooks.js";

const PLACES = /** @type {const} */ ([
  ["/", "place.discover"],
  ["/browse", "place.browse"],
  ["/challenges", "place.challenges"],
  ["/library", "place.library"],
  ["/publish", "place.publish"],
  ["/friends", "place.friends"],
  ["/settings", "place.settings"],
]);

export default function AllPlaces() {
  const { user, guest } = useSession();
  const [isAsking, setAsking] = useState(false);
  const isOwn = guest === "own";
  // A guest of this browser is asked before: there is no way back.
  const leaving = useAction(async () => (isOwn ? setAsking(true) : logOut()));
  /** @param {string} path @param {any} text */
  const place = (path, text) =>
    html`<li key=${path}><a class="button" href=${address(path)}>${text}</a></li>`;
  return html`
    <nav class="all-places" aria-label=${t("in-game.places")}>
      <ul>
        ${PLACES.map(([path, key]) => place(path, t(key)))}
        ${user && place(`/user/${user.id}`, html`<${Me} user=${user} /> <bdi>${user.username}</bdi>`)}
        ${!user && place("/log-in", t("place.log-in"))}
        ${!user && isOpen && place("/register", t("place.register"))}
        ${
          user &&
          html`
            <li key="out">
              <button
                type="button"
                class="button"
                aria-busy=${leaving.busy}
                aria-haspopup=${isOwn ? "dialog" : undefined}
                onClick=${() => leaving.run()}
              >
                ${t("action.log-out")}
              </button>
            </li>
          `
        }
      </ul>
    </nav>
    <${Alert} error=${leaving.error} />
    ${isAsking && html`<${LeaveGuest} onClose=${() => setAsking(false)} />`}
  `;
}
