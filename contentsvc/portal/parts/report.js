/** A report to those who keep order. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { moment } from "../format.js";
import { Alert, Button, Choice, Dialog, Field, Form, Refused } from "./form.js";
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
 *   parameters: Record<string, any>, kind?: string}} props `kind` are classes of the button
 */
export function Report({ operation, parameters, kind = "plain small" }) {
  const { user } = useSession();
  const [open, setOpen] = useState(false);
  const [sent, setSent] = useState(false);
  if (!user) return null;
  return html`
    <button type="button" class=${`button ${kind}`} onClick=${() => setOpen(true)}>
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
    // Nobody says by a slip that something is spam.
    reason: "other",
    text: "",
    messages: /** @type {string[]} */ ([]),
  });
  const isUser = operation === "reportUser";
  const send = useAction(async () => {
    const { reason, text, messages } = values;
    await client[/** @type {"reportContent"} */ (operation)]({
      .../** @type {any} */ (parameters),
      body: { reason, text, ...(isUser && { messages }) },
    });
    forget();
    onSent();
  });
  return html`
    <${Dialog} title=${t("report.title")} onClose=${onClose}>
      <${Form} of=${send} limits=${limits.reportUser} onSend=${() => send.run()}>
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
        ${
          isUser &&
          html`
            <${Evidence}
              of=${parameters.userId}
              chosen=${values.messages}
              onChange=${(/** @type {string[]} */ messages) => change({ messages })}
            />
          `
        }
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

/** So many are read at once, and so many times where the other has written none of them. */
const PART = 100;
const PARTS = 4;

/** What the player has written to the visitor: some of it can go with the report, so that those who decide
 * can read it. Who has never been written to sees nothing of this.
 * @param {{of: string, chosen: string[], onChange: (chosen: string[]) => void}} props */
function Evidence({ of, chosen, onChange }) {
  const [found, setFound] = useState(/** @type {any[]} */ ([]));
  const next = useRef(/** @type {any} */ ({ otherId: of, limit: PART }));
  const more = useAction(async () => {
    /** @type {any[]} */
    const items = [];
    for (let n = 0; n < PARTS && next.current && !items.length; n += 1) {
      const part = /** @type {{items: any[], next: object | null}} */ (
        await client.part("listMessages", next.current)
      );
      next.current = part.next;
      items.push(...part.items.filter(({ sender }) => sender === of));
    }
    setFound((was) => [...was, ...items]);
  });
  useEffect(() => void more.run(), []);
  const most = limits.reportUser.messages.maxItems;
  if (!found.length && !next.current) return html`<${Alert} error=${more.error} />`;
  if (!found.length) return null;
  return html`
    <fieldset class="evidence">
      <legend>${t("report.messages")}</legend>
      <p class="hint" role="status">${t("report.messages-hint", { most, count: chosen.length })}</p>
      <ul>
        ${found.map(
          ({ id, text, created, removed }) =>
            html`
              <li key=${id}>
                <label class="choice">
                  <input
                    type="checkbox"
                    checked=${chosen.includes(id)}
                    disabled=${chosen.length >= most && !chosen.includes(id)}
                    onChange=${(/** @type {any} */ { target }) =>
                      onChange(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))}
                  />
                  ${
                    removed
                      ? html`<span class="faint">${t("messages.removed")}</span>`
                      : html`<span class="text" dir="auto">${text}</span>`
                  }
                  <time class="faint small" datetime=${new Date(created * 1000).toISOString()}>
                    ${moment(created)}
                  </time>
                </label>
              </li>
            `,
        )}
      </ul>
      <${Alert} error=${more.error} />
      ${
        next.current &&
        html`
          <${Button} class="button plain small" busy=${more.busy} onClick=${() => more.run()}>
            ${t("messages.earlier")}
          <//>
        `
      }
    </fieldset>
  `;
}
