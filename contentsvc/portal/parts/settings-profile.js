/** What others see of a player: profile, avatar and emblem. */
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { replace } from "../replace.js";
import { t } from "../texts.js";
import { Both, useEdit } from "./edit.js";
import { FileButton } from "./file-button.js";
import { about, Button, Choice, Field, Form, Problem, Refused, useId } from "./form.js";
import { useAction, useLoad } from "./hooks.js";
import { Avatar } from "./people.js";
import { readStorage } from "./pictures.js";
import { sendPicture } from "./send-picture.js";
import { words } from "./words.js";
import { Loaded } from "./states.js";

export function Profile() {
  const found = useLoad(async (signal) => {
    const [record, emblems, storage] = await Promise.all([
      client.getUser({}, { signal }),
      client.listEmblems({}, { signal }),
      readStorage(),
    ]);
    return { record, emblems, storage };
  }, []);
  return html`
    <section aria-labelledby="profile">
      <h2 id="profile">${t("settings.profile")}</h2>
      <${Loaded} of=${found}>
        ${(/** @type {any} */ there) =>
          html`<${Edit} key=${there.record.id} there=${there} reload=${found.reload} />`}
      <//>
    </section>
  `;
}

/** @typedef {import("../client.js").FullUser} Record */

/** @param {Record} record */
const fields = ({ publicProfile, emblem }) => ({
  profile: publicProfile.profile ?? "",
  emblem: emblem ?? "",
});

/** Change a part of the newest record.
 * @param {(now: Record) => Partial<import("../client.js").UserUpdate>} part
 * @param {Record} now @param {import("../replace.js").Options} options */
function put(part, now, options) {
  const { avatar, emblem, fullProfile, publicProfile } = now;
  return client.updateUser({ body: { avatar, emblem, fullProfile, publicProfile, ...part(now) } }, options);
}

/** @param {import("../replace.js").Options} options */
const read = (options) => client.getUser({}, options);

/** @param {{there: any, reload: () => Promise<void>}} props */
function Edit({ there, reload }) {
  const { record, emblems, storage } = there;
  const [saved, setSaved] = useState(false);
  const id = useId();
  const done = async () => {
    setSaved(true);
    await reload();
  };
  const { values, change, save, both } = useEdit("profile", fields(record), {
    read,
    fields,
    write: ({ profile, emblem }, now, options) =>
      put(
        ({ fullProfile }) => {
          const text = profile ? { profile } : {};
          const isOther = profile !== fields(now).profile;
          return {
            emblem: emblem || null,
            ...(isOther && { fullProfile: { ...fullProfile, ...text }, publicProfile: text }),
          };
        },
        now,
        options,
      ),
    done,
  });
  const picture = useAction(async (/** @type {File} */ file) => {
    const avatar = await sendPicture("avatar", file);
    await replace(read, (now, options) => put(() => ({ avatar }), now, options));
    await done();
  });
  const { profile, emblem } = values;
  const names = [
    ["", t("settings.no-emblem")],
    ...emblems.map((/** @type {any} */ one) => [one.id, one.name]),
  ];
  const labels = { profile: t("field.profile"), emblem: t("settings.emblem") };
  const sayings = { emblem: (/** @type {string} */ id) => names.find(([one]) => one === id)?.[1] ?? id };
  return html`
    <div class="line">
      <${Avatar} person=${record} size=${96} />
      ${
        storage.files !== "external" &&
        html`
          <div class="field">
            <label for=${id}>${t("settings.avatar")}</label>
            <div class="picture-field">
              <${FileButton}
                id=${id}
                accept=${storage.mediaTypes.join(",")}
                busy=${picture.busy}
                ...${about(id, false, picture.error ? words(picture.error) : null)}
                onChoose=${(/** @type {FileList} */ [file]) => picture.run(file)}
              >
                ${t("action.choose-picture")}
              <//>
            </div>
            <div role="alert">
              <${Problem} id=${id} text=${picture.error ? words(picture.error) : null} />
            </div>
          </div>
        `
      }
    </div>
    <${Form}
      of=${save}
      limits=${{ profile: limits.updateUser["publicProfile/profile"] }}
      place=${(/** @type {string} */ at) => (/^\/(full|public)Profile\b/.test(at) ? "profile" : null)}
      onSend=${() => save.run()}
    >
      <${Field}
        label=${labels.profile}
        lines=${4}
        name="profile"
        value=${profile}
        onChange=${(/** @type {string} */ text) => (setSaved(false), change({ profile: text }))}
      />
      ${
        emblems.length > 0 &&
        html`
          <${Choice}
            label=${labels.emblem}
            name="emblem"
            value=${emblem}
            onChange=${(/** @type {string} */ emblem) => (setSaved(false), change({ emblem }))}
            options=${names}
          />
        `
      }
      <${Both} of=${both} labels=${labels} words=${sayings} />
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${save.busy}>
          ${t("action.save")}
        <//>
        ${
          saved &&
          html`
            <span role="status" class="small">
              ${t("settings.saved")}
            </span>
          `
        }
      </p>
    <//>
  `;
}
