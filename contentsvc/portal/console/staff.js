/** `/console/staff`: everybody who is more than a player, and what they may do. */
import { html, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { t, Told } from "../texts.js";
import { Button, Choice, Dialog, Field, Form, Refused } from "../parts/form.js";
import { useAction, useDraft, useSession } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { control } from "../parts/names.js";
import { PersonLink } from "../parts/people.js";
import { Unfit } from "../parts/words.js";
import { Empty } from "../parts/states.js";
import { When } from "../parts/when.js";
import { Frame } from "./frame.js";
import { lookup } from "./reasons.js";
import { ChangeRole, roleName, roleOptions } from "./role.js";

/** @typedef {import("../client.js").StaffMember} StaffMember */

export default function Staff() {
  return html`
    <${Frame} place="/console/staff" needs="administer">
      <${All} />
    <//>
  `;
}

function All() {
  const { user } = useSession();
  const found = useList("listStaff", { limit: 50 }, []);
  const [changing, setChanging] = useState(/** @type {StaffMember | null} */ (null));
  const [adding, setAdding] = useState(false);
  return html`
    <p class="actions">
      <${Button} kind="main" onClick=${() => setAdding(true)}>
        ${t("console.add-staff")}
      <//>
    </p>
    <${List}
      of=${found}
      label=${t("console.staff")}
      item=${(/** @type {StaffMember} */ one) =>
        html`
          <div class="line">
            <${PersonLink} person=${one.user} size=${32} />
            <span class=${`badge static ${one.role === "admin" ? "warn" : ""}`}>${roleName(one.role)}</span>
            ${one.user.id === user?.id && html`<span class="faint small">${t("console.you")}</span>`}
            <${When} at=${one.since} />
            <span class="actions">
              <a
                class="button plain"
                aria-label=${control(t("console.record"), one.user.username)}
                href=${address(`/console/users/${one.user.id}`)}
              >
                ${t("console.record")}
              </a>
              <${Button}
                aria-label=${control(t("console.change-role"), one.user.username)}
                onClick=${() => setChanging(one)}
              >
                ${t("console.change-role")}
              <//>
            </span>
          </div>
        `}
      empty=${html`<${Empty} title=${t("console.no-staff")} />`}
    />
    ${
      changing &&
      html`
        <${ChangeRole}
          id=${changing.user.id}
          username=${changing.user.username}
          role=${changing.role}
          onDone=${found.reload}
          onClose=${() => setChanging(null)}
        />
      `
    }
    ${adding && html`<${Add} onDone=${found.reload} onClose=${() => setAdding(false)} />`}
  `;
}

/** Give somebody a role, by their whole name.
 * @param {{onDone: () => Promise<void>, onClose: () => void}} props */
function Add({ onDone, onClose }) {
  const [{ name, role }, change, forget] = useDraft("staff", { name: "", role: "moderator" });
  const add = useAction(async () => {
    const asked = name.trim();
    const [account] = await client.listModeratedUsers(
      asked.includes("@") ? { email: asked } : { name: asked },
    );
    if (!account) throw new Unfit({ name: t("error.user_not_found") });
    // Who has a higher role keeps it: to lower one is not to add somebody.
    if (account.role !== "player" && account.role !== role)
      throw new Told("console.has-role", { name: account.user.username, role: roleName(account.role) });
    await client.setUserRole({
      userId: account.user.id,
      body: { role: /** @type {import("./role.js").RoleName} */ (role) },
    });
    forget();
    onClose();
    await onDone();
  });
  return html`
    <${Dialog} title=${t("console.add-staff")} onClose=${onClose}>
      <${Form} of=${add} limits=${lookup(name)} place=${() => "name"} onSend=${() => add.run()}>
        <${Field}
          label=${t("console.name-or-address")}
          value=${name}
          onChange=${(/** @type {string} */ name) => change({ name })}
          name="name"
          required
          sent=${name.trim()}
          autocomplete="off"
          spellcheck="false"
        />
        <${Choice}
          label=${t("console.role")}
          value=${role}
          onChange=${(/** @type {string} */ role) => change({ role })}
          options=${roleOptions().filter(([name]) => name !== "player")}
        />
        <p class="hint">${t("console.role-hint")}</p>
        <${Refused} />
        <p class="actions">
          <${Button} type="submit" kind="main" busy=${add.busy}>
            ${t("action.save")}
          <//>
        </p>
      <//>
    <//>
  `;
}
