/** Files of content are blocked: their bytes go, and nobody uploads them again. */
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client, may } from "../session.js";
import { size } from "../format.js";
import { t } from "../texts.js";
import { takeAway } from "../undo.js";
import { guid } from "../client.js";
import { fileWords } from "../parts/file-words.js";
import { Button, Dialog, Field, Form, Refused } from "../parts/form.js";
import { useAction, useDraft, useLoad } from "../parts/hooks.js";
import { Picture } from "../parts/pictures.js";
import { Loaded } from "../parts/states.js";
import { Cover } from "./reported.js";

/** @typedef {{sha256: string, name: string, size?: number, picture?: string}} Blockable `picture` is the path
 *   of one */

/** The pictures, which the list of files does not have.
 * @param {string[]} paths
 * @returns {Blockable[]} */
const pictured = (paths) =>
  paths.flatMap((picture, index) => {
    const sha256 = /[0-9a-f]{64}/.exec(picture)?.[0];
    return sha256 ? [{ sha256, picture, name: t("console.screenshot", { number: index + 1 }) }] : [];
  });

/** The files: each once, also where it is several parts. Who has published it may not have given names.
 * @param {import("../client.js").ContentFile[]} files
 * @returns {Blockable[]} */
const named = (files) =>
  files.map((one) => ({ sha256: one.sha256, size: one.size, name: one.name ?? fileWords([one], [])[0] }));

/** @param {{contentId: string, name: string, pictures: string[], ground:
 *   ReturnType<typeof import("./ground.js").useGround>, onDone: () => void, onClose: () => void}} props */
export function BlockFiles({ contentId, name, pictures, ground, onDone, onClose }) {
  const files = useLoad(
    async (signal) => {
      const files = await client.listContentFiles({ contentId }, { signal });
      const all = [...pictured(pictures), ...named(files)];
      return [...new Map(all.map((one) => [one.sha256, one])).values()];
    },
    [contentId],
  );
  const [chosen, setChosen] = useState(/** @type {string[]} */ ([]));
  const [{ reason, preserve }, change, forget] = useDraft(`block.${contentId}`, {
    reason: ground.given,
    preserve: false,
  });
  const act = useAction(async () => {
    ground.check(false);
    const why = ground.ground(reason.trim());
    const orders = chosen.map((sha256) => ({ sha256, id: guid() }));
    takeAway({
      key: `decision content ${contentId} block`,
      what: "decision",
      name: t("console.deed-files", { count: orders.length, name }),
      send: async () => {
        for (const { sha256, id } of orders) {
          if (preserve || !why) await client.blockFile({ sha256, body: { reason: reason.trim(), preserve } });
          else {
            const subject = /** @type {const} */ ({ kind: "file", id: sha256 });
            await client.createDecision({ body: { id, action: "block_file", subject, ground: why } });
          }
        }
      },
    });
    forget();
    onClose();
    onDone();
  });
  /** @param {string} sha256 */
  const turn = (sha256) =>
    setChosen(chosen.includes(sha256) ? chosen.filter((other) => other !== sha256) : [...chosen, sha256]);
  return html`
    <${Dialog} title=${t("console.block-files")} onClose=${onClose}>
      <${Form} of=${act} limits=${limits.blockFile} onSend=${() => act.run()}>
        <p class="hint">${t("console.block-files-hint")}</p>
        <${Loaded} of=${files}>
          ${(/** @type {Blockable[]} */ all) =>
            html`
              <ul class="rows choices">
                ${all.map(
                  (file) =>
                    html`
                      <li key=${file.sha256} class="file-choice">
                        <${Thumbnail} file=${file} />
                        <label class="check">
                          <input
                            type="checkbox"
                            checked=${chosen.includes(file.sha256)}
                            onChange=${() => turn(file.sha256)}
                          />
                          <span>
                            <bdi>${file.name}</bdi>${" "}
                            <span class="faint small">${file.size !== undefined && size(file.size)}</span>
                          </span>
                        </label>
                      </li>
                    `,
                )}
              </ul>
              <${Field}
                label=${t("field.reason")}
                lines=${2}
                name="reason"
                value=${reason}
                hint=${`${t("console.reason-hint")} ${ground.hint}`}
                onChange=${(/** @type {string} */ reason) => change({ reason })}
              />
              ${
                may("administer") &&
                html`
                  <label class="check">
                    <input
                      type="checkbox"
                      checked=${preserve}
                      onChange=${() => change({ preserve: !preserve })}
                    />
                    <span>${t("console.preserve")}</span>
                  </label>
                `
              }
            `}
        <//>
        <${Refused} />
        <p class="actions">
          <${Button} type="submit" kind="danger" busy=${act.busy} disabled=${!chosen.length}>
            ${t("console.block-files")}
          <//>
        </p>
      <//>
    <//>
  `;
}

/** A picture, blurred until it is pressed; of what is none, a patch of colour.
 * @param {{file: Blockable}} props */
function Thumbnail({ file: { sha256, name, picture } }) {
  const shape = { name, id: sha256, width: 96, height: 54 };
  return picture
    ? html`<${Cover} path=${picture} label=${t("console.picture-of", { name })} kind="thumb" ...${shape} />`
    : html`
      <span class="cover thumb" aria-hidden="true"><${Picture} path=${null} ...${shape} /></span>
    `;
}
