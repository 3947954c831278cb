/** `/console/challenges`: design challenges are made, changed, and closed. */
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { instant, local } from "../format.js";
import { t } from "../texts.js";
import { timing } from "../parts/challenge-card.js";
import { Confirm } from "../parts/confirm.js";
import { Both, useEdit } from "../parts/edit.js";
import { Alert, Button, Choice, Dialog, Field, Form, Refused } from "../parts/form.js";
import { useAction, useChange, useLoad } from "../parts/hooks.js";
import { control } from "../parts/names.js";
import { Empty, Loaded } from "../parts/states.js";
import { Frame } from "./frame.js";

/** @typedef {import("../client.js").Challenge} Challenge */

export default function Challenges() {
  return html`
    <${Frame} place="/console/challenges" needs="curate">
      <${All} />
    <//>
  `;
}

function All() {
  const found = useLoad((signal) => client.listChallenges({}, { signal }), []);
  const [editing, setEditing] = useState(/** @type {Challenge | "new" | null} */ (null));
  const [closing, setClosing] = useState(/** @type {Challenge | null} */ (null));
  const [deleting, setDeleting] = useState(/** @type {Challenge | null} */ (null));
  const done = async () => {
    setEditing(null);
    setClosing(null);
    await found.reload();
  };
  return html`
    <p class="actions">
      <${Button} kind="main" onClick=${() => setEditing("new")}>
        ${t("console.new-challenge")}
      <//>
    </p>
    <${Loaded} of=${found}>
      ${(/** @type {Challenge[]} */ all) =>
        all.length
          ? html`
            <ul class="rows">
              ${all.map(
                (one) =>
                  html`
                    <li key=${one.id}>
                      <div class="line">
                        <a href=${address(`/challenges/${one.id}`)} dir="auto">
                          ${one.name}
                        </a>
                        <span class=${`badge static state-${one.state}`}>
                          ${t(`challenge.state-${one.state}`)}
                        </span>
                        <span class="faint small">
                          ${timing(one)} · ${t("challenge.entries", { count: one.entries })}
                        </span>
                        ${
                          one.state !== "closed" &&
                          html`
                            <span class="actions">
                              <${Button}
                                aria-label=${control(t("action.edit"), one.name)}
                                onClick=${() => setEditing(one)}
                              >
                                ${t("action.edit")}
                              <//>
                              ${
                                (one.state === "open" || one.state === "judging") &&
                                html`
                                  <${Button}
                                    aria-label=${control(t("console.close"), one.name)}
                                    onClick=${() => setClosing(one)}
                                  >
                                    ${t("console.close")}
                                  <//>
                                `
                              }
                              ${
                                one.entries === 0 &&
                                html`
                                  <${Button}
                                    kind="danger"
                                    aria-haspopup="dialog"
                                    aria-label=${control(t("action.delete"), one.name)}
                                    onClick=${() => setDeleting(one)}
                                  >
                                    ${t("action.delete")}
                                  <//>
                                `
                              }
                            </span>
                          `
                        }
                      </div>
                    </li>
                  `,
              )}
            </ul>
          `
          : html`<${Empty} title=${t("challenges.none")} />`}
    <//>
    ${
      editing &&
      html`
        <${Edit}
          challenge=${editing === "new" ? null : editing}
          onDone=${done}
          onClose=${() => setEditing(null)}
        />
      `
    }
    ${
      deleting &&
      html`
        <${Confirm}
          title=${t("console.delete-challenge", { name: deleting.name })}
          text=${t("console.delete-challenge-text")}
          action=${t("action.delete")}
          onClose=${() => setDeleting(null)}
          work=${async () => {
            await client.deleteChallenge({ challengeId: deleting.id });
            await found.reload();
          }}
        />
      `
    }
    ${closing && html`<${Close} challenge=${closing} onDone=${done} onClose=${() => setClosing(null)} />`}
  `;
}

