/** What cannot be taken back is done after a second press, which a dialog asks for. It names the thing. */
import { html } from "../vendor/preact.js";
import { Alert, Button, Dialog } from "./form.js";
import { useAction } from "./hooks.js";

/** `work` is done, then the dialog closes.
 * @param {{title: string, text: string, action: string, work: () => Promise<unknown>, onClose: () => void,
 *   children?: any}} props */
export function Confirm({ title, text, action, work, onClose, children }) {
  const act = useAction(async () => {
    await work();
    onClose();
  });
  return html`
    <${Dialog} title=${title} onClose=${onClose}>
      <div class="stack">
        ${children}
        <p>${text}</p>
        <${Alert} error=${act.error} />
        <p class="actions">
          <${Button} kind="danger" busy=${act.busy} onClick=${() => act.run()}>
            ${action}
          <//>
        </p>
      </div>
    <//>
  `;
}
