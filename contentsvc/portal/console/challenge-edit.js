/** The form of a design challenge: its definition, what may enter, and its rewards. */
import { html, useRef } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { instant, local } from "../format.js";
import { t } from "../texts.js";
import { Both, useEdit } from "../parts/edit.js";
import {
  about,
  Button,
  Choice,
  Dialog,
  Field,
  Form,
  Problem,
  Refused,
  useField,
  useId,
} from "../parts/form.js";
import { useAction, useLoad } from "../parts/hooks.js";
import { typeName } from "../parts/names.js";
import { Picture, readStorage } from "../parts/pictures.js";
import { sendPicture } from "../parts/send-picture.js";
import { typeOptions } from "../parts/types.js";
import { words } from "../parts/words.js";

/** @typedef {import("../client.js").Challenge} Challenge */
/** @typedef {"win" | "participate"} Which */

const WHICH = /** @type {const} */ (["win", "participate"]);
const COLOUR = "#4338ca";

/** The fields of one reward, with its name before each.
 * @param {Which} which @param {Challenge | null} challenge
 * @returns {Record<string, string>} */
function rewardFields(which, challenge) {
  const { achievement, emblem } = challenge?.[which] ?? {};
  return {
    [which]: achievement?.name ?? "",
    [`${which}Text`]: achievement?.description ?? "",
    [`${which}Image`]: emblem?.image ?? "",
    [`${which}Color`]: emblem?.color ?? COLOUR,
  };
}

/** @param {Challenge | null} challenge
 * @returns {Record<string, any>} */
const fields = (challenge) => ({
  name: challenge?.name ?? "",
  theme: challenge?.theme ?? "",
  description: challenge?.description ?? "",
  ordinal: String(challenge?.ordinal ?? 0),
  opens: local(challenge?.opens),
  closes: local(challenge?.closes),
  judging: challenge?.judging ?? "admins",
  types: challenge?.types ?? [],
  ...rewardFields("win", challenge),
  ...rewardFields("participate", challenge),
});

/** The achievement and the emblem of a reward have one name and one text in the form.
 * @param {string} pointer */
const placeOf = (pointer) =>
  /^\/(win|participate)\/(achievement\/key|emblem\/name)/.test(pointer)
    ? `${pointer.split("/")[1]}/achievement/name`
    : /^\/(win|participate)\/emblem\/description/.test(pointer)
      ? `${pointer.split("/")[1]}/achievement/description`
      : null;

/** A reward as it is sent. What the form does not change of it stays, also where emblem and achievement
 * have names or texts of their own.
 * @param {Which} which @param {Record<string, any>} values @param {Challenge | null} challenge */
function reward(which, values, challenge) {
  const was = challenge?.[which];
  const [name, description] = [values[which], values[`${which}Text`]];
  const { id, ...emblem } = /** @type {any} */ (was?.emblem ?? {});
  const achievement = was?.achievement ?? {
    key: `${which}-${values.name}`.slice(0, 64),
    visibilityStart: null,
    visibilityStop: null,
  };
  const changed = {
    ...(name !== was?.achievement.name && { name }),
    ...(description !== was?.achievement.description && { description }),
  };
  return /** @type {import("../client.js").ChallengeCreate["win"]} */ ({
    achievement: { ...achievement, ...changed },
    emblem: { ...emblem, ...changed, image: values[`${which}Image`], color: values[`${which}Color`] },
  });
}

