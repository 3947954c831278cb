/** `/account`: where the links of mails lead, and where a new password is asked for. */
import { html, useState } from "../vendor/preact.js";
import { takeToken } from "../url-secrets.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { namedBy } from "../parts/appeal-token.js";
import { Alert, Button, Field, Form, Refused } from "../parts/form.js";
import { OwnDecision } from "../parts/own-decision.js";
import { useAction, useDraft, useTitle } from "../parts/hooks.js";
import { service } from "../service.js";

export default function Account() {
  useTitle(t("place.account"));
  const [token] = useState(takeToken);
  return html`
    <div class="narrow">
      <h1>${t("place.account")}</h1>
      ${
        token.startsWith("reset-")
          ? html`<${SetPassword} token=${token} />`
          : token.startsWith("email-")
            ? html`<${Confirm} token=${token} />`
            : namedBy(token)
              ? html`<${Banned} token=${token} />`
              : html`<${service.mail ? Ask : Unable} />`
      }
    </div>
  `;
}

/** @param {{token: string}} props */
function SetPassword({ token }) {
  const [password, setPassword] = useState("");
  const [done, setDone] = useState(false);
  const send = useAction(async () => {
    await client.resetPassword({ body: { token, new: password } });
    setDone(true);
  });
  if (done)
    return html`
      <p role="status">${t("account.set")}</p>
      <p>
        <a class="button main" href=${address("/log-in")}>
          ${t("action.log-in")}
        </a>
      </p>
    `;
  return html`
    <${Form} of=${send} limits=${limits.resetPassword} onSend=${() => send.run()}>
      <${Field}
        label=${t("field.new-password")}
        name="new"
        type="password"
        value=${password}
        onChange=${setPassword}
        autocomplete="new-password"
        hint=${t("register.password-hint")}
      />
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${send.busy}>
          ${t("action.save")}
        <//>
      </p>
    <//>
  `;
}

/** The decision that a mail was about, and the appeal against it: also for who cannot log in.
 * @param {{token: string}} props */
function Banned({ token }) {
  const named = namedBy(token);
  return html`
    <p>${t("decision.by-mail")}</p>
    <${OwnDecision} token=${token} ...${named} />
  `;
}

/** It waits for a press: programs that look at links in mails open them too.
 * @param {{token: string}} props */
function Confirm({ token }) {
  const [done, setDone] = useState(false);
  const send = useAction(async () => {
    await client.verifyEmail({ body: { token } });
    setDone(true);
  });
  if (done) return html`<p role="status">${t("account.confirmed")}</p>`;
  return html`
    <p>${t("account.confirm-lead")}</p>
    <${Alert} error=${send.error} />
    <p class="actions">
      <${Button} kind="main" busy=${send.busy} onClick=${() => send.run()}>
        ${t("account.confirm")}
      <//>
    </p>
  `;
}

/** Nobody can be sent a link. */
function Unable() {
  return html`<p>${t("account.no-mail")}</p>`;
}

function Ask() {
  const [{ email }, change, forget] = useDraft("account", { email: "" });
  const [done, setDone] = useState(false);
  const send = useAction(async () => {
    await client.requestPasswordReset({ body: { email } });
    forget();
    setDone(true);
  });
  if (done) return html`<p role="status">${t("account.asked")}</p>`;
  return html`
    <p>${t("account.lead")}</p>
    <${Form} of=${send} limits=${limits.requestPasswordReset} onSend=${() => send.run()}>
      <${Field}
        label=${t("field.e-mail")}
        name="email"
        wrong=${t("error.no-address")}
        type="email"
        value=${email}
        onChange=${(/** @type {string} */ email) => change({ email })}
        autocomplete="email"
      />
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${send.busy}>
          ${t("account.ask")}
        <//>
      </p>
    <//>
  `;
}
