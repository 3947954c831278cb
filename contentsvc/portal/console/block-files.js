/** Files of content are blocked: their bytes go, and nobody uploads them again. */
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { size } from "../format.js";
import { t } from "../texts.js";
import { fileWords } from "../parts/file-words.js";
import { Button, Dialog, Field, Form, Refused } from "../parts/form.js";
import { useAction, useDraft, useLoad } from "../parts/hooks.js";
import { Picture } from "../parts/pictures.js";
import { Loaded } from "../parts/states.js";
import { Cover } from "./reported.js";

/** @typedef {import("../client.js").ContentFile} ContentFile */

/** What each file is called: as its author says, or by what it is for. Pictures have numbers.
 * @param {ContentFile[]} files
 * @returns {Map<string, string>} */
function called(files) {
  let pictures = 0;
  const name = (/** @type {ContentFile} */ file) =>
    file.use === "screenshot" ? t("console.screenshot", { number: ++pictures }) : fileWords([file], [])[0];
  return new Map(files.map((file) => [file.sha256, file.name ?? name(file)]));
}

/** Each once, also where it is several parts.
 * @param {ContentFile[]} files */
const distinct = (files) => [...new Map(files.map((one) => [one.sha256, one])).values()];

/** @param {{contentId: string, onDone: () => void, onClose: () => void}} props */
export function BlockFiles({ contentId, onDone, onClose }) {
  const files = useLoad(
    async (signal) => distinct(await client.listContentFiles({ contentId }, { signal })),
    [contentId],
  );
  const [chosen, setChosen] = useState(/** @type {string[]} */ ([]));
  const [{ reason }, change, forget] = useDraft(`block.${contentId}`, { reason: "" });
  const act = useAction(async () => {
    for (const sha256 of chosen) await client.blockFile({ sha256, body: { reason } });
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
          ${(/** @type {ContentFile[]} */ all) => {
            const names = called(all);
            return html`
              <ul class="rows choices">
                ${all.map(
                  (file) =>
                    html`
                      <li key=${file.sha256} class="file-choice">
                        <${Thumbnail} file=${file} name=${names.get(file.sha256)} />
                        <label class="check">
                          <input
                            type="checkbox"
                            checked=${chosen.includes(file.sha256)}
                            onChange=${() => turn(file.sha256)}
                          />
                          <span>
                            <bdi>${names.get(file.sha256)}</bdi>${" "}
                            <span class="faint small">${size(file.size)}</span>
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
                hint=${t("console.staff-hint")}
                onChange=${(/** @type {string} */ reason) => change({ reason })}
              />
            `;
          }}
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
 * @param {{file: ContentFile, name: string}} props */
function Thumbnail({ file, name }) {
  const shape = { name, id: file.sha256, width: 96, height: 54 };
  return file.mediaType.startsWith("image/")
    ? html`<${Cover} path=${file.path} label=${t("console.picture-of", { name })} kind="thumb" ...${shape} />`
    : html`
      <span class="cover thumb" aria-hidden="true"><${Picture} path=${null} ...${shape} /></span>
    `;
}
