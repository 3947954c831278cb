/** `/console/notifications`: what the studio tells many players, and how far that is. */
import { guid } from "../client.js";
import { html, useEffect, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { ago, instant, moment, number } from "../format.js";
import { t } from "../texts.js";
import { Alert, Button, Choice, Dialog, Field, Form } from "../parts/form.js";
import { useAction, useChange } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { Empty } from "../parts/states.js";
import { Frame } from "./frame.js";

/** @typedef {import("../client.js").StudioNotification} StudioNotification */

/** Milliseconds between two looks at one that is being told. */
const PAUSE = 2_000;

export default function Notifications() {
  return html`<${Frame} place="/console/notifications" needs="notify"><${All} /><//>`;
}

function All() {
  const found = useList("listStudioNotifications", { limit: 50 }, []);
  const [writing, setWriting] = useState(false);
  const stop = useChange(found.reload);
  const telling = found.data?.items.some((one) => one.state === "telling") ?? false;
  useEffect(() => {
    const timer = telling ? setInterval(() => void found.reload(), PAUSE) : 0;
    return () => clearInterval(timer);
  }, [telling]);
  const done = async () => {
    setWriting(false);
    await found.reload();
  };
  return html`<p class="actions"><${Button} kind="main" onClick=${() => setWriting(true)}>${t("console.new-notification")}<//></p>
    <${Alert} error=${stop.error} />
    <${List} of=${found} label=${t("console.notifications")} item=${(/** @type {StudioNotification} */ one) => html`<div class="line"><b class="mono">${one.topic}</b>
        <span class=${`badge static ${one.state === "telling" ? "state-open" : ""}`}>${t(/** @type {"console.state-done"} */ (`console.state-${one.state}`))}</span>
        <span>${t("console.told", { told: number(one.told), muted: number(one.muted), failed: number(one.failed) })}</span>
        <time class="faint small" title=${moment(one.created)}>${ago(one.created)}</time>
        ${one.state === "telling" && html`<span class="actions"><${Button} kind="danger" busy=${stop.busy} onClick=${() => stop.run(() => client.stopStudioNotification({ notificationId: one.id }))}>${t("console.stop")}<//></span>`}</div>`}
      empty=${html`<${Empty} title=${t("console.no-notifications")} />`} />
    ${writing && html`<${Write} onDone=${done} onClose=${() => setWriting(false)} />`}`;
}

/** @param {{onDone: () => Promise<void>, onClose: () => void}} props */
function Write({ onDone, onClose }) {
  // One id for each dialog: sent again after a lost answer, it is told once.
  const [id] = useState(() => guid());
  const [values, setValues] = useState({ topic: "news", title: "", text: "", audience: "users", of: "", expires: "" });
  /** @param {string} name */
  const set = (name) => (/** @type {string} */ value) => setValues((was) => ({ ...was, [name]: value }));
  const send = useAction(async () => {
    const { topic, title, text, audience, expires } = values;
    const common = { id, topic, data: { title, text }, expires: instant(expires) };
    const of = values.of.trim();
    if (audience === "users") await client.sendStudioNotification({ body: { ...common, to: of.split(/[\s,]+/).filter(Boolean) } });
    else if (audience === "everybody") await client.sendStudioNotification({ body: { ...common, audience } });
    else await client.sendStudioNotification({ body: { ...common, audience: audience === "followers" ? { followersOf: of } : { entrantsOf: of } } });
    await onDone();
  });
  const audiences = /** @type {const} */ (["users", "everybody", "followers", "entrants"]);
  return html`<${Dialog} title=${t("console.new-notification")} onClose=${onClose}><${Form} onSend=${() => send.run()}>
    <${Choice} label=${t("console.audience")} value=${values.audience} onChange=${set("audience")} options=${audiences.map((one) => [one, t(`console.audience-${one}`)])} />
    ${values.audience === "users" && html`<${Field} label=${t("console.ids")} lines=${3} value=${values.of} onChange=${set("of")} hint=${t("console.ids-hint")} />`}
    ${(values.audience === "followers" || values.audience === "entrants") && html`<${Field} label=${t("console.id")} value=${values.of} onChange=${set("of")} />`}
    <${Field} label=${t("console.topic")} value=${values.topic} onChange=${set("topic")} hint=${t("console.topic-hint")} />
    <${Field} label=${t("console.announcement-title")} value=${values.title} onChange=${set("title")} />
    <${Field} label=${t("console.announcement-text")} lines=${4} value=${values.text} onChange=${set("text")} />
    <${Field} label=${t("console.expires")} type="datetime-local" value=${values.expires} onChange=${set("expires")} />
    <${Alert} error=${send.error} />
    <p class="actions"><${Button} type="submit" kind="main" busy=${send.busy}>${t("action.send")}<//></p><//><//>`;
}
