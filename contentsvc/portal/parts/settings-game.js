/** The visitor's game, which content is compared with. */
import { html, useState } from "../vendor/preact.js";
import { keepDraft } from "../drafts.js";
import { areFeatures, features, isVersion, ownGame, setFilter, setOwnGame, valid } from "../game.js";
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
  const [state, setState] = useState(/** @type {"" | "saved" | "wrong"} */ (""));
  const list = features(values.features);
  const badVersion = values.game.trim() !== "" && !isVersion(values.game.trim());
  const badFeatures = list !== "" && !areFeatures(list);
  /** @param {Partial<typeof values>} now */
  const change = (now) => (setState(""), keep(now));
  const save = () => {
    if (badVersion || badFeatures) return setState("wrong");
    setOwnGame(valid({ ...values, game: values.game.trim(), features: list }));
    setFilter({});
    keepDraft(user, "game", null);
    setState("saved");
  };
  return html`
    <section aria-labelledby="game">
      <h2 id="game">${t("game.title")}</h2>
      <p class="hint">${t("game.lead")}</p>
      <${Form} onSend=${save}>
        <${Field}
          label=${t("game.version")}
          value=${values.game}
          inputmode="decimal"
          placeholder="1.4.2"
          problem=${state === "wrong" && badVersion ? t("game.version-wrong") : null}
          onChange=${(/** @type {string} */ game) => change({ game })}
        />
        <${Choice}
          label=${t("game.platform")}
          value=${values.platform}
          options=${platforms()}
          onChange=${(/** @type {string} */ platform) => change({ platform })}
        />
        <${Field}
          label=${t("game.features")}
          value=${values.features}
          hint=${t("game.features-hint")}
          problem=${state === "wrong" && badFeatures ? t("game.features-wrong") : null}
          onChange=${(/** @type {string} */ features) => change({ features })}
        />
        <p class="actions">
          <${Button} type="submit">${t("game.save")}<//>
          ${
            state === "saved" &&
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
