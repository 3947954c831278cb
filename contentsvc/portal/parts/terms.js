/** The terms of the service: the box at a new account, and the line for who has not accepted the present
 * version. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { client, onState, state } from "../session.js";
import { service } from "../service.js";
import { needPart, t } from "../texts.js";
import { Alert, Button } from "./basics.js";
import { useAction } from "./hooks.js";

const KEPT = "contentsvc.terms";
const version = service.terms?.version ?? "";

/** Whether this is known of the user here. A version is accepted for good.
 * @param {string} user */
const isKnown = (user) => localStorage.getItem(KEPT) === `${user} ${version}`;
/** @param {string} user */
const know = (user) => localStorage.setItem(KEPT, `${user} ${version}`);

/** The link to the terms, in a tab of its own: what is typed stays. */
export const TermsLink = () =>
  html`
    <a href=${service.terms?.url} target="_blank" rel="noopener" data-outside>${t("terms.link")}</a>
  `;

/** What to ask the user: to accept terms that are `new` to them, or that have `changed`; "" if nothing.
 * @returns {Promise<"" | "new" | "changed">} */
async function asked() {
  const { user, permissions } = state;
  if (!user || permissions.length || isKnown(user.id)) return "";
  const { terms } = await client.getUser({});
  if (terms?.version === version) know(user.id);
  if (terms?.version === version || state.user?.id !== user.id) return "";
  return terms ? "changed" : service.requireTerms ? "new" : "";
}

/** The line above each place. */
export function TermsLine() {
  const [kind, setKind] = useState(/** @type {"" | "new" | "changed"} */ (""));
  const accept = useAction(async () => {
    const { user } = state;
    await client.acceptTerms({ body: { version } });
    if (user) know(user.id);
    setKind("");
  });
  useEffect(() => {
    let last = /** @type {string | undefined} */ ("");
    const look = () => {
      if (state.user?.id === last) return;
      last = state.user?.id;
      setKind("");
      Promise.all([asked(), needPart("more")]).then(
        ([found]) => setKind(found),
        () => {},
      );
    };
    look();
    return onState(look);
  }, []);
  if (!kind) return null;
  return html`
    <aside class="guest terms" aria-label=${t("terms.label")}>
      <p>${t(`terms.${kind}`)} <${TermsLink} /></p>
      <${Alert} error=${accept.error} />
      <${Button} class="button small" busy=${accept.busy} onClick=${() => accept.run()}>
        ${t("terms.accept")}
      <//>
    </aside>
  `;
}
