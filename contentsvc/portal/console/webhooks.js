/** `/console/webhooks`: where the studio's programs hear of events, how far each is, and why one fails. */
import { ApiError, guid } from "../client.js";
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { replace } from "../replace.js";
import { moment } from "../format.js";
import { t } from "../texts.js";
import { Both, useEdit } from "../parts/edit.js";
import { Alert, Button, Dialog, Field, Form, Refused } from "../parts/form.js";
import { useAction, useChange } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { control } from "../parts/names.js";
import { Empty } from "../parts/states.js";
import { useRetry } from "../parts/retry.js";
import { eventName, Kinds } from "./event-kinds.js";
import { Frame } from "./frame.js";
import { Secret } from "./secret.js";
import { Confirm } from "../parts/confirm.js";

/** @typedef {import("../client.js").Webhook} Webhook */
/** @typedef {import("../client.js").WebhookTest} Answer */

/** Milliseconds between two looks at how far they are. */
const PAUSE = 5_000;

export default function Webhooks() {
  return html`
    <${Frame} place="/console/webhooks" needs="administer">
      <${All} />
    <//>
  `;
}

/** @typedef {{on: "edit", hook: Webhook | null} | {on: "secret", hook: {id: string, url: string}} |
 *   {on: "delete", hook: Webhook}} Open a dialog that is open */

function All() {
  const found = useList("listWebhooks", { limit: 50 }, []);
  const [open, setOpen] = useState(/** @type {Open | null} */ (null));
  const close = () => setOpen(null);
  const change = useChange(found.reload);
  /** @type {Webhook[]} */
  const hooks = found.data?.items ?? [];
  useRetry(
    hooks.some((one) => one.enabled),
    PAUSE,
    async () => {
      // Parts that were read later stay: only what is shown is read again.
      const now = /** @type {Map<string, Webhook>} */ (new Map());
      const asked = hooks.length;
      for await (const one of client.each("listWebhooks", { limit: 50 })) {
        now.set(one.id, one);
        if (now.size >= asked) break;
      }
      found.change((was) => ({ ...was, items: was.items.map((one) => now.get(one.id) ?? one) }));
    },
  );
  if (found.error instanceof ApiError && found.error.status === 404)
    return html`<${Empty} title=${t("console.events-off")} text=${t("console.webhooks-off")} />`;
  /** @param {Webhook} hook */
  const turn = ({ id, enabled }) =>
    change.run(() =>
      replace(
        (options) => client.getWebhook({ webhookId: id }, options),
        ({ url, kinds }, options) =>
          client.putWebhook(
            { webhookId: id, body: { url, kinds: /** @type {any} */ (kinds), enabled: !enabled } },
            options,
          ),
      ),
    );
  return html`
    <div class="row-head">
      <p class="hint">${t("console.webhooks-lead")}</p>
      <${Button} kind="main" onClick=${() => setOpen({ on: "edit", hook: null })}>
        ${t("console.new-webhook")}
      <//>
    </div>
    <${Alert} error=${change.error} />
    <${List}
      of=${found}
      label=${t("console.webhooks")}
      item=${(/** @type {Webhook} */ one) =>
        html`<${One} hook=${one} open=${setOpen} turn=${turn} busy=${change.busy} />`}
      empty=${html`<${Empty} title=${t("console.no-webhooks")} text=${t("console.no-webhooks-text")} />`}
    />
    ${
      open?.on === "edit" &&
      html`
        <${Edit}
          hook=${open.hook}
          onClose=${close}
          onDone=${async (/** @type {{id: string, url: string}} */ made) => {
            // Without a secret nothing is sent: that is what comes next.
            setOpen(open.hook ? null : { on: "secret", hook: made });
            await found.reload();
          }}
        />
      `
    }
    ${
      open?.on === "secret" &&
      html`
        <${Secret}
          title=${t("console.new-secret")}
          text=${t("console.webhook-secret-text")}
          onClose=${close}
          onMade=${found.reload}
          make=${async () => (await client.createWebhookSecret({ webhookId: open.hook.id })).secret}
          beside=${html`
            <p class="mono small">
              <bdi>${open.hook.url}</bdi>
            </p>
          `}
        />
      `
    }
    ${
      open?.on === "delete" &&
      html`
        <${Confirm}
          title=${t("console.delete-webhook")}
          action=${t("action.delete")}
          onClose=${close}
          text=${t("console.delete-webhook-text")}
          work=${async () => {
            await client.deleteWebhook({ webhookId: open.hook.id });
            await found.reload();
          }}
        >
          <p class="mono small">
            <bdi>${open.hook.url}</bdi>
          </p>
        <//>
      `
    }
  `;
}

/** @param {{hook: Webhook, open: (dialog: Open) => void, turn: (hook: Webhook) => void, busy: boolean}}
 *   props */
