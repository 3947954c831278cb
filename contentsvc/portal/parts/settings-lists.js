/** Who is blocked, what is muted, and how much space is used. */
import { html } from "../vendor/preact.js";
import { block, client } from "../session.js";
import { ago, size } from "../format.js";
import { t } from "../texts.js";
import { Alert, Button } from "./form.js";
import { useChange, useLoad } from "./hooks.js";
import { kindName, MUTABLE, setMuted } from "./kinds.js";
import { List, useList } from "./list.js";
import { control } from "./names.js";
import { PersonLink } from "./people.js";
import { Loaded } from "./states.js";

export function BlockedUsers() {
  const list = useList("listBlockedUsers", {}, []);
  const act = useChange(list.reload);
  return html`
    <section aria-labelledby="blocked">
      <h2 id="blocked">${t("settings.blocked")}</h2>
      <p class="hint">${t("user.block-says")}</p>
      <${List}
        of=${list}
        item=${(/** @type {any} */ { user, since }) =>
          html`
            <div class="line">
              <${PersonLink} person=${user} /> <span class="faint small">${ago(since)}</span>
              <span class="actions">
                <${Button}
                  busy=${act.busy}
                  aria-label=${control(t("action.unblock"), user.username)}
                  onClick=${() => act.run(() => block(user.id, false))}
                >
                  ${t("action.unblock")}
                <//>
              </span>
            </div>
          `}
        empty=${html`<p class="faint">${t("settings.none-blocked")}</p>`}
      />
      <${Alert} error=${act.error} />
    </section>
  `;
}

/** Kinds of notifications as boxes: what is checked comes. */
export function MutedKinds() {
  const found = useLoad((signal) => client.getNotificationSettings({}, { signal }), []);
  const act = useChange(found.reload);
  return html`
    <section aria-labelledby="muted">
      <h2 id="muted">${t("place.notifications")}</h2>
      <p class="hint">${t("settings.muted-lead")}</p>
      <${Loaded} of=${found}>
        ${(/** @type {{muted: string[]}} */ { muted }) =>
          html`
            <ul class="checks">
              ${MUTABLE.map(
                (kind) =>
                  html`
                    <li key=${kind}>
                      <label class="check">
                        <input
                          type="checkbox"
                          checked=${!muted.includes(kind)}
                          onChange=${() => act.run(() => setMuted(kind, !muted.includes(kind)))}
                        />
                        ${kindName(kind)}
                      </label>
                    </li>
                  `,
              )}
            </ul>
          `}
      <//>
      <${Alert} error=${act.error} />
    </section>
  `;
}

export function Space() {
  const found = useLoad((signal) => client.getUserStorage({}, { signal }), []);
  // Where the studio keeps files itself, there is nothing to show.
  if (found.error) return null;
  return html`
    <section aria-labelledby="space">
      <h2 id="space">${t("settings.space")}</h2>
      <${Loaded} of=${found}>
        ${(/** @type {any} */ { used, limit, pending }) =>
          html`
            <p>${t("settings.used", { used: size(used), limit: size(limit) })}</p>
            <meter min="0" max=${limit} value=${used} aria-label=${t("settings.space")}></meter>
            ${pending > 0 && html`<p class="small">${t("settings.pending", { count: pending })}</p>`}
          `}
      <//>
    </section>
  `;
}
