/** `/console/challenges`: design challenges are made, changed, and closed. */
import { html, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { instant, local } from "../format.js";
import { t } from "../texts.js";
import { timing } from "../parts/challenge-card.js";
import { Alert, Button, Choice, Dialog, Field, Form } from "../parts/form.js";
import { useAction, useChange, useDraft, useLoad } from "../parts/hooks.js";
import { Empty, Loaded } from "../parts/states.js";
import { Frame } from "./frame.js";

/** @typedef {import("../client.js").Challenge} Challenge */

export default function Challenges() {
  return html`<${Frame} place="/console/challenges" needs="curate"><${All} /><//>`;
}

function All() {
  const found = useLoad((signal) => client.listChallenges({}, { signal }), []);
  const [editing, setEditing] = useState(/** @type {Challenge | "new" | null} */ (null));
  const [closing, setClosing] = useState(/** @type {Challenge | null} */ (null));
  const remove = useChange(found.reload);
  const done = async () => {
    setEditing(null);
    setClosing(null);
    await found.reload();
  };
  return html`<p class="actions"><${Button} kind="main" onClick=${() => setEditing("new")}>${t("console.new-challenge")}<//></p>
    <${Alert} error=${remove.error} />
    <${Loaded} of=${found}>${(/** @type {Challenge[]} */ all) => all.length
      ? html`<ul class="rows">${all.map((one) => html`<li key=${one.id}><div class="line"><a href=${address(`/challenges/${one.id}`)} dir="auto">${one.name}</a>
          <span class=${`badge static state-${one.state}`}>${t(`challenge.state-${one.state}`)}</span><span class="faint small">${timing(one)} · ${t("challenge.entries", { count: one.entries })}</span>
          ${one.state !== "closed" && html`<span class="actions"><${Button} onClick=${() => setEditing(one)}>${t("action.edit")}<//>
            ${(one.state === "open" || one.state === "judging") && html`<${Button} onClick=${() => setClosing(one)}>${t("console.close")}<//>`}
            ${one.entries === 0 && html`<${Button} kind="danger" busy=${remove.busy} onClick=${() => remove.run(() => client.deleteChallenge({ challengeId: one.id }))}>${t("action.delete")}<//>`}</span>`}</div></li>`)}</ul>`
      : html`<${Empty} title=${t("challenges.none")} />`}<//>
    ${editing && html`<${Edit} challenge=${editing === "new" ? null : editing} onDone=${done} onClose=${() => setEditing(null)} />`}
    ${closing && html`<${Close} challenge=${closing} onDone=${done} onClose=${() => setClosing(null)} />`}`;
}

/** @param {{challenge: Challenge | null, onDone: () => Promise<void>, onClose: () => void}} props */
function Edit({ challenge, onDone, onClose }) {
  const [values, change, forget] = useDraft(`challenge.${challenge?.id ?? "new"}`, {
    name: challenge?.name ?? "",
    theme: challenge?.theme ?? "",
    description: challenge?.description ?? "",
    ordinal: String(challenge?.ordinal ?? 0),
    opens: local(challenge?.opens),
    closes: local(challenge?.closes),
    judging: challenge?.judging ?? "admins",
    win: challenge?.win.achievement.name ?? "",
    participate: challenge?.participate.achievement.name ?? "",
  });
  /** @param {string} name */
  const set = (name) => (/** @type {string} */ value) => change({ [name]: value });
  /** The reward with this name; what it has beside that stays.
   * @param {"win" | "participate"} which */
  const reward = (which) => {
    const { achievement, emblem } = challenge?.[which] ?? {
      achievement: { key: `${which}-${values.name}`.slice(0, 64), description: "", visibilityStart: null, visibilityStop: null },
      emblem: { description: "", image: "", color: "#4338ca" },
    };
    const name = values[which];
    const { id, ...rest } = /** @type {any} */ (emblem);
    return { achievement: { ...achievement, name }, emblem: { ...rest, name } };
  };
  const save = useAction(async () => {
    const body = {
      name: values.name,
      theme: values.theme,
      description: values.description,
      ordinal: Number(values.ordinal) || 0,
      opens: instant(values.opens),
      closes: instant(values.closes),
      judging: values.judging,
      types: /** @type {import("../client.js").ChallengeCreate["types"]} */ (challenge?.types ?? null),
      win: reward("win"),
      participate: reward("participate"),
    };
    if (challenge) await client.replaceChallenge({ challengeId: challenge.id, body });
    else await client.createChallenge({ body });
    forget();
    await onDone();
  });
  return html`<${Dialog} title=${t(challenge ? "action.edit" : "console.new-challenge")} onClose=${onClose}><${Form} onSend=${() => save.run()}>
    <${Field} label=${t("field.name")} value=${values.name} onChange=${set("name")} />
    <${Field} label=${t("console.theme")} value=${values.theme} onChange=${set("theme")} />
    <${Field} label=${t("field.description")} lines=${3} value=${values.description} onChange=${set("description")} />
    <${Field} label=${t("console.opens")} type="datetime-local" value=${values.opens} onChange=${set("opens")} />
    <${Field} label=${t("console.closes")} type="datetime-local" value=${values.closes} onChange=${set("closes")} />
    <${Choice} label=${t("console.judging")} value=${values.judging} onChange=${set("judging")} options=${[["admins", t("judging.admins")], ["votes", t("judging.votes")]]} />
    <${Field} label=${t("challenge.win")} value=${values.win} onChange=${set("win")} />
    <${Field} label=${t("challenge.participate")} value=${values.participate} onChange=${set("participate")} />
    <${Field} label=${t("console.ordinal")} type="number" value=${values.ordinal} onChange=${set("ordinal")} />
    <${Alert} error=${save.error} />
    <p class="actions"><${Button} type="submit" kind="main" busy=${save.busy}>${t("action.save")}<//></p><//><//>`;
}

/** Choose the winners among the entries.
 * @param {{challenge: Challenge, onDone: () => Promise<void>, onClose: () => void}} props */
function Close({ challenge, onDone, onClose }) {
  const challengeId = challenge.id;
  const entries = useLoad((signal) => client.listChallengeEntries({ challengeId, sort: "top", limit: 100 }, { signal }), [challengeId]);
  const [winners, setWinners] = useState(/** @type {string[]} */ ([]));
  const close = useAction(async () => {
    await client.closeChallenge({ challengeId, body: { winners } });
    await onDone();
  });
  return html`<${Dialog} title=${t("console.close")} onClose=${onClose}><p>${t("console.choose-winners")}</p>
    <${Loaded} of=${entries}>${(/** @type {any[]} */ all) => html`<ul>${all.map((one) => html`<li key=${one.id}><label class="check"><input type="checkbox" checked=${winners.includes(one.id)}
      onChange=${() => setWinners(winners.includes(one.id) ? winners.filter((id) => id !== one.id) : [...winners, one.id])} /> <span dir="auto">${one.name}</span></label></li>`)}</ul>`}<//>
    <${Alert} error=${close.error} />
    <p class="actions"><${Button} kind="main" busy=${close.busy} onClick=${() => close.run()}>${t("console.close")}<//></p><//>`;
}
