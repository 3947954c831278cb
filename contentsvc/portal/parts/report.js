/** A report to those who keep order. */
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { Button, Choice, Dialog, Field, Form, Refused } from "./form.js";
import { useAction, useDraft, useSession } from "./hooks.js";

const REASONS = /** @type {const} */ ([
  "spam",
  "abuse",
  "sexual",
  "violence",
  "copyright",
  "cheating",
  "other",
]);

/**
 * A button that opens the dialog. `operation` reports, with `parameters`.
 * @param {{operation: "reportContent" | "reportComment" | "reportUser" | "reportCollection",
 *   parameters: Record<string, any>}} props
 */
export function Report({ operation, parameters }) {
  const { user } = useSession();
  const [open, setOpen] = useState(false);
  const [sent, setSent] = useState(false);
  if (!user) return null;
  return html`
    <button type="button" class="button plain small" onClick=${() => setOpen(true)}>
      ${t("action.report")}
    </button>
    ${
      sent &&
      html`
        <span role="status" class="small">
          ${t("report.sent")}
        </span>
      `
    }
    ${
      open &&
      html`
        <${ReportDialog}
          operation=${operation}
          parameters=${parameters}
          onClose=${() => setOpen(false)}
          onSent=${() => (setOpen(false), setSent(true))}
        />
      `
    }
  `;
}

/** @param {any} props */
function ReportDialog({ operation, parameters, onClose, onSent }) {
  const [values, change, forget] = useDraft(`report.${Object.values(parameters).join(".")}`, {
    reason: "spam",
    text: "",
  });
  const send = useAction(async () => {
    const { reason, text } = values;
    await client[/** @type {"reportContent"} */ (operation)]({
      .../** @type {any} */ (parameters),
      body: { reason, text },
    });
    forget();
    onSent();
  });
  return html`
    <${Dialog} title=${t("report.title")} onClose=${onClose}>
      <${Form} of=${send} limits=${limits.reportContent} onSend=${() => send.run()}>
        <${Choice}
          label=${t("field.reason")}
          name="reason"
          value=${values.reason}
          onChange=${(/** @type {any} */ reason) => change({ reason })}
          options=${REASONS.map((reason) => [reason, t(`reason.${reason}`)])}
        />
        <${Field}
          label=${t("field.text")}
          lines=${4}
          value=${values.text}
          name="text"
          hint=${t("report.hint")}
          onChange=${(/** @type {string} */ text) => change({ text })}
        />
        <${Refused} />
        <p class="actions">
          <${Button} type="submit" kind="main" busy=${send.busy}>
            ${t("action.send")}
          <//>
        </p>
      <//>
    <//>
  `;
}
