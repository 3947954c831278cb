/** What is done to an account beside bans: another name, another address, and all of it that can be taken
 * away. */
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { Button, Dialog, Field, Form, Refused } from "../parts/form.js";
import { useAction, useDraft, useLoad } from "../parts/hooks.js";
import { forgetPerson } from "../parts/people.js";
import { Loaded } from "../parts/states.js";

/** What can be taken away, in the order in which the service does it. */
const KINDS = /** @type {const} */ (["content", "comments", "collections"]);
/** So many of each are counted. */
const MOST = 1000;

/** @typedef {typeof KINDS[number]} Kind */
/** @typedef {{id: string, username: string, onDone: () => Promise<void>, onClose: () => void}} Props */

/** How much there is of a kind, in words: a part of a longer one is counted.
 * @param {Kind} kind @param {number} count */
const amount = (kind, count) =>
  `${count >= MOST ? `${t("console.clear-many")} ` : ""}${t(`console.clear-${kind}`, { count })}`;

/** @param {Props} props */
export function Rename({ id, username, onDone, onClose }) {
  const [given, change, forget] = useDraft(`rename.${id}`, { username });
  const rename = useAction(async () => {
    await client.setUsername({ userId: id, body: { username: given.username.trim() } });
    forget();
    forgetPerson(id);
    onClose();
    await onDone();
  });
  return html`
    <${Dialog} title=${t("console.rename")} onClose=${onClose}>
      <p>
        <bdi>
          <b>${username}</b>
        </bdi>
      </p>
      <${Form} of=${rename} limits=${limits.setUsername} onSend=${() => rename.run()}>
        <${Field}
          label=${t("field.username")}
          name="username"
          value=${given.username}
          sent=${given.username.trim()}
          wrong=${t("error.bad-username")}
          autocomplete="off"
          autocapitalize="none"
          spellcheck=${false}
          onChange=${(/** @type {string} */ username) => change({ username })}
          hint=${t("console.rename-hint")}
        />
        <${Refused} />
        <p class="actions">
          <${Button}
            type="submit"
            kind="main"
            busy=${rename.busy}
            disabled=${given.username.trim() === username}
          >
            ${t("action.save")}
          <//>
        </p>
      <//>
    <//>
  `;
}

/** @param {Props} props */
export function NewAddress({ id, username, onDone, onClose }) {
  const [{ email, reason }, change, forget] = useDraft(`address.${id}`, { email: "", reason: "" });
  const give = useAction(async () => {
    await client.setUserEmail({ userId: id, body: { email: email.trim(), reason } });
    forget();
    onClose();
    await onDone();
  });
  return html`
    <${Dialog} title=${t("console.new-address")} onClose=${onClose}>
      <p>
        <bdi>
          <b>${username}</b>
        </bdi>
      </p>
      <p class="hint">${t("console.new-address-hint")}</p>
      <${Form} of=${give} limits=${limits.setUserEmail} onSend=${() => give.run()}>
        <${Field}
          label=${t("field.e-mail")}
          type="email"
          name="email"
          value=${email}
          sent=${email.trim()}
          wrong=${t("error.no-address")}
          autocomplete="off"
          onChange=${(/** @type {string} */ email) => change({ email })}
        />
        <${Field}
          label=${t("field.reason")}
          name="reason"
          value=${reason}
          onChange=${(/** @type {string} */ reason) => change({ reason })}
        />
        <${Refused} />
        <p class="actions">
          <${Button} type="submit" kind="danger" busy=${give.busy}>
            ${t("action.save")}
          <//>
        </p>
      <//>
    <//>
  `;
}

/** Says how much there is, and asks once more before it goes.
 * @param {Props} props */
export function Clear({ id, username, onDone, onClose }) {
  const there = useLoad((signal) => client.getUserClearance({ userId: id }, { signal }), [id]);
  const [what, setWhat] = useState(/** @type {Kind[]} */ ([]));
  const [asking, setAsking] = useState(false);
  const [{ reason }, change, forget] = useDraft(`clear.${id}`, { reason: "" });
  const clear = useAction(async () => {
    await client.clearUser({ userId: id, body: { what, reason } });
    forget();
    onClose();
    await onDone();
  });
  /** @param {Kind} kind */
  const turn = (kind) => {
    setAsking(false);
    setWhat(KINDS.filter((one) => (one === kind ? !what.includes(one) : what.includes(one))));
  };
  return html`
    <${Dialog} title=${t("console.clear")} onClose=${onClose}>
      <p>
        <bdi>
          <b>${username}</b>
        </bdi>
      </p>
      <p class="hint">${t("console.clear-lead")}</p>
      <${Loaded} of=${there}>
        ${(/** @type {import("../client.js").ClearableCounts} */ counts) =>
          html`
            <${Form} of=${clear} limits=${limits.clearUser} onSend=${() => setAsking(true)}>
              <div class="checks">
                ${KINDS.map(
                  (kind) =>
                    html`
                      <div key=${kind}>
                        <label class="check">
                          <input
                            type="checkbox"
                            checked=${what.includes(kind)}
                            onChange=${() => turn(kind)}
                          />${" "}
                          ${amount(kind, counts[kind])}
                        </label>
                      </div>
                    `,
                )}
              </div>
              <${Field}
                label=${t("field.reason")}
                name="reason"
                value=${reason}
                onChange=${(/** @type {string} */ reason) => change({ reason })}
                hint=${t("console.reason-hint")}
              />
              <${Refused} />
              ${
                asking
                  ? html`
                    <p role="status">${t("console.clear-confirm", { name: username })}</p>
                    <p class="actions">
                      <${Button} kind="danger" busy=${clear.busy} onClick=${() => clear.run()}>
                        ${t("console.clear-yes")}
                      <//>
                    </p>
                  `
                  : html`
                    <p class="actions">
                      <${Button} type="submit" kind="danger" disabled=${!what.length}>
                        ${t("console.clear")}
                      <//>
                    </p>
                  `
              }
            <//>
          `}
      <//>
    <//>
  `;
}
