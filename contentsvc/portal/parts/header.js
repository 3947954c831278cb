/** The header of every page. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { isOpen, site } from "../base.js";
import { logOut } from "../session.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { useAction, useOnline, useSession } from "./hooks.js";
import { Alert } from "./form.js";
import { logInAddress } from "./then.js";

/** @param {{path: string}} props */
export function Header({ path }) {
  const { user, unread, permissions, connection } = useSession();
  const [open, setOpen] = useState(false);
  const online = useOnline();
  const leaving = useAction(logOut);
  useEffect(() => setOpen(false), [path]);
  const menu = useRef(/** @type {HTMLElement | null} */ (null));
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.key !== "Escape" || !open) return;
    setOpen(false);
    menu.current?.focus();
  };
  /** @param {string} place @param {string} text */
  const link = (place, text) =>
    html`
      <a
        href=${address(place)}
        aria-current=${
          path === place || (/^\/(console|library)/.test(place) && path.startsWith(place.slice(0, 8)))
            ? "page"
            : undefined
        }
      >
        ${text}
      </a>
    `;
  return html`
    <header class="top" onKeyDown=${press}>
      <a class="brand" href=${address("/")}>
        ${site}
      </a>
      <button
        ref=${menu}
        type="button"
        class=${`menu-button button plain ${unread ? "unread" : ""}`}
        aria-expanded=${open}
        aria-controls="menu"
        aria-describedby=${unread ? "menu-unread" : undefined}
        onClick=${() => setOpen(!open)}
      >
        ${t("header.menu")}
      </button>
      ${
        unread > 0 &&
        html`
          <span id="menu-unread" hidden>${t("place.notifications-unread", { unread })}</span>
        `
      }
      <nav id="menu" class=${open ? "open" : ""} aria-label=${t("header.navigation")}>
        ${link("/browse", t("place.browse"))}
        ${link("/challenges", t("place.challenges"))}
        ${link("/library", t("place.library"))}
        ${link("/publish", t("place.publish"))}
        ${link("/friends", t("place.friends"))}
        ${
          permissions.includes("moderate")
            ? link("/console", t("place.console"))
            : permissions.includes("curate") && link("/console/featured", t("place.console"))
        }
        <span class="gap"></span>
        ${
          user &&
          link(
            "/notifications",
            unread ? t("place.notifications-unread", { unread }) : t("place.notifications"),
          )
        }
        ${
          user &&
          html`
            <a href=${address(`/user/${user.id}`)}>
              <bdi>${user.username}</bdi>
            </a>
          `
        }
        ${link("/settings", t("place.settings"))}
        ${
          !user &&
          html`
            <a
              href=${path === "/log-in" ? address(path) : logInAddress()}
              aria-current=${path === "/log-in" ? "page" : undefined}
            >
              ${t("place.log-in")}
            </a>
          `
        }
        ${!user && isOpen && link("/register", t("place.register"))}
        ${
          user &&
          html`
            <button
              type="button"
              class="button plain"
              aria-busy=${leaving.busy}
              onClick=${() => leaving.run()}
            >
              ${t("action.log-out")}
            </button>
          `
        }
      </nav>
      ${
        (!online || connection === "waiting") &&
        html`
          <p class="connection small" role="status">
            ${t(online ? "state.reconnecting" : "state.offline")}
          </p>
        `
      }
      <${Alert} error=${leaving.error} />
    </header>
  `;
}
