/** `/console/service-accounts`: the studio's programs, what they may do, and their secrets. */
import { guid } from "../client.js";
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { ago, instant, local, moment } from "../format.js";
import { hasText, t } from "../texts.js";
import { Both, useEdit } from "../parts/edit.js";
import {
  about,
  Alert,
  Button,
  Dialog,
  Field,
  Form,
  Problem,
  Refused,
  useField,
  useId,
} from "../parts/form.js";
import { List, useList } from "../parts/list.js";
import { control } from "../parts/names.js";
import { Empty } from "../parts/states.js";
import { Frame } from "./frame.js";
import { whole } from "../parts/plot.js";
import { Copied, Secret } from "./secret.js";
import { Confirm } from "../parts/confirm.js";

/** @typedef {import("../client.js").ServiceAccount} ServiceAccount */
/** @typedef {import("../client.js").ServiceSecret} ServiceSecret */

/** Those that there are, as the API lists them. */
const SCOPES = /** @type {const} */ ([
  "curate",
  "moderate",
  "events",
  "notify",
  "users.read",
  "progress",
  "plays",
]);
/** Secrets that an account may have. */
const MOST = 2;

export default function ServiceAccounts() {
  return html`
    <${Frame} place="/console/service-accounts" needs="administer">
      <${All} />
    <//>
  `;
}

/** The day of this moment, of UTC.
 * @param {number} seconds */
const day = (seconds) => whole(new Date(seconds * 1000).toISOString().slice(0, 10));

/** @param {ServiceAccount} account */
const isOver = ({ expires }) => expires !== null && expires <= Date.now() / 1000;

/** @typedef {{on: "edit", account: ServiceAccount | null} | {on: "secret", account: {id: string,
 *   name: string}} | {on: "delete", account: ServiceAccount} | {on: "delete-secret", account: ServiceAccount,
 *   secret: ServiceSecret}} Open a dialog that is open */

function All() {
  const found = useList("listServiceAccounts", { limit: 50 }, []);
  const [open, setOpen] = useState(/** @type {Open | null} */ (null));
  const close = () => setOpen(null);
  /** @param {() => Promise<unknown>} work */
  const then = (work) => async () => {
    await work();
    await found.reload();
  };
  return html`
    <div class="row-head">
      <p class="hint">${t("console.service-accounts-lead")}</p>
      <${Button} kind="main" onClick=${() => setOpen({ on: "edit", account: null })}>
        ${t("console.new-service-account")}
      <//>
    </div>
    <${List}
      of=${found}
      label=${t("console.service-accounts")}
      item=${(/** @type {ServiceAccount} */ one) => html`<${One} account=${one} open=${setOpen} />`}
      empty=${html`
        <${Empty}
          title=${t("console.no-service-accounts")}
          text=${t("console.no-service-accounts-text")}
        />
      `}
    />
    ${
      open?.on === "edit" &&
      html`
        <${Edit}
          account=${open.account}
          onClose=${close}
          onDone=${async (/** @type {{id: string, name: string}} */ made) => {
            // Without a secret a new one is good for nothing: that is what comes next.
            setOpen(open.account ? null : { on: "secret", account: made });
            await found.reload();
          }}
        />
      `
    }
    ${
      open?.on === "secret" &&
      html`
        <${Secret}
          title=${t("console.secret-of", { name: open.account.name })}
          text=${t("console.service-secret-text")}
          onClose=${close}
          onMade=${found.reload}
          make=${async () => (await client.createServiceSecret({ accountId: open.account.id })).value}
          beside=${html`<${Copied} label=${t("console.id")} value=${open.account.id} />`}
        />
      `
    }
    ${
      open?.on === "delete" &&
      html`
        <${Confirm}
          title=${t("console.delete-service-account")}
          action=${t("action.delete")}
          onClose=${close}
          text=${t("console.delete-service-account-text")}
          work=${then(() => client.deleteServiceAccount({ accountId: open.account.id }))}
        >
          <p>
            <bdi>
              <b>${open.account.name}</b>
            </bdi>
          </p>
        <//>
      `
    }
    ${
      open?.on === "delete-secret" &&
      html`
        <${Confirm}
          title=${t("console.delete-secret")}
          action=${t("action.delete")}
          onClose=${close}
          text=${t("console.delete-secret-text")}
          work=${then(() =>
            client.deleteServiceSecret({ accountId: open.account.id, secretId: open.secret.id }),
          )}
        >
          <p>
            <bdi>
              <b>${open.account.name}</b>
            </bdi>${" "}
            <span class="mono">${open.secret.id.slice(0, 8)}</span>
          </p>
        <//>
      `
    }
  `;
}

