/** How a player gets in, and how they leave. */
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client, logOut, rename } from "../session.js";
import { go } from "../router.js";
import { ago } from "../format.js";
import { t } from "../texts.js";
import { Confirm } from "./confirm.js";
import { Alert, Button, Dialog, Field, Form, Refused } from "./form.js";
import { useAction, useChange, useDraft, useLoad, useSession } from "./hooks.js";
import { List, useList } from "./list.js";
import { control } from "./names.js";
import { forgetPerson } from "./people.js";
import { save } from "./save.js";
import { service } from "../service.js";
import { Loaded } from "./states.js";

export function Password() {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [done, setDone] = useState(false);
  const save = useAction(async () => {
    await client.changePassword({ body: { current, new: next } });
    setCurrent("");
    setNext("");
    setDone(true);
  });
  return html`
    <section aria-labelledby="password">
      <h2 id="password">${t("settings.password")}</h2>
      <${Form} of=${save} limits=${limits.changePassword} onSend=${() => save.run()}>
        <${Field}
          label=${t("field.current-password")}
          name="current"
          required
          type="password"
          value=${current}
          onChange=${setCurrent}
          autocomplete="current-password"
        />
        <${Field}
          label=${t("field.new-password")}
          name="new"
          type="password"
          value=${next}
          onChange=${setNext}
          autocomplete="new-password"
          hint=${t("register.password-hint")}
        />
        <${Refused} />
        <p class="actions">
          <${Button} type="submit" busy=${save.busy}>
            ${t("settings.change-password")}
          <//>
          ${
            done &&
            html`
              <span role="status" class="small">
                ${t("settings.password-changed")}
              </span>
            `
          }
        </p>
      <//>
    </section>
  `;
}

/** Others see it, and the player logs in with it. */
export function Username() {
  const { user } = useSession();
  const [username, setUsername] = useState(user?.username ?? "");
  const [done, setDone] = useState(false);
  const wanted = username.trim();
  const save = useAction(async () => {
    await rename(wanted);
    forgetPerson(user?.id ?? "");
    setDone(true);
  });
  return html`
    <section aria-labelledby="username">
      <h2 id="username">${t("settings.username")}</h2>
      <${Form}
        of=${save}
        limits=${limits.setUsername}
        instead=${{ too_many_requests: "settings.username-wait" }}
        onSend=${() => save.run()}
      >
        <${Field}
          label=${t("field.username")}
          name="username"
          value=${username}
          sent=${wanted}
          wrong=${t("error.bad-username")}
          autocomplete="username"
          autocapitalize="none"
          spellcheck=${false}
          onChange=${(/** @type {string} */ text) => (setDone(false), setUsername(text))}
          hint=${t("settings.username-hint")}
        />
        <${Refused} />
        <p class="actions">
          <${Button} type="submit" busy=${save.busy} disabled=${wanted === user?.username}>
            ${t("settings.change-username")}
          <//>
          ${
            done &&
            html`
              <span role="status" class="small">
                ${t("settings.username-changed")}
              </span>
            `
          }
        </p>
      <//>
    </section>
  `;
}

/** Where mails go. Without mail it can only be read. */
export function Address() {
  const hasMail = service.mail;
  const found = useLoad((signal) => client.getUser({}, { signal }), []);
  const [{ email }, change, forget] = useDraft("address", { email: "" });
  const [password, setPassword] = useState("");
  const [sent, setSent] = useState(false);
  const save = useAction(async () => {
    await client.changeEmail({ body: { email, password } });
    forget();
    setPassword("");
    setSent(true);
  });
  const resend = useAction(async () => {
    await client.requestEmailVerification({});
    setSent(true);
  });
  return html`
    <section aria-labelledby="address">
      <h2 id="address">${t("settings.address")}</h2>
      <${Loaded} of=${found}>
        ${(/** @type {any} */ record) =>
          html`
            <p>
              <bdi>${record.email || t("settings.no-address")}</bdi>
              ${
                hasMail &&
                record.email &&
                html`
                  <span class="badge static">
                    ${t(record.emailVerified ? "settings.confirmed" : "settings.unconfirmed")}
                  </span>
                `
              }
            </p>
            ${
              hasMail &&
              record.email &&
              !record.emailVerified &&
              html`
                <p>
                  <${Button} busy=${resend.busy} onClick=${() => resend.run()}>
                    ${t("settings.send-again")}
                  <//>
                </p>
                <${Alert} error=${resend.error} />
              `
            }
          `}
      <//>
      ${
        hasMail &&
        html`
      <${Form} of=${save} limits=${limits.changeEmail} onSend=${() => save.run()}>
        <${Field}
          label=${t("field.e-mail")}
          name="email"
          wrong=${t("error.no-address")}
          hint=${t("settings.address-hint")}
          type="email"
          value=${email}
          onChange=${(/** @type {string} */ email) => change({ email })}
          autocomplete="email"
        />
        <${Field}
          label=${t("field.password")}
          name="password"
          required
          type="password"
          value=${password}
          onChange=${setPassword}
          autocomplete="current-password"
        />
        <${Refused} />
        <p class="actions">
          <${Button} type="submit" busy=${save.busy}>
            ${t("settings.change-address")}
          <//>
          ${
            sent &&
            html`
              <span role="status" class="small">
                ${t("settings.mail-sent")}
              </span>
            `
          }
        </p>
      <//>
        `
      }
    </section>
  `;
}

