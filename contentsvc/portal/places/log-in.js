/** `/log-in`: with name and password, or with an account elsewhere, whose issuer leads here again.
 * `?then=` leads back. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { takeAnswer } from "../answer.js";
import { isOpen } from "../base.js";
import { recall, redeem } from "../issuers.js";
import { logIn, logInWith } from "../session.js";
import { address, go } from "../router.js";
import { t } from "../texts.js";
import { Alert, Button, Field, Form, Refused } from "../parts/form.js";
import { Issuers } from "../parts/issuers.js";
import { useAction, useDraft, useSession, useTitle } from "../parts/hooks.js";
import { service } from "../service.js";
import { Waiting } from "../parts/states.js";
import { destination, logInAddress } from "../parts/then.js";

/** @param {import("../router.js").PlaceProps} props */
export default function LogIn({ query }) {
  useTitle(t("place.log-in"));
  const { user } = useSession();
  const [{ username }, change, forget] = useDraft("log-in", { username: "" });
  const [password, setPassword] = useState("");
  const [then, setThen] = useState(() => destination(query.get("then")));
  const [coming, setComing] = useState("");
  const send = useAction(async () => {
    await logIn({ username, password });
    forget();
    await go(then, { replace: true });
  });
  const finish = useAction(async (/** @type {URLSearchParams} */ answer) => {
    const begun = recall(answer);
    const back = destination(begun.then);
    history.replaceState(history.state, "", logInAddress(back));
    setThen(back);
    setComing(begun.issuer.name);
    await logInWith(await redeem(begun, answer));
    await go(back, { replace: true });
  });
  useEffect(() => {
    const answer = takeAnswer();
    if (answer) void finish.run(answer);
  }, []);
  if (finish.busy)
    return html`
      <div class="narrow">
        <h1>${t("place.log-in")}</h1>
        <${Waiting} label=${t("log-in.going", { name: coming })} />
      </div>
    `;
  return html`
    <div class="narrow">
      <h1>${t("place.log-in")}</h1>
      ${user && html`<p>${t("log-in.already", { name: user.username })}</p>`}
      <${Alert} error=${finish.error} />
      <${Form} of=${send} onSend=${() => send.run()}>
        <${Field}
          label=${t("field.username")}
          name="username"
          value=${username}
          onChange=${(/** @type {string} */ username) => change({ username })}
          autocomplete="username"
          required
          autofocus
        />
        <${Field}
          label=${t("field.password")}
          name="password"
          type="password"
          value=${password}
          onChange=${setPassword}
          autocomplete="current-password"
          required
        />
        <${Refused} />
        <p class="actions">
          <${Button} type="submit" kind="main" busy=${send.busy}>
            ${t("action.log-in")}
          <//>
        </p>
      <//>
      <${Issuers} then=${then} />
      ${
        service.mail &&
        html`
          <p class="small">
            <a href=${address("/account")}>${t("log-in.forgotten")}</a>
          </p>
        `
      }
      ${
        isOpen &&
        html`
          <p class="small">
            ${t("log-in.new")}${" "}
            <a href=${address(`/register?then=${encodeURIComponent(then)}`)}>${t("log-in.create")}</a>
          </p>
        `
      }
    </div>
  `;
}
