/** The header of every page. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { isOpen, site } from "../base.js";
import { service } from "../service.js";
import { logOut } from "../session.js";
import { number } from "../format.js";
import { address, go, logInAddress } from "../router.js";
import { t } from "../texts.js";
import { darkMedia } from "../theme.js";
import { useAction, useOnline, useSession } from "./hooks.js";
import { Alert } from "./basics.js";
import { Icon } from "./icons.js";
import { Avatar, people } from "./people.js";

/** The field that finds content and players, here and at `/search`.
 * @param {{q: string, isOfHeader?: boolean}} props `q` is what was searched for, where that is shown */
export function SearchField({ q, isOfHeader = false }) {
  const [text, setText] = useState(q);
  // One goes back and forth between searches.
  useEffect(() => setText(q), [q]);
  /** @param {Event} event */
  const send = (event) => {
    event.preventDefault();
    if (text.trim()) void go(`/search?${new URLSearchParams({ q: text.trim() })}`);
  };
  return html`
    <form
      class="find"
      role=${isOfHeader ? "search" : undefined}
      aria-label=${isOfHeader ? t("header.search") : undefined}
      onSubmit=${send}
    >
      <input
        type="search"
        aria-label=${t("field.search")}
        placeholder=${t("header.search")}
        enterkeyhint="search"
        dir="auto"
        value=${text}
        onInput=${(/** @type {any} */ event) => setText(event.target.value)}
      />
      <button type="submit" aria-label=${t("action.search")}><${Icon} name="search" /></button>
    </form>
  `;
}

/** The visitor's own picture. Until it is there, their letter stands for it.
 * @param {{user: {id: string, username: string}}} props */
export function Me({ user }) {
  const [avatar, setAvatar] = useState(/** @type {string | null} */ (null));
  useEffect(
    () => void people([user.id]).then((found) => setAvatar(found.get(user.id)?.avatar ?? null)),
    [user.id],
  );
  return html`<${Avatar} person=${{ ...user, avatar }} size=${24} />`;
}

/** The logo, or the name where there is none. Its place is there before it is. */
export function Mark() {
  const { logo, logoDark } = service.brand ?? {};
  const shown = logo || logoDark;
  if (!shown) return html`<span>${site}</span>`;
  return html`
    <picture>
      ${logo && logoDark && html`<source srcset=${picture(logoDark)} media=${darkMedia()} />`}
      <img src=${picture(shown)} alt=${site} width="144" height="36" />
    </picture>
    <span class="name">${site}</span>
  `;
}

/** @param {string} file among those of the portal */
const picture = (file) => new URL(`../${file}`, import.meta.url).href;

/** Says that the service is not reached. */
export function Connection() {
  const { connection } = useSession();
  const online = useOnline();
  return (
    (!online || connection === "waiting") &&
    html`
      <p class="connection small" role="status">
        ${t(online ? "state.reconnecting" : "state.offline")}
      </p>
    `
  );
}

/** @param {{path: string}} props */
export function Header({ path }) {
  const { user, unread, permissions, guest } = useSession();
  const [open, setOpen] = useState(false);
  // A guest of this browser is asked before: there is no way back.
  const [Ask, setAsk] = useState(/** @type {typeof import("./guest.js") | null} */ (null));
  const leaving = useAction(async () => {
    if (guest !== "own") return logOut();
    setAsk(await import("./guest.js"));
  });
  const menu = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => setOpen(false), [path]);
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.key !== "Escape" || !open) return;
    setOpen(false);
    menu.current?.focus();
  };
  // It lies over the page: who looks elsewhere has no use for it.
  useEffect(() => {
    if (!open) return;
    /** @param {Event} event */
    const leave = ({ target }) =>
      menu.current?.parentElement?.contains(/** @type {Node} */ (target)) || setOpen(false);
    document.addEventListener("pointerdown", leave);
    return () => document.removeEventListener("pointerdown", leave);
  }, [open]);
  /** @param {string} place @param {string} text
   * @param {"bell" | "settings"} [sign] which stands for the text where there is room for all
   * @param {number} [count] */
  const link = (place, text, sign, count = 0) =>
    html`
      <a
        class=${sign}
        href=${address(place)}
        title=${sign && text}
        aria-current=${
          path === place || (/^\/(console|library)/.test(place) && path.startsWith(place.slice(0, 8)))
            ? "page"
            : undefined
        }
      >
        ${sign ? html`<${Icon} name=${sign} /><span class="word">${text}</span>` : text}
        ${count > 0 && html`<span class="mark" aria-hidden="true">${number(count)}</span>`}
      </a>
    `;
  return html`
    <header class="top" onKeyDown=${press}>
      <a class="brand" href=${address("/")}><${Mark} /></a>
      <button
        ref=${menu}
        type="button"
        class=${`menu-button button plain ${unread ? "unread" : ""}`}
        aria-expanded=${open}
        aria-controls="menu"
        aria-describedby=${unread ? "menu-unread" : undefined}
        onClick=${() => setOpen(!open)}
      >
        <${Icon} name="menu" />
        ${t("header.menu")}
      </button>
      ${
        unread > 0 &&
        html`
          <span id="menu-unread" hidden>${t("place.notifications-unread", { unread })}</span>
        `
      }
      <nav id="menu" class=${open ? "open" : ""} aria-label=${t("header.navigation")}>
        <${SearchField}
          isOfHeader
          q=${path === "/search" ? (new URLSearchParams(location.search).get("q") ?? "") : ""}
        />
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
            "bell",
            unread,
          )
        }
        ${
          user &&
          html`
            <a class="me" href=${address(`/user/${user.id}`)} title=${user.username}>
              <${Me} key=${user.id} user=${user} />
              <bdi>${user.username}</bdi>
            </a>
          `
        }
        ${link("/settings", t("place.settings"), "settings")}
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
              title=${t("action.log-out")}
              aria-busy=${leaving.busy}
              aria-haspopup=${guest === "own" ? "dialog" : undefined}
              onClick=${() => leaving.run()}
            >
              <${Icon} name="log-out" />
              <span class="word">${t("action.log-out")}</span>
            </button>
          `
        }
      </nav>
      <${Connection} />
      <${Alert} error=${leaving.error} />
      ${Ask && html`<${Ask.LeaveGuest} onClose=${() => setAsk(null)} />`}
    </header>
  `;
}
