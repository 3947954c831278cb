/** `/settings`: how the page looks, and one's account. */
import { html, useState } from "../vendor/preact.js";
import { language, NAMES, setLanguage, t } from "../texts.js";
import { address } from "../router.js";
import { applyTheme, theme } from "../theme.js";
import { setTimes, times } from "../format.js";
import { Choice } from "../parts/form.js";
import { useSession, useTitle } from "../parts/hooks.js";
import { Profile } from "../parts/settings-profile.js";
import { Access, Address, Leave, Password, Username } from "../parts/settings-account.js";
import { BlockedUsers, MutedKinds, Space } from "../parts/settings-lists.js";
import { OwnGame } from "../parts/settings-game.js";
import { LoggedIn } from "../parts/logged-in.js";

/** The sections by their ids, and what they are called.
 * @typedef {[string, import("../texts.js").Key][]} Sections */
/** @type {Sections} Everybody's. */
const LOOKS = [
  ["look", "settings.look"],
  ["game", "game.title"],
];
/** @type {Sections} Those of who is logged in. */
const OWN = [
  ["profile", "settings.profile"],
  ["username", "settings.username"],
  ["password", "settings.password"],
  ["address", "settings.address"],
  ["sessions", "settings.sessions"],
  ["identities", "settings.identities"],
  ["blocked", "settings.blocked"],
  ["muted", "place.notifications"],
  ["decisions", "place.decisions"],
  ["space", "settings.space"],
  ["leave", "settings.leave"],
];

export default function Settings() {
  useTitle(t("place.settings"));
  const { user, guest } = useSession();
  // A guest has neither a password nor an address.
  const own = OWN.filter(([id]) => !guest || (id !== "password" && id !== "address"));
  const [problem, say] = useState("");
  const [, draw] = useState({});
  /** @param {import("../texts.js").Language} chosen */
  const speak = (chosen) =>
    setLanguage(chosen).then(
      () => say(""),
      () => say(t("error.network")),
    );
  return html`
    <h1>${t("place.settings")}</h1>
    <div class="sections">
      <nav class="sections-list" aria-label=${t("settings.sections")}>
        <ul>
          ${[...LOOKS, ...(user ? own : [])].map(
            ([id, key]) =>
              html`
                <li key=${id}>
                  <a href=${address(`/settings#${id}`)}>${t(key)}</a>
                </li>
              `,
          )}
        </ul>
      </nav>
      <div class="sections-all">
      <section aria-labelledby="look">
        <h2 id="look">${t("settings.look")}</h2>
        <${Choice}
          label=${t("field.language")}
          value=${language}
          options=${NAMES}
          onChange=${speak}
          problem=${problem}
        />
        <${Choice}
          label=${t("field.theme")}
          value=${theme()}
          onChange=${applyTheme}
          options=${[
            ["system", t("theme.system")],
            ["light", t("theme.light")],
            ["dark", t("theme.dark")],
          ]}
        />
        <${Choice}
          label=${t("field.times")}
          value=${times()}
          onChange=${(/** @type {string} */ chosen) => (setTimes(chosen), draw({}))}
          hint=${t("settings.times-hint")}
          options=${[
            ["ago", t("times.ago")],
            ["exact", t("times.exact")],
          ]}
        />
      </section>
      <${OwnGame} />
      <${LoggedIn}>
        ${
          user &&
          html`
            <${Profile} key=${user.id} />
            <${Username} />
            ${!guest && html`<${Password} /><${Address} />`}
            <${Access} />
            <${BlockedUsers} />
            <${MutedKinds} />
            <section aria-labelledby="decisions">
              <h2 id="decisions">${t("place.decisions")}</h2>
              <p>${t("decision.lead")}</p>
              <p class="act-row"><a href=${address("/decisions")}>${t("decision.open")}</a></p>
            </section>
            <${Space} />
            <${Leave} />
          `
        }
      <//>
      </div>
    </div>
  `;
}