/** @param {Challenge | null} challenge */
const fields = (challenge) => ({
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

/** A reward has one field, whatever of it is refused.
 * @param {string} pointer */
const placeOf = (pointer) => /^\/(win|participate)\//.exec(pointer)?.[1].concat("/achievement/name");

/** The reward with this name; what it has beside that stays.
 * @param {"win" | "participate"} which @param {ReturnType<typeof fields>} values @param {Challenge | null}
 *   challenge */
function reward(which, values, challenge) {
  const { achievement, emblem } = challenge?.[which] ?? {
    achievement: {
      key: `${which}-${values.name}`.slice(0, 64),
      description: "",
      visibilityStart: null,
      visibilityStop: null,
    },
    emblem: { description: "", image: "", color: "#4338ca" },
  };
  const name = values[which];
  const { id, ...rest } = /** @type {any} */ (emblem);
  if (challenge && name === challenge[which].achievement.name)
    return { achievement: challenge[which].achievement, emblem: rest };
  return { achievement: { ...achievement, name }, emblem: { ...rest, name } };
}

/** @param {{challenge: Challenge | null, onDone: () => Promise<void>, onClose: () => void}} props */
function Edit({ challenge, onDone, onClose }) {
  const { values, change, save, both } = useEdit(`challenge.${challenge?.id ?? "new"}`, fields(challenge), {
    read: challenge ? (options) => client.getChallenge({ challengeId: challenge.id }, options) : null,
    fields,
    write: (values, now, options) => {
      const was = fields(now);
      /** A time that was not touched keeps its seconds, which the field has not.
       * @param {"opens" | "closes"} name */
      const time = (name) => (now && values[name] === was[name] ? now[name] : instant(values[name]));
      const body = {
        name: values.name,
        theme: values.theme,
        description: values.description,
        ordinal: Number(values.ordinal),
        opens: time("opens"),
        closes: time("closes"),
        judging: /** @type {"admins" | "votes"} */ (values.judging),
        types: /** @type {import("../client.js").ChallengeCreate["types"]} */ (now?.types ?? null),
        win: reward("win", values, now),
        participate: reward("participate", values, now),
      };
      return challenge
        ? client.replaceChallenge({ challengeId: challenge.id, body }, options)
        : client.createChallenge({ body });
    },
    done: onDone,
  });
  /** @param {string} name */
  const set = (name) => (/** @type {string} */ value) => change({ [name]: value });
  const labels = {
    ...{
      name: t("field.name"),
      theme: t("console.theme"),
      description: t("field.description"),
      ordinal: t("console.ordinal"),
    },
    ...{ opens: t("console.opens"), closes: t("console.closes"), judging: t("console.judging") },
    ...{ win: t("challenge.win"), participate: t("challenge.participate") },
  };
  const words = {
    judging: (/** @type {string} */ one) => t(one === "votes" ? "judging.votes" : "judging.admins"),
  };
  return html`
    <${Dialog} title=${t(challenge ? "action.edit" : "console.new-challenge")} onClose=${onClose}>
      <${Form}
        of=${save}
        limits=${limits.createChallenge}
        place=${placeOf}
        onSend=${() => save.run()}
      >
        <${Field} label=${t("field.name")} name="name" value=${values.name} onChange=${set("name")} />
        <${Field} label=${t("console.theme")} name="theme" value=${values.theme} onChange=${set("theme")} />
        <${Field}
          label=${t("field.description")}
          lines=${3}
          name="description"
          value=${values.description}
          onChange=${set("description")}
        />
        <${Field}
          label=${t("console.opens")}
          type="datetime-local"
          name="opens"
          value=${values.opens}
          sent=${instant(values.opens)}
          onChange=${set("opens")}
        />
        <${Field}
          label=${t("console.closes")}
          type="datetime-local"
          name="closes"
          value=${values.closes}
          sent=${instant(values.closes)}
          check=${() => values.opens && values.closes <= values.opens && t("console.until-before-from")}
          wrong=${t("console.until-before-from")}
          onChange=${set("closes")}
        />
        <${Choice}
          label=${t("console.judging")}
          name="judging"
          value=${values.judging}
          onChange=${set("judging")}
          options=${[
            ["admins", t("judging.admins")],
            ["votes", t("judging.votes")],
          ]}
        />
        <${Field}
          label=${t("challenge.win")}
          name="win/achievement/name"
          value=${values.win}
          onChange=${set("win")}
        />
        <${Field}
          label=${t("challenge.participate")}
          name="participate/achievement/name"
          value=${values.participate}
          onChange=${set("participate")}
        />
        <${Field}
          label=${t("console.ordinal")}
          inputmode="numeric"
          name="ordinal"
          required
          value=${values.ordinal}
          sent=${values.ordinal.trim()}
          onChange=${set("ordinal")}
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

/** Choose the winners among the entries.
 * @param {{challenge: Challenge, onDone: () => Promise<void>, onClose: () => void}} props */
function Close({ challenge, onDone, onClose }) {
  const challengeId = challenge.id;
  const entries = useLoad(
    (signal) => client.listChallengeEntries({ challengeId, sort: "top", limit: 100 }, { signal }),
    [challengeId],
  );
  const [winners, setWinners] = useState(/** @type {string[]} */ ([]));
  const close = useAction(async () => {
    await client.closeChallenge({ challengeId, body: { winners } });
    await onDone();
  });
  return html`
    <${Dialog} title=${t("console.close-one", { name: challenge.name })} onClose=${onClose}>
      <p>${t("console.choose-winners")}</p>
      <${Loaded} of=${entries}>
        ${(/** @type {any[]} */ all) =>
          html`
            <ul>
              ${all.map(
                (one) =>
                  html`
                    <li key=${one.id}>
                      <label class="check">
                        <input
                          type="checkbox"
                          checked=${winners.includes(one.id)}
                          onChange=${() =>
                            setWinners(
                              winners.includes(one.id)
                                ? winners.filter((id) => id !== one.id)
                                : [...winners, one.id],
                            )}
                        />${" "}
                        <span dir="auto">${one.name}</span>
                      </label>
                    </li>
                  `,
              )}
            </ul>
          `}
      <//>
      <${Alert} error=${close.error} />
      <p class="actions">
        <${Button} kind="main" busy=${close.busy} onClick=${() => close.run()}>
          ${t("console.close")}
        <//>
      </p>
    <//>
  `;
}
