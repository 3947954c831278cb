/** `/register`: a new account, and its log-in; of a guest, the account that keeps all that the guest has. */
import { isOpen } from "../base.js";
import { ApiError } from "../client.js";
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client, keepGuest, logIn } from "../session.js";
import { destination, go, logInAddress } from "../router.js";
import { t } from "../texts.js";
import { Agreed } from "../parts/agreed.js";
import { Button, Field, Form, Refused } from "../parts/form.js";
import { useAction, useDraft, useSession, useTitle } from "../parts/hooks.js";
import { Empty } from "../parts/states.js";
import { TermsLink } from "../parts/terms.js";
import { service } from "../service.js";

/** @param {import("../router.js").PlaceProps} props */
export default function Register({ query }) {
  return isOpen
    ? html`<${Open} query=${query} />`
    : html`<${Closed} then=${destination(query.get("then"))} />`;
}

/** @param {{then: string}} props */
function Closed({ then }) {
  useTitle(t("register.closed"));
  return html`
    <h1>${t("register.closed")}</h1>
    <${Empty} title=${t("register.closed-text")}>
      <a class="button main" href=${logInAddress(then)}>
        ${t("register.log-in")}
      </a>
    <//>
  `;
}

/** @param {{query: URLSearchParams}} props */
function Open({ query }) {
  const { user, guest } = useSession();
  const title = t(guest ? "guest.keep" : "place.register");
  useTitle(title);
  const [values, change, forget] = useDraft("register", { username: "", email: "" });
  const [password, setPassword] = useState("");
  const [agreed, setAgreed] = useState(false);
  const then = destination(query.get("then"));
  const send = useAction(async () => {
    const { username, email } = values;
    if (guest) {
      await keepGuest({ username, email, password });
      forget();
      return go(then, { replace: true });
    }
    /** @type {unknown} */
    let taken = null;
    try {
      const terms = service.terms && { terms: service.terms.version };
      await client.registerUser({ body: { username, email, password, ...terms } });
    } catch (error) {
      // An answer that was lost on the way: the account is this one, if the password is.
      if (!(error instanceof ApiError) || error.code !== "username_taken") throw error;
      taken = error;
    }
    await logIn({ username, password }).catch((failure) => {
      throw taken && failure instanceof ApiError ? taken : failure;
    });
    forget();
    await go(then, { replace: true });
  });
  if (guest === "in-game")
    return html`
      <h1>${title}</h1>
      <${Empty} title=${t("guest.in-game")} />
    `;
  return html`
    <div class="narrow">
      <h1>${title}</h1>
      ${guest && html`<p>${t("guest.keep-lead", { name: user?.username ?? "" })}</p>`}
      <${Form} of=${send} limits=${limits.registerUser} onSend=${() => send.run()}>
        <${Field}
          label=${t("field.username")}
          name="username"
          value=${values.username}
          autocomplete="username"
          required
          onChange=${(/** @type {string} */ username) => change({ username })}
          hint=${t("register.username-hint")}
          wrong=${t("error.bad-username")}
        />
        <${Field}
          label=${t("field.e-mail")}
          name="email"
          wrong=${t("error.no-address")}
          type="email"
          value=${values.email}
          autocomplete="email"
          required
          onChange=${(/** @type {string} */ email) => change({ email })}
          hint=${t("register.e-mail-hint")}
        />
        <${Field}
          label=${t("field.password")}
          name="password"
          type="password"
          value=${password}
          onChange=${setPassword}
          autocomplete="new-password"
          required
          hint=${t("register.password-hint")}
        />
        ${
          service.terms &&
          !guest &&
          html`
            <${Agreed} name="terms" value=${agreed} needed=${t("terms.needed")} onChange=${setAgreed}>
              ${t("terms.agree")} <${TermsLink} />
            <//>
          `
        }
        <${Refused} />
        <p class="actions">
          <${Button} type="submit" kind="main" busy=${send.busy}>
            ${t(guest ? "guest.keep" : "action.register")}
          <//>
        </p>
      <//>
      ${
        !guest &&
        html`
          <p class="small">
            ${t("register.already")} <a href=${logInAddress(then)}>${t("register.log-in")}</a>
          </p>
        `
      }
    </div>
  `;
}