/** @param {{challenge: Challenge | null, onDone: () => Promise<void>, onClose: () => void}} props */
export function Edit({ challenge, onDone, onClose }) {
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
        types: values.types.length ? values.types : null,
        win: reward("win", values, now),
        participate: reward("participate", values, now),
      };
      return challenge
        ? client.replaceChallenge({ challengeId: challenge.id, body }, options)
        : client.createChallenge({ body });
    },
    done: onDone,
  });
  const storage = useLoad(readStorage, []).data;
  /** @param {string} name */
  const set = (name) => (/** @type {any} */ value) => change({ [name]: value });
  const labels = {
    ...{
      name: t("field.name"),
      theme: t("console.theme"),
      description: t("field.description"),
      ordinal: t("console.ordinal"),
    },
    ...{ opens: t("console.opens"), closes: t("console.closes"), judging: t("console.judging") },
    types: t("console.types"),
    ...rewardLabels("win"),
    ...rewardLabels("participate"),
  };
  const sayings = {
    judging: (/** @type {string} */ one) => t(one === "votes" ? "judging.votes" : "judging.admins"),
    types: (/** @type {string[]} */ all) => all.map(typeName).join(", ") || t("type.all"),
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
        <div class="times">
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
        </div>
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
        <${Types} value=${values.types} onChange=${set("types")} />
        <fieldset class="stack">
          <legend>${t("challenge.rewards")}</legend>
          ${WHICH.map(
            (which) =>
              html`
                <${Reward}
                  key=${which}
                  which=${which}
                  id=${challenge?.[which].emblem.id ?? which}
                  values=${values}
                  change=${change}
                  storage=${storage}
                />
              `,
          )}
        </fieldset>
        <${Field}
          label=${t("console.ordinal")}
          inputmode="numeric"
          name="ordinal"
          required
          value=${values.ordinal}
          sent=${values.ordinal.trim()}
          onChange=${set("ordinal")}
        />
        <${Both} of=${both} labels=${labels} words=${sayings} />
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

/** @param {Which} which
 * @returns {Record<string, string>} */
const rewardLabels = (which) => ({
  [which]: t(`challenge.${which}`),
  [`${which}Text`]: t(`console.${which}-text`),
  [`${which}Image`]: t(`console.${which}-picture`),
  [`${which}Color`]: t(`console.${which}-colour`),
});

/** What may enter: types, or all, where none is chosen.
 * @param {{value: string[], onChange: (value: string[]) => void}} props */
function Types({ value, onChange }) {
  const id = useId();
  const [problem, forget] = useField("types", { value: value.length ? value : null });
  const known = typeOptions();
  const all = [
    ...known,
    ...value.filter((one) => !known.some(([name]) => name === one)).map((one) => [one, typeName(one)]),
  ];
  /** @param {string} name */
  const turn = (name) => {
    forget();
    onChange(value.includes(name) ? value.filter((one) => one !== name) : [...value, name]);
  };
  return html`
    <fieldset ...${about(id, true, problem)}>
      <legend>${t("console.types")}</legend>
      <div class="types">
        ${all.map(
          ([name, text]) =>
            html`
              <label class="check" key=${name}>
                <input type="checkbox" checked=${value.includes(name)} onChange=${() => turn(name)} />${" "}
                <span dir="auto">${text}</span>
              </label>
            `,
        )}
      </div>
      <p class="hint" id=${`${id}-hint`}>
        ${t("console.types-hint")}
      </p>
      <${Problem} id=${id} text=${problem} />
    </fieldset>
  `;
}

/** What somebody gets: a name, a text, and an emblem with a picture and a colour.
 * @param {{which: Which, id: string, values: Record<string, any>, change: (part: Record<string, any>) =>
 *   void, storage: import("../client.js").StorageInfo | undefined}} props */
function Reward({ which, id, values, change, storage }) {
  const labels = rewardLabels(which);
  /** @param {string} name */
  const set = (name) => (/** @type {string} */ value) => change({ [name]: value });
  return html`
    <div class="owner stack">
      <${Field}
        label=${labels[which]}
        name=${`${which}/achievement/name`}
        value=${values[which]}
        onChange=${set(which)}
      />
      <${Field}
        label=${labels[`${which}Text`]}
        lines=${2}
        name=${`${which}/achievement/description`}
        value=${values[`${which}Text`]}
        onChange=${set(`${which}Text`)}
      />
      <div class="emblem-fields">
        <${Image}
          label=${labels[`${which}Image`]}
          name=${`${which}/emblem/image`}
          emblem=${id}
          value=${values[`${which}Image`]}
          onChange=${set(`${which}Image`)}
          storage=${storage}
        />
        <${Field}
          label=${labels[`${which}Color`]}
          type="color"
          name=${`${which}/emblem/color`}
          value=${values[`${which}Color`]}
          onChange=${set(`${which}Color`)}
        />
      </div>
    </div>
  `;
}

/** A picture, sent as soon as it is chosen. Where files lie elsewhere, its path.
 * @param {{label: string, name: string, emblem: string, value: string, onChange: (path: string) => void,
 *   storage: import("../client.js").StorageInfo | undefined}} props */
function Image({ label, name, emblem, value, onChange, storage }) {
  const id = useId();
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const send = useAction(async (/** @type {File} */ file) => onChange(await sendPicture("emblem", file)));
  const needed = t("console.picture-needed");
  const [mark, forget] = useField(name, { value, required: true, needed, wrong: needed });
  const problem = send.error ? words(send.error) : mark;
  if (storage?.files === "external")
    return html`
      <${Field}
        label=${label}
        name=${name}
        needed=${needed}
        value=${value}
        onChange=${onChange}
        hint=${t("console.picture-path")}
        spellcheck="false"
      />
    `;
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <div class="emblem-field">
        <${Picture} path=${value || null} name="" id=${emblem} width=${64} height=${64} kind="emblem" />
        <input
          id=${id}
          class="unseen"
          ref=${input}
          type="file"
          accept=${storage?.mediaTypes.join(",")}
          ...${about(id, true, problem)}
          onChange=${(/** @type {any} */ event) => {
            const [file] = event.target.files;
            forget();
            if (file) void send.run(file);
          }}
        />
        <${Button} tabindex="-1" aria-hidden="true" busy=${send.busy} onClick=${() => input.current?.click()}>
          ${t("console.picture-choose")}
        <//>
      </div>
      <p class="hint" id=${`${id}-hint`} role="status">
        ${t(send.busy ? "console.picture-sending" : value ? "console.picture-there" : "console.picture-hint")}
      </p>
      <${Problem} id=${id} text=${problem} />
    </div>
  `;
}
