/** `/console/notifications`: what the studio tells many players, and how far that is. */
import { guid } from "../client.js";
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { instant } from "../format.js";
import { t } from "../texts.js";
import { Confirm } from "../parts/confirm.js";
import { Alert, Button, Choice, Dialog, Field, Form, Refused } from "../parts/form.js";
import { useAction, useDraft, useLoad } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { control } from "../parts/names.js";
import { Unfit } from "../parts/words.js";
import { Empty } from "../parts/states.js";
import { Actor, useServices } from "./actors.js";
import { useRetry } from "../parts/retry.js";
import { When } from "../parts/when.js";
import { Frame } from "./frame.js";
import { useNames } from "./names.js";
import { identify, NotFound } from "./recipients.js";

/** @typedef {import("../client.js").StudioNotification} StudioNotification */

/** Milliseconds between two looks at what is being told. */
const PAUSE = 2_000;
const AUDIENCES = /** @type {const} */ (["users", "everybody", "followers", "entrants"]);

export default function Notifications() {
  return html`
    <${Frame} place="/console/notifications" needs="notify">
      <${All} />
    <//>
  `;
}

function All() {
  const found = useList("listStudioNotifications", { limit: 50, data: true }, []);
  const [writing, setWriting] = useState(false);
  const [stopping, setStopping] = useState(/** @type {StudioNotification | null} */ (null));
  /** @type {StudioNotification[]} */
  const items = found.data?.items ?? [];
  const telling = items.filter((one) => one.state === "telling");
  useRetry(telling.length > 0, PAUSE, async () => {
    const now = await Promise.all(
      telling.map((one) => client.getStudioNotification({ notificationId: one.id })),
    );
    found.change((was) => ({
      ...was,
      items: was.items.map((one) => ({ ...one, ...now.find((other) => other.id === one.id) })),
    }));
  });
  const services = useServices();
  const name = useNames(
    items.filter((one) => !services.has(one.by)).map((one) => ({ kind: "user", id: one.by })),
  );
  const done = async () => {
    setWriting(false);
    await found.reload();
  };
  return html`
    <div class="row-head">
      <p class="hint">${t("console.notifications-lead")}</p>
      <${Button} kind="main" onClick=${() => setWriting(true)}>
        ${t("console.new-notification")}
      <//>
    </div>
    <${List}
      of=${found}
      label=${t("console.notifications")}
      item=${(/** @type {StudioNotification} */ one) =>
        html`
          <${Said} data=${one.data ?? {}} />
          <div class="line">
            <span class="mono small">${one.topic}</span>
            <span class=${`badge static ${one.state === "telling" ? "state-open" : ""}`}>
              ${t(/** @type {"console.state-done"} */ (`console.state-${one.state}`))}
            </span>
            <${Actor} id=${one.by} services=${services} name=${name} />
            <${When} at=${one.created} />
            ${
              one.state === "telling" &&
              html`
                <span class="actions">
                  <${Button}
                    kind="danger"
                    aria-label=${control(t("console.stop"), one.topic)}
                    aria-haspopup="dialog"
                    onClick=${() => setStopping(one)}
                  >
                    ${t("console.stop")}
                  <//>
                </span>
              `
            }
          </div>
          <p class="facts small">
            <span>${t("console.told", { count: one.told })}</span>
            ${
              one.muted > 0 &&
              html`<span class="faint">${t("console.told-muted", { count: one.muted })}</span>`
            }
            ${
              one.failed > 0 &&
              html`<span class="problem">${t("console.told-failed", { count: one.failed })}</span>`
            }
          </p>
        `}
      empty=${html`
        <${Empty}
          title=${t("console.no-notifications")}
          text=${t("console.no-notifications-text")}
        />
      `}
    />
    ${
      stopping &&
      html`
        <${Confirm}
          title=${t("console.stop-title")}
          text=${t("console.stop-text")}
          action=${t("console.stop")}
          onClose=${() => setStopping(null)}
          work=${async () => {
            await client.stopStudioNotification({ notificationId: stopping.id });
            await found.reload();
          }}
        >
          <p class="mono">${stopping.topic}</p>
        <//>
      `
    }
    ${writing && html`<${Write} onDone=${done} onClose=${() => setWriting(false)} />`}
  `;
}

const EMPTY = {
  id: "",
  topic: "news",
  title: "",
  text: "",
  audience: "users",
  users: "",
  player: "",
  challenge: "",
  expires: "",
};