/** @param {{account: ServiceAccount, open: (dialog: Open) => void}} props */
function One({ account, open }) {
  const { id, name, scopes, expires, lastUsed, secrets, created } = account;
  /** @param {string} action */
  const label = (action) => control(action, name);
  return html`
    <div class="line">
      <b>
        <bdi>${name}</bdi>
      </b>
      ${isOver(account) && html`<span class="badge static warn">${t("console.expired")}</span>`}
      ${!secrets.length && html`<span class="badge static warn">${t("console.no-secret")}</span>`}
    </div>
    <ul class="tags" aria-label=${t("console.scopes")}>
      ${scopes.map(
        (scope) =>
          html`
            <li key=${scope} class="tag mono" title=${purpose(scope)}>
              ${scope}
            </li>
          `,
      )}
    </ul>
    <p class="facts small faint">
      <span>
        ${lastUsed === null ? t("console.never-used") : t("console.last-used", { day: day(lastUsed) })}
      </span>
      <span>
        ${
          expires === null
            ? t("console.never-expires")
            : t(isOver(account) ? "console.expired-at" : "console.expires-at", { time: moment(expires) })
        }
      </span>
      <span title=${moment(created)}>${t("console.made", { when: ago(created) })}</span>
      <span class="mono">${id}</span>
    </p>
    ${
      secrets.length > 0 &&
      html`
        <ul class="secrets small" aria-label=${t("console.secrets")}>
          ${secrets.map(
            (secret) =>
              html`
                <li key=${secret.id} class="line">
                  <span>
                    ${t("console.secret")} <span class="mono">${secret.id.slice(0, 8)}</span>
                  </span>
                  <span class="faint" title=${moment(secret.created)}>
                    ${t("console.made", { when: ago(secret.created) })}
                  </span>
                  <${Button}
                    class="button plain small"
                    aria-label=${t("console.delete-secret-one", { id: secret.id.slice(0, 8) })}
                    onClick=${() => open({ on: "delete-secret", account, secret })}
                  >
                    ${t("action.delete")}
                  <//>
                </li>
              `,
          )}
        </ul>
      `
    }
    <p class="actions">
      <${Button}
        class="button plain small"
        disabled=${secrets.length >= MOST}
        aria-label=${label(t("console.make-secret"))}
        onClick=${() => open({ on: "secret", account })}
      >
        ${t("console.make-secret")}
      <//>
      <${Button}
        class="button plain small"
        aria-label=${label(t("action.edit"))}
        onClick=${() => open({ on: "edit", account })}
      >
        ${t("action.edit")}
      <//>
      <${Button}
        class="button danger small"
        aria-label=${label(t("action.delete"))}
        onClick=${() => open({ on: "delete", account })}
      >
        ${t("action.delete")}
      <//>
    </p>
  `;
}

/** What a scope opens. A later release may have others.
 * @param {string} scope */
function purpose(scope) {
  const key = `scope.${scope}`;
  return hasText(key) ? t(key) : "";
}

/** @param {ServiceAccount} account */
const fieldsOf = ({ id, name, scopes, expires }) => ({
  id,
  name,
  scopes: /** @type {string[]} */ (scopes),
  expires: local(expires),
});

/** @param {{account: ServiceAccount | null, onDone: (made: {id: string, name: string}) => Promise<void>,
 *   onClose: () => void}} props */
function Edit({ account, onDone, onClose }) {
  const [made] = useState(guid);
  const shown = account
    ? fieldsOf(account)
    : { id: made, name: "", scopes: /** @type {string[]} */ ([]), expires: "" };
  const { values, change, save, both } = useEdit(`service-account.${account?.id ?? "new"}`, shown, {
    read: account ? (options) => client.getServiceAccount({ accountId: account.id }, options) : null,
    fields: fieldsOf,
    write: ({ id, name, scopes, expires }, now, options) => {
      // An end that was not touched keeps its seconds, which the field has not: else it would end the tokens.
      const end = now && expires === local(now.expires) ? now.expires : instant(expires);
      return client.putServiceAccount(
        { accountId: id, body: { name, scopes: /** @type {any[]} */ (scopes), expires: end } },
        options,
      );
    },
    done: ({ id, name }) => onDone({ id, name }),
  });
  const { id, name, scopes, expires } = values;
  const labels = { name: t("field.name"), scopes: t("console.scopes"), expires: t("console.expires") };
  /** @param {Partial<typeof values>} part */
  const set = (part) => change(account ? part : { id, ...part });
  /** @param {string} scope */
  const turn = (scope) =>
    set({ scopes: scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope] });
  return html`
    <${Dialog} title=${t(account ? "action.edit" : "console.new-service-account")} onClose=${onClose}>
        <${Form} of=${save} limits=${limits.putServiceAccount} onSend=${() => save.run()}>
          <${Field}
            label=${t("field.name")}
            name="name"
            value=${name}
            autocomplete="off"
            spellcheck="false"
            onChange=${(/** @type {string} */ name) => set({ name })}
          />
          <${Scopes} value=${scopes} onTurn=${turn} />
          <${Field}
            label=${t("console.expires")}
            type="datetime-local"
            name="expires"
            value=${expires}
            sent=${instant(expires)}
            onChange=${(/** @type {string} */ expires) => set({ expires })}
            hint=${t("console.expires-hint")}
          />
          ${account && html`<p class="hint">${t("console.scopes-hint")}</p>`}
          <${Both} of=${both} labels=${labels} />
          <${Refused} />
          <p class="actions">
            <${Button} type="submit" kind="main" busy=${save.busy}>
              ${t("action.save")}
            <//>
          </p>
        <//>
    <//>
  `;
}

/** @param {{value: string[], onTurn: (scope: string) => void}} props */
function Scopes({ value, onTurn }) {
  const id = useId();
  const [problem, forget] = useField("scopes", { value });
  const all = [...SCOPES, ...value.filter((one) => !SCOPES.some((scope) => scope === one))];
  return html`
    <fieldset>
      <legend>${t("console.scopes")}</legend>
      ${all.map(
        (scope, at) =>
          html`
            <div key=${scope}>
              <label class="check scope">
                <input
                  type="checkbox"
                  checked=${value.includes(scope)}
                  ...${at ? {} : about(id, false, problem)}
                  onChange=${() => (forget(), onTurn(scope))}
                />
                <span>
                  <span class="mono">${scope}</span> <span class="faint small">${purpose(scope)}</span>
                </span>
              </label>
            </div>
          `,
      )}
      <${Problem} id=${id} text=${problem} />
    </fieldset>
  `;
}
