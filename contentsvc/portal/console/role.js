/** What a person may do, and how an admin changes it. */
import { html, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { hasText, t } from "../texts.js";
import { Button, Choice, Dialog, Form, Refused } from "../parts/form.js";
import { useAction, useSession } from "../parts/hooks.js";

/** The roles, the lowest first. */
export const ROLES = /** @type {const} */ (["player", "curator", "moderator", "admin"]);

/** @typedef {typeof ROLES[number]} RoleName */

/** What a role is called. A later release may have others.
 * @param {string} role */
export function roleName(role) {
  const key = `role.${role}`;
  return hasText(key) ? t(key) : role;
}

/** The roles as a field offers them.
 * @returns {[string, string][]} */
export function roleOptions() {
  return ROLES.map((one) => [one, roleName(one)]);
}

/** @param {{id: string, username: string, role: string, onDone: () => Promise<void>, onClose: () => void}}
 *   props */
export function ChangeRole({ id, username, role, onDone, onClose }) {
  const { user } = useSession();
  const [chosen, setChosen] = useState(role);
  const change = useAction(async () => {
    await client.setUserRole({ userId: id, body: { role: /** @type {RoleName} */ (chosen) } });
    onClose();
    await onDone();
  });
  return html`
    <${Dialog} title=${t("console.change-role")} onClose=${onClose}>
      <p>
        <bdi>
          <b>${username}</b>
        </bdi>
      </p>
      <${Form} of=${change} onSend=${() => change.run()}>
        <${Choice}
          label=${t("console.role")}
          name="role"
          value=${chosen}
          onChange=${setChosen}
          options=${roleOptions()}
        />
        <p class="hint">${t(user?.id === id ? "console.role-own" : "console.role-hint")}</p>
        <${Refused} />
        <p class="actions">
          <${Button} type="submit" kind="main" busy=${change.busy} disabled=${chosen === role}>
            ${t("action.save")}
          <//>
        </p>
      <//>
    <//>
  `;
}