/** @param {{onDone: () => Promise<void>, onClose: () => void}} props */
function Write({ onDone, onClose }) {
  const [values, change, forget] = useDraft("notification", EMPTY);
  // With its id, what is sent again after a lost answer is told once. What has changed is another one.
  /** @param {string} name */
  const set = (name) => (/** @type {string} */ value) => change({ [name]: value, id: "" });
  const challenges = useLoad((signal) => client.listChallenges({}, { signal }), []);
  const send = useAction(async () => {
    const to = await audience(values);
    const id = values.id || guid();
    change({ id });
    await client.sendStudioNotification({
      body: {
        id,
        topic: values.topic,
        data: said(values),
        expires: instant(values.expires),
        ...to,
      },
    });
    forget();
    await onDone();
  });
  return html`
    <${Dialog} title=${t("console.new-notification")} onClose=${onClose}>
        <${Form}
          of=${send}
          limits=${limits.sendStudioNotification}
          place=${(/** @type {string} */ at) => (at === "/data" ? "data/text" : null)}
          onSend=${() => send.run()}
        >
          <${Choice}
            label=${t("console.audience")}
            value=${values.audience}
            onChange=${set("audience")}
            options=${AUDIENCES.map((one) => [one, t(`console.audience-${one}`)])}
          />
          ${
            values.audience === "users" &&
            html`
              <${Field}
                label=${t("console.recipients")}
                lines=${2}
                name="users"
                required
                value=${values.users}
                onChange=${set("users")}
                hint=${t("console.recipients-hint")}
                spellcheck="false"
              />
            `
          }
          ${
            values.audience === "followers" &&
            html`
              <${Field}
                label=${t("console.followers-of")}
                name="player"
                required
                value=${values.player}
                onChange=${set("player")}
                hint=${t("console.name-or-id")}
                autocomplete="off"
                spellcheck="false"
              />
            `
          }
          ${
            values.audience === "entrants" &&
            html`
              <${Choice}
                label=${t("console.entrants-of")}
                name="challenge"
                required
                value=${values.challenge}
                onChange=${set("challenge")}
                options=${[["", "–"], ...(challenges.data ?? []).map((one) => [one.id, one.name])]}
              />
              <${Alert} error=${challenges.error} />
            `
          }
          ${
            values.audience === "everybody" &&
            html`<p class="notice small">${t("console.everybody-hint")}</p>`
          }
          <${Field}
            label=${t("console.announcement-title")}
            name="data/title"
            required
            value=${values.title}
            onChange=${set("title")}
          />
          <${Field}
            label=${t("console.announcement-text")}
            lines=${4}
            name="data/text"
            wrong=${t("console.text-too-long")}
            value=${values.text}
            onChange=${set("text")}
          />
          <${Field}
            label=${t("console.topic")}
            name="topic"
            wrong=${t("console.topic-hint")}
            value=${values.topic}
            dir="ltr"
            onChange=${set("topic")}
            hint=${t("console.topic-hint")}
            autocomplete="off"
            spellcheck="false"
          />
          <${Field}
            label=${t("console.expires")}
            type="datetime-local"
            name="expires"
            value=${values.expires}
            sent=${instant(values.expires)}
            onChange=${set("expires")}
            hint=${t("console.notification-expires-hint")}
          />
          <${Refused} />
          <p class="actions">
            <${Button} type="submit" kind="main" busy=${send.busy}>
              ${t("action.send")}
            <//>
          </p>
        <//>
    <//>
  `;
}

/** What players read of it.
 * @param {{data: Record<string, unknown>}} props */
function Said({ data: { title, text } }) {
  return html`
    ${
      typeof title === "string" &&
      html`
        <h3 class="brief" dir="auto">
          ${title}
        </h3>
      `
    }
    ${
      typeof text === "string" &&
      text &&
      html`
        <p class="text brief" dir="auto">
          ${text}
        </p>
      `
    }
  `;
}

/** @param {typeof EMPTY} values */
function said({ title, text }) {
  return { title: title.trim(), ...(text.trim() && { text }) };
}

/** To whom, as the operation has it.
 * @param {typeof EMPTY} values
 * @returns {Promise<{to: string[]} | {audience: "everybody" | {followersOf: string} |
 *   {entrantsOf: string}}>} */
async function audience(values) {
  const field = values.audience === "users" ? "users" : "player";
  try {
    if (values.audience === "users") return { to: await identify(values.users) };
    if (values.audience === "followers")
      return { audience: { followersOf: (await identify(values.player))[0] } };
  } catch (error) {
    if (error instanceof NotFound)
      throw new Unfit({ [field]: t("console.unknown-names", { names: error.names.join(", ") }) });
    throw error;
  }
  return {
    audience: values.audience === "entrants" ? { entrantsOf: values.challenge } : "everybody",
  };
}
