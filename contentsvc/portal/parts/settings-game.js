/** The visitor's game, which content is compared with. */
import { html, useState } from "../vendor/preact.js";
import { keepDraft } from "../drafts.js";
import { features, ownGame, setFilter, setOwnGame, valid } from "../game.js";
import { limits } from "../limits.js";
import { t } from "../texts.js";
import { Button, Choice, Field, Form } from "./form.js";
import { platforms } from "./game-words.js";
import { useDraft, useSession } from "./hooks.js";

export function OwnGame() {
  const was = ownGame();
  const user = useSession().user?.id ?? "";
  const [values, keep] = useDraft("game", {
    game: was.game ?? "",
    platform: was.platform ?? "",
    features: (was.features ?? "").replaceAll(",", ", "),
  });
  const [saved, setSaved] = useState(false);
  const list = features(values.features);
  /** @param {Partial<typeof values>} now */
  const change = (now) => (setSaved(false), keep(now));
  const save = () => {
    setOwnGame(valid({ ...values, game: values.game.trim(), features: list }));
    setFilter({});
    keepDraft(user, "game", null);
    setSaved(true);
  };
  return html`
    <section aria-labelledby="game">
      <h2 id="game">${t("game.title")}</h2>
      <p class="hint">${t("game.lead")}</p>
      <${Form} limits=${limits.listContent} onSend=${save}>
        <${Field}
          label=${t("game.version")}
          name="game"
          value=${values.game}
          sent=${values.game.trim()}
          inputmode="decimal"
          placeholder="1.4.2"
          wrong=${t("game.version-wrong")}
          onChange=${(/** @type {string} */ game) => change({ game })}
        />
        <${Choice}
          label=${t("game.platform")}
          name="platform"
          value=${values.platform}
          options=${platforms()}
          onChange=${(/** @type {string} */ platform) => change({ platform })}
        />
        <${Field}
          label=${t("game.features")}
          name="features"
          value=${values.features}
          sent=${list}
          hint=${t("game.features-hint")}
          wrong=${t("game.features-wrong")}
          onChange=${(/** @type {string} */ features) => change({ features })}
        />
        <p class="actions">
          <${Button} type="submit">${t("game.save")}<//>
          ${
            saved &&
            html`
              <span role="status" class="small">
                ${t("settings.saved")}
              </span>
            `
          }
        </p>
      <//>
    </section>
  `;
}
