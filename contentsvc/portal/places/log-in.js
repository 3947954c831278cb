/** `/log-in`: with name and password, with an account elsewhere, whose issuer leads here again, or with the
 * code of a game. `?then=` leads back. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { onCode, takeAnswer } from "../url-secrets.js";
import { isOpen } from "../base.js";
import { ApiError } from "../client.js";
import { recall, redeem } from "../issuers.js";
import { logIn, logInAsGuest, logInWith, takeOpened } from "../session.js";
import { address, destination, go, logInAddress } from "../router.js";
import { t, Told } from "../texts.js";
import { namedBy } from "../parts/appeal-token.js";
import { Alert, Button, Field, Form, Refused } from "../parts/form.js";
import { FromGame } from "../parts/from-game.js";
import { Issuers } from "../parts/issuers.js";
import { useAction, useDraft, useSession, useTitle } from "../parts/hooks.js";
import { service } from "../service.js";
import { Waiting } from "../parts/states.js";

/** @param {import("../router.js").PlaceProps} props */
export default function LogIn({ query }) {
  useTitle(t("place.log-in"));
  const { user, guest } = useSession();
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
  const [opened, setOpened] = useState(takeOpened);
  const [failed, setFailed] = useState(/** @type {unknown} */ (null));
  useEffect(() => onCode(() => setOpened(takeOpened())), []);
  if (opened)
    return html`
      <${FromGame}
        key=${opened.code}
        opened=${opened}
        onFailed=${(/** @type {unknown} */ error) => {
          setFailed(error);
          setThen(destination(opened.then));
          setOpened(null);
        }}
      />
    `;
  const banned = appealToken(send.error) ?? appealToken(finish.error) ?? appealToken(failed);
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
      ${guest === "own" && html`<p class="notice">${t("guest.log-in")}</p>`}
      <${Alert} error=${finish.error ?? failed} />
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
      ${banned && html`<${Banned} key=${banned} token=${banned} />`}
      <${Issuers} then=${then} />
      ${service.guests && !user && html`<${Guest} then=${then} />`}
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

/** The token by which somebody appeals whose log-in was refused for a ban.
 * @param {unknown} error
 * @returns {string | null} */
function appealToken(error) {
  if (!(error instanceof ApiError) || error.code !== "account_banned") return null;
  const token = /** @type {unknown} */ (error.problem?.appealToken);
  return typeof token === "string" && namedBy(token) ? token : null;
}

/** Why the account is banned, and the appeal, which need more than the form of a log-in does.
 * @param {{token: string}} props */
function Banned({ token }) {
  const [Decision, setDecision] = useState(
    /** @type {() => typeof import("../parts/own-decision.js").OwnDecision | null} */ (() => null),
  );
  useEffect(
    () =>
      void import("../parts/own-decision.js").then(
        ({ OwnDecision }) => setDecision(() => OwnDecision),
        () => {},
      ),
    [],
  );
  return html`
    <section class="stack" aria-label=${t("decision.ban")}>
      ${Decision ? html`<${Decision} token=${token} ...${namedBy(token)} />` : html`<${Waiting} />`}
    </section>
  `;
}

/** The way in without an account.
 * @param {{then: string}} props */
function Guest({ then }) {
  const play = useAction(async () => {
    try {
      await logInAsGuest();
    } catch (error) {
      if (error instanceof ApiError && error.code === "slow_down") throw new Told("log-in.many-guests");
      throw error;
    }
    await go(then, { replace: true });
  });
  return html`
    <p>
      <${Button} busy=${play.busy} class="button plain whole" onClick=${() => play.run()}>
        ${t("action.play-as-guest")}
      <//>
    </p>
    <p class="small faint">${t("log-in.guest-hint")}</p>
    <${Alert} error=${play.error} />
  `;
}
