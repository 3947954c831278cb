/** What a revision needs, changed later, as a patch of the game breaks it. */
import { html, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { Alert, Button, Dialog, Form } from "./form.js";
import { useAction, useDraft, useLoad } from "./hooks.js";
import { NeedsFields, needsOf, requiresOf, wrong } from "./requires.js";
import { Loaded } from "./states.js";

/** @param {{contentId: string, revisionId: string, onClose: () => void, onDone: () => Promise<void>}} props */
export default function RequiresDialog({ contentId, revisionId, onClose, onDone }) {
  const found = useLoad((signal) => client.getRevision({ contentId, revisionId }, { signal }), [contentId, revisionId]);
  return html`<${Dialog} title=${t("requires.dialog")} onClose=${onClose}><p class="hint">${t("requires.lead")}</p>
    <${Loaded} of=${found}>${(/** @type {import("../client.js").RevisionDetail} */ revision) => html`<${Fields} revision=${revision} contentId=${contentId} onDone=${async () => (onClose(), await onDone())} />`}<//><//>`;
}

/** @param {{revision: import("../client.js").RevisionDetail, contentId: string, onDone: () => Promise<unknown>}} props */
function Fields({ revision, contentId, onDone }) {
  const [{ needs }, change, forget] = useDraft(`requires.${revision.id}`, { needs: needsOf(revision.requires) });
  const [problem, setProblem] = useState(/** @type {string | null} */ (null));
  const save = useAction(async () => {
    const bad = wrong(needs);
    setProblem(bad);
    if (bad) return;
    await client.putRequires({ contentId, revisionId: revision.id, body: { requires: requiresOf(needs) } });
    forget();
    await onDone();
  });
  return html`<${Form} onSend=${() => save.run()}><${NeedsFields} needs=${needs} problem=${problem} onChange=${(/** @type {any} */ needs) => (setProblem(null), change({ needs }))} />
    <${Alert} error=${save.error} />
    <p class="actions"><${Button} type="submit" kind="main" busy=${save.busy}>${t("action.save")}<//></p><//>`;
}
