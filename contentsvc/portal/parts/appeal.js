/** The form by which somebody appeals: the author of what was taken away, or who has reported in vain. */
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { t } from "../texts.js";
import { Button, Field, Form, Refused } from "./form.js";
import { useAction, useDraft } from "./hooks.js";

/** @param {{name: string, hint: string, send: (text: string) => Promise<unknown>,
 *   onSent?: () => unknown}} props `name` is that of the draft; `send` may be called again with the same */
export function AppealForm({ name, hint, send, onSent }) {
  const [{ text }, change, forget] = useDraft(`appeal.${name}`, { text: "" });
  const [isSent, setSent] = useState(false);
  const act = useAction(async () => {
    await send(text.trim());
    forget();
    setSent(true);
    await onSent?.();
  });
  if (isSent) return html`<p role="status">${t("appeal.sent")}</p>`;
  return html`
    <${Form} of=${act} limits=${limits.appealDecision} onSend=${() => act.run()}>
      <${Field}
        label=${t("appeal.text")}
        name="text"
        lines=${5}
        value=${text}
        sent=${text.trim()}
        required
        hint=${hint}
        onChange=${(/** @type {string} */ text) => change({ text })}
      />
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${act.busy}>
          ${t("action.appeal")}
        <//>
      </p>
    <//>
  `;
}
