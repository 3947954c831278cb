/** `/console/challenges`: design challenges are made, changed, and closed. */
import { html, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { timing } from "../parts/challenge-card.js";
import { Confirm } from "../parts/confirm.js";
import { Alert, Button, Dialog } from "../parts/form.js";
import { useAction, useChange, useLoad } from "../parts/hooks.js";
import { control } from "../parts/names.js";
import { Picture } from "../parts/pictures.js";
import { Empty, Loaded } from "../parts/states.js";
import { Edit } from "./challenge-edit.js";
import { Frame } from "./frame.js";

/** @typedef {import("../client.js").Challenge} Challenge */

export default function Challenges() {
  return html`
    <${Frame} place="/console/challenges" needs="curate">
      <${All} />
    <//>
  `;
}

function All() {
  const found = useLoad((signal) => client.listChallenges({}, { signal }), []);
  const [editing, setEditing] = useState(/** @type {Challenge | "new" | null} */ (null));
  const [closing, setClosing] = useState(/** @type {Challenge | null} */ (null));
  const [deleting, setDeleting] = useState(/** @type {Challenge | null} */ (null));
  const done = async () => {
    setEditing(null);
    setClosing(null);
    await found.reload();
  };
  return html`
    <p class="actions">
      <${Button} kind="main" onClick=${() => setEditing("new")}>
        ${t("console.new-challenge")}
      <//>
    </p>
    <${Loaded} of=${found}>
      ${(/** @type {Challenge[]} */ all) =>
        all.length
          ? html`
            <ul class="rows">
              ${all.map(
                (one) =>
                  html`
                    <li key=${one.id}>
                      <div class="line">
                        <${Picture}
                          path=${one.win.emblem.image}
                          name=${one.win.emblem.name}
                          id=${one.win.emblem.id}
                          width=${40}
                          height=${40}
                          kind="emblem size-40"
                        />
                        <a href=${address(`/challenges/${one.id}`)} dir="auto">
                          ${one.name}
                        </a>
                        <span class=${`badge static state-${one.state}`}>
                          ${t(`challenge.state-${one.state}`)}
                        </span>
                        <span class="faint small">
                          ${one.state !== "closed" && `${timing(one)} · `}
                          ${t("challenge.entries", { count: one.entries })}
                        </span>
                        ${
                          one.state !== "closed" &&
                          html`
                            <span class="actions">
                              <${Button}
                                aria-label=${control(t("action.edit"), one.name)}
                                onClick=${() => setEditing(one)}
                              >
                                ${t("action.edit")}
                              <//>
                              ${
                                (one.state === "open" || one.state === "judging") &&
                                html`
                                  <${Button}
                                    aria-label=${control(t("console.close"), one.name)}
                                    onClick=${() => setClosing(one)}
                                  >
                                    ${t("console.close")}
                                  <//>
                                `
                              }
                              ${
                                one.entries === 0 &&
                                html`
                                  <${Button}
                                    kind="danger"
                                    aria-haspopup="dialog"
                                    aria-label=${control(t("action.delete"), one.name)}
                                    onClick=${() => setDeleting(one)}
                                  >
                                    ${t("action.delete")}
                                  <//>
                                `
                              }
                            </span>
                          `
                        }
                      </div>
                    </li>
                  `,
              )}
            </ul>
          `
          : html`<${Empty} title=${t("challenges.none")} />`}
    <//>
    ${
      editing &&
      html`
        <${Edit}
          challenge=${editing === "new" ? null : editing}
          onDone=${done}
          onClose=${() => setEditing(null)}
        />
      `
    }
    ${
      deleting &&
      html`
        <${Confirm}
          title=${t("console.delete-challenge", { name: deleting.name })}
          text=${t("console.delete-challenge-text")}
          action=${t("action.delete")}
          onClose=${() => setDeleting(null)}
          work=${async () => {
            await client.deleteChallenge({ challengeId: deleting.id });
            await found.reload();
          }}
        />
      `
    }
    ${closing && html`<${Close} challenge=${closing} onDone=${done} onClose=${() => setClosing(null)} />`}
  `;
}

/** Choose the winners among the entries.
 * @param {{challenge: Challenge, onDone: () => Promise<void>, onClose: () => void}} props */
function Close({ challenge, onDone, onClose }) {
  const challengeId = challenge.id;
  const entries = useLoad(
    (signal) => client.listChallengeEntries({ challengeId, sort: "top", limit: 100 }, { signal }),
    [challengeId],
  );
  const [winners, setWinners] = useState(/** @type {string[]} */ ([]));
  const close = useAction(async () => {
    await client.closeChallenge({ challengeId, body: { winners } });
    await onDone();
  });
  return html`
    <${Dialog} title=${t("console.close-one", { name: challenge.name })} onClose=${onClose}>
      <p>${t("console.choose-winners")}</p>
      <${Loaded} of=${entries}>
        ${(/** @type {any[]} */ all) =>
          html`
            <ul>
              ${all.map(
                (one) =>
                  html`
                    <li key=${one.id}>
                      <label class="check">
                        <input
                          type="checkbox"
                          checked=${winners.includes(one.id)}
                          onChange=${() =>
                            setWinners(
                              winners.includes(one.id)
                                ? winners.filter((id) => id !== one.id)
                                : [...winners, one.id],
                            )}
                        />${" "}
                        <span dir="auto">${one.name}</span>
                      </label>
                    </li>
                  `,
              )}
            </ul>
          `}
      <//>
      <${Alert} error=${close.error} />
      <p class="actions">
        <${Button} kind="main" busy=${close.busy} onClick=${() => close.run()}>
          ${t("console.close")}
        <//>
      </p>
    <//>
  `;
}
