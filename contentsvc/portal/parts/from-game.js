/** The log-in with the code of a game, in whose web view this is. */
import { html, useEffect } from "../vendor/preact.js";
import { ApiError } from "../client.js";
import { destination, go } from "../router.js";
import { client, logInWithCode } from "../session.js";
import { t, Told } from "../texts.js";
import { Button } from "./basics.js";
import { useAction, useLoad, useSession } from "./hooks.js";
import { Waiting } from "./states.js";

/** Logs in, and goes on. Asks before, if the code was not sent yet.
 * @param {{opened: import("../session.js").Opened, onFailed: (error: unknown) => void}} props */
export function FromGame({ opened, onFailed }) {
  const { sent } = opened;
  const leave = () => go(destination(opened.then), { replace: true });
  const send = useAction(async () => {
    try {
      await (sent ?? logInWithCode(opened));
    } catch (error) {
      const isOver = error instanceof ApiError && error.code === "invalid_grant";
      return onFailed(isOver ? new Told("log-in.code-over") : error);
    }
    await leave();
  });
  useEffect(() => void (sent && send.run()), []);
  return html`
    <div class="narrow">
      <h1>${t("place.log-in")}</h1>
      ${
        sent || send.busy
          ? html`<${Waiting} label=${t("log-in.opening")} />`
          : html`<${Question} userId=${opened.user} onLogIn=${send.run} onStay=${leave} />`
      }
    </div>
  `;
}

/** @param {{userId: string, onLogIn: () => unknown, onStay: () => unknown}} props */
function Question({ userId, onLogIn, onStay }) {
  const { user, guest } = useSession();
  const other = useLoad((signal) => client.getUserInfo({ userId }, { signal }), []);
  if (other.loading) return html`<${Waiting} />`;
  const name = other.data?.username;
  return html`
    <p>${user ? t("log-in.already", { name: user.username }) : t("log-in.somebody")}</p>
    <p>${name ? t("log-in.other", { name }) : t("log-in.another")}</p>
    ${guest === "own" && html`<p class="notice">${t("guest.log-in")}</p>`}
    <p class="actions">
      <${Button} kind="main" onClick=${() => onLogIn()}>${t("action.log-in")}<//>
      <${Button} onClick=${() => onStay()}>${t("log-in.stay")}<//>
    </p>
  `;
}