/** Log-ins, and accounts elsewhere. */
export function Access() {
  const sessions = useLoad((signal) => client.listSessions({}, { signal }), []);
  const identities = useList("listIdentities", {}, []);
  /** The log-in that is to be ended, or all of the others. */
  const [ending, setEnding] = useState(/** @type {any} */ (null));
  /** @param {any} one */
  const what = (one) => one.device ?? t("settings.no-device");
  /** @param {any} one */
  const since = (one) => t("settings.session", { created: ago(one.created), used: ago(one.used) });
  /** @param {any} one */
  const named = (one) => `${what(one)}, ${ago(one.used)}`;
  return html`
    <section aria-labelledby="sessions">
      <h2 id="sessions">${t("settings.sessions")}</h2>
      <${Loaded} of=${sessions}>
        ${(/** @type {any[]} */ all) =>
          html`
            <ul class="rows">
              ${all.map(
                (one) =>
                  html`
                    <li key=${one.id}>
                      <div class="line">
                        <div>
                          <p>
                            <bdi><b>${what(one)}</b></bdi>${" "}
                            ${
                              one.current &&
                              html`<span class="badge static">${t("settings.this-session")}</span>`
                            }
                          </p>
                          <p class="small faint">
                            ${since(one)}
                          </p>
                        </div>
                        ${
                          !one.current &&
                          html`
                            <${Button}
                              aria-haspopup="dialog"
                              aria-label=${control(t("settings.end-session"), named(one))}
                              onClick=${() => setEnding(one)}
                            >
                              ${t("settings.end-session")}
                            <//>
                          `
                        }
                      </div>
                    </li>
                  `,
              )}
            </ul>
            ${
              all.length > 1 &&
              html`
                <p>
                  <${Button} aria-haspopup="dialog" onClick=${() => setEnding("others")}>
                    ${t("settings.end-others")}
                  <//>
                </p>
              `
            }
          `}
      <//>
      ${
        ending &&
        html`
          <${Confirm}
            title=${t(ending === "others" ? "settings.end-others-title" : "settings.end-title")}
            text=${t("settings.end-text")}
            action=${t(ending === "others" ? "settings.end-others" : "settings.end-session")}
            onClose=${() => setEnding(null)}
            work=${async () => {
              await (ending === "others"
                ? client.endOtherSessions({})
                : client.endSession({ sessionId: ending.id }));
              await sessions.reload();
            }}
          >
            ${
              ending !== "others" &&
              html`
                <p>
                  <bdi><b>${what(ending)}</b></bdi>
                </p>
                <p class="small faint">${since(ending)}</p>
              `
            }
          <//>
        `
      }
    </section>
    <section aria-labelledby="identities">
      <h2 id="identities">${t("settings.identities")}</h2>
      <${List}
        of=${identities}
        item=${(/** @type {any} */ one) =>
          html`
            <p>
              <bdi>${one.issuer}</bdi> · <bdi>${one.subject}</bdi>${" "}
              <span class="faint small">${ago(one.linked)}</span>
            </p>
          `}
        empty=${html`<p class="faint">${t("settings.no-identities")}</p>`}
      />
    </section>
  `;
}

/** The export, and the end of the account. */
export function Leave() {
  const [asking, setAsking] = useState(false);
  const exporting = useAction(async () => {
    // The text as it came: progress may have numbers that JavaScript would round.
    const all = await client.text("exportUser");
    save(new Blob([all], { type: "application/json" }), `${client.user?.username}.json`);
  });
  return html`
    <section aria-labelledby="leave">
      <h2 id="leave">${t("settings.leave")}</h2>
      <p>${t("settings.leave-lead")}</p>
      <p class="actions">
        <${Button} busy=${exporting.busy} onClick=${() => exporting.run()}>
          ${t("action.export")}
        <//>
        <${Button} kind="danger" onClick=${() => setAsking(true)}>
          ${t("action.delete-account")}
        <//>
      </p>
      <${Alert} error=${exporting.error} />
      ${asking && html`<${Delete} onClose=${() => setAsking(false)} />`}
    </section>
  `;
}

/** @param {{onClose: () => void}} props */
function Delete({ onClose }) {
  const [password, setPassword] = useState("");
  const send = useAction(async () => {
    await client.deleteUser({ body: { password } });
    await logOut().catch(() => {});
    await go("/");
  });
  return html`
    <${Dialog} title=${t("action.delete-account")} onClose=${onClose}>
      <p>
        <bdi>
          <b>${client.user?.username}</b>
        </bdi>
      </p>
      <p>${t("settings.delete-warning")}</p>
      <${Form} of=${send} limits=${limits.deleteUser} onSend=${() => send.run()}>
        <${Field}
          label=${t("field.password")}
          name="password"
          required
          type="password"
          value=${password}
          onChange=${setPassword}
          autocomplete="current-password"
        />
        <${Refused} />
        <p class="actions">
          <${Button} type="submit" kind="danger" busy=${send.busy}>
            ${t("settings.delete")}
          <//>
        </p>
      <//>
    <//>
  `;
}
