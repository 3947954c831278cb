/** `/settings`: how the page looks, and one's account. */
import { html, useState } from "../vendor/preact.js";
import { language, NAMES, setLanguage, t } from "../texts.js";
import { applyTheme, theme } from "../theme.js";
import { Choice } from "../parts/form.js";
import { useSession, useTitle } from "../parts/hooks.js";
import { Profile } from "../parts/settings-profile.js";
import { Access, Address, Leave, Password, Username } from "../parts/settings-account.js";
import { BlockedUsers, MutedKinds, Space } from "../parts/settings-lists.js";
import { OwnGame } from "../parts/settings-game.js";
import { LoggedIn } from "../parts/logged-in.js";

export default function Settings() {
  useTitle(t("place.settings"));
  const { user } = useSession();
  const [problem, say] = useState("");
  /** @param {import("../texts.js").Language} chosen */
  const speak = (chosen) =>
    setLanguage(chosen).then(
      () => say(""),
      () => say(t("error.network")),
    );
  return html`
    <div class="narrow wide">
      <h1>${t("place.settings")}</h1>
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
      </section>
      <${OwnGame} />
      <${LoggedIn}>
        ${
          user &&
          html`
            <${Profile} key=${user.id} />
            <${Username} />
            <${Password} />
            <${Address} />
            <${Access} />
            <${BlockedUsers} />
            <${MutedKinds} />
            <${Space} />
            <${Leave} />
          `
        }
      <//>
    </div>
  `;
}