function One({ hook, open, turn, busy }) {
  const { id, url, kinds, enabled, delivered, newest, failingSince, lastError } = hook;
  const [answer, setAnswer] = useState(/** @type {Answer | null} */ (null));
  const test = useAction(async () => {
    setAnswer(null);
    setAnswer(await client.sendWebhookTest({ webhookId: id }));
  });
  /** @param {string} action */
  const label = (action) => control(action, url);
  const state = !enabled ? "off" : failingSince === null ? "on" : "failing";
  return html`
    <div class="line">
      <b class="mono">
        <bdi>${url}</bdi>
      </b>
      <span class=${`badge static ${{ on: "state-open", off: "", failing: "warn" }[state]}`}>
        ${t(`console.webhook-${state}`)}
      </span>
    </div>
    <p class="facts small">
      <span>${kinds === null ? t("console.kinds-all") : kinds.map(eventName).join(", ")}</span>
    </p>
    <p class="facts small faint">
      <span>${t("console.delivered", { delivered, newest })}</span>
    </p>
    ${
      lastError !== null &&
      html`
        <p class="small problem">
          ${failingSince === null ? "" : html`${t("console.failing-since", { time: moment(failingSince) })} `}
          <bdi>${lastError}</bdi>
        </p>
      `
    }
    <p class="actions">
      <${Button}
        class="button plain small"
        busy=${test.busy}
        aria-label=${label(t("console.test"))}
        onClick=${() => test.run()}
      >
        ${t("console.test")}
      <//>
      <${Button}
        class="button plain small"
        busy=${busy}
        aria-label=${label(t(enabled ? "console.turn-off" : "console.turn-on"))}
        onClick=${() => turn(hook)}
      >
        ${t(enabled ? "console.turn-off" : "console.turn-on")}
      <//>
      <${Button}
        class="button plain small"
        aria-label=${label(t("console.new-secret"))}
        onClick=${() => open({ on: "secret", hook })}
      >
        ${t("console.new-secret")}
      <//>
      <${Button}
        class="button plain small"
        aria-label=${label(t("action.edit"))}
        onClick=${() => open({ on: "edit", hook })}
      >
        ${t("action.edit")}
      <//>
      <${Button}
        class="button danger small"
        aria-label=${label(t("action.delete"))}
        onClick=${() => open({ on: "delete", hook })}
      >
        ${t("action.delete")}
      <//>
    </p>
    <div role="status">
      ${
        answer &&
        html`<p class=${`small ${answer.error === null ? "winner" : "problem"}`}>${said(answer)}</p>`
      }
    </div>
    <${Alert} error=${test.error} />
  `;
}

/** What came of a test.
 * @param {Answer} answer */
function said({ status, error, milliseconds }) {
  if (error === null) return t("console.test-good", { status: String(status), milliseconds });
  return t("console.test-bad", { error, milliseconds });
}

/** @param {Webhook} hook */
const fieldsOf = ({ url, kinds }) => ({ url, kinds: kinds ?? /** @type {string[]} */ ([]) });

/** @param {{hook: Webhook | null, onDone: (made: {id: string, url: string}) => Promise<void>,
 *   onClose: () => void}} props */
function Edit({ hook, onDone, onClose }) {
  const [made] = useState(guid);
  const shown = hook
    ? { id: hook.id, ...fieldsOf(hook) }
    : { id: made, url: "", kinds: /** @type {string[]} */ ([]) };
  const { values, change, save, both } = useEdit(`webhook.${hook?.id ?? "new"}`, shown, {
    read: hook ? (options) => client.getWebhook({ webhookId: hook.id }, options) : null,
    fields: (now) => ({ id: now.id, ...fieldsOf(now) }),
    write: ({ id, url, kinds }, now, options) =>
      client.putWebhook(
        {
          webhookId: id,
          body: {
            url: url.trim(),
            kinds: kinds.length ? /** @type {any} */ (kinds) : null,
            enabled: now?.enabled ?? true,
          },
        },
        options,
      ),
    done: ({ id, url }) => onDone({ id, url: url.trim() }),
  });
  const { id, url, kinds } = values;
  const labels = { url: t("console.url"), kinds: t("console.kinds") };
  const words = {
    kinds: (/** @type {string[]} */ some) =>
      some.length ? some.map(eventName).join(", ") : t("console.kinds-all"),
  };
  return html`
    <${Dialog} title=${t(hook ? "action.edit" : "console.new-webhook")} onClose=${onClose}>
        <${Form} of=${save} limits=${limits.putWebhook} onSend=${() => save.run()}>
          <${Field}
            label=${t("console.url")}
            type="url"
            name="url"
            value=${url}
            sent=${url.trim()}
            check=${(/** @type {string} */ url) => !URL.canParse(url) && t("error.url_not_allowed")}
            wrong=${t("error.url_not_allowed")}
            autocomplete="off"
            spellcheck="false"
            dir="ltr"
            placeholder="https://"
            onChange=${(/** @type {string} */ url) => change(hook ? { url } : { id, url })}
            hint=${t("console.url-hint")}
          />
          <${Kinds}
            label=${t("console.kinds")}
            value=${kinds}
            onChange=${(/** @type {string[]} */ kinds) => change(hook ? { kinds } : { id, kinds })}
          />
          <${Both} of=${both} labels=${labels} words=${words} />
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
