/** What a revision needs, changed later, as a patch of the game breaks it. */
import { html } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { Both, useEdit } from "./edit.js";
import { Button, Dialog, Form, Refused } from "./form.js";
import { useLoad } from "./hooks.js";
import { NeedsFields, needsOf, requiresOf } from "./requires.js";
import { Loaded } from "./states.js";

/** @param {{contentId: string, revisionId: string, onClose: () => void, onDone: () => Promise<void>}}
 *   props */
export default function RequiresDialog({ contentId, revisionId, onClose, onDone }) {
  const found = useLoad(
    (signal) => client.getRevision({ contentId, revisionId }, { signal }),
    [contentId, revisionId],
  );
  return html`
    <${Dialog} title=${t("requires.dialog")} onClose=${onClose}>
      <p class="hint">${t("requires.lead")}</p>
      <${Loaded} of=${found}>
        ${(/** @type {import("../client.js").RevisionDetail} */ revision) =>
          html`
            <${Fields}
              revision=${revision}
              contentId=${contentId}
              onDone=${async () => (onClose(), await onDone())}
            />
          `}
      <//>
    <//>
  `;
}

/** @param {import("../client.js").RevisionDetail} revision */
const fields = ({ requires }) => needsOf(requires);

/** @param {{revision: import("../client.js").RevisionDetail, contentId: string,
 *   onDone: () => Promise<unknown>}} props */
function Fields({ revision, contentId, onDone }) {
  const parameters = { contentId, revisionId: revision.id };
  const { values, change, save, both } = useEdit(`requires.${revision.id}`, fields(revision), {
    read: (options) => client.getRevision(parameters, options),
    fields,
    write: (needs, _, options) =>
      client.putRequires({ ...parameters, body: { requires: requiresOf(needs) } }, options),
    done: onDone,
  });
  const labels = {
    min: t("requires.min"),
    max: t("requires.max"),
    platforms: t("requires.platforms"),
    features: t("requires.features"),
  };
  return html`
    <${Form} of=${save} limits=${limits.putRequires} onSend=${() => save.run()}>
      <${NeedsFields} needs=${values} onChange=${change} />
      <${Both} of=${both} labels=${labels} />
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${save.busy}>
          ${t("action.save")}
        <//>
      </p>
    <//>
  `;
}
