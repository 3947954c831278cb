/** What others see of a player: profile, avatar and emblem. */
import { html, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { Alert, Button, Choice, Field, Form, useId } from "./form.js";
import { useAction, useDraft, useLoad } from "./hooks.js";
import { Avatar } from "./people.js";
import { readStorage, uploaded } from "./pictures.js";
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
  return html`<section aria-labelledby="profile"><h2 id="profile">${t("settings.profile")}</h2>
    <${Loaded} of=${found}>${(/** @type {any} */ about) => html`<${Edit} key=${about.record.id} about=${about} reload=${found.reload} />`}<//></section>`;
}

/** @param {{about: any, reload: () => Promise<void>}} props */
function Edit({ about, reload }) {
  const { record, emblems, storage } = about;
  const was = { profile: record.publicProfile.profile ?? "", emblem: record.emblem ?? "" };
  const [{ profile, emblem }, change, forget] = useDraft("profile", was);
  const [saved, setSaved] = useState(false);
  const id = useId();
  /** @param {string | null} avatar */
  const put = async (avatar) => {
    const text = profile ? { profile } : {};
    await client.updateUser({ body: { avatar, emblem: emblem || null, fullProfile: { ...record.fullProfile, ...text }, publicProfile: text } });
    setSaved(true);
    await reload();
    forget();
  };
  const save = useAction(() => put(record.avatar));
  const picture = useAction(async (/** @type {File} */ file) => {
    const [path] = await client.upload([{ use: "avatar", data: file, mediaType: file.type }]);
    uploaded([path]);
    await put(path);
  });
  return html`<div class="line"><${Avatar} person=${record} size=${96} />
      ${storage.files !== "external" && html`<div class="field"><label for=${id}>${t("settings.avatar")}</label>
        <input id=${id} type="file" accept=${storage.mediaTypes.join(",")} onChange=${(/** @type {any} */ event) => event.target.files[0] && picture.run(event.target.files[0])} />
        <${Alert} error=${picture.error} /></div>`}</div>
    <${Form} onSend=${() => save.run()}>
      <${Field} label=${t("field.profile")} lines=${4} value=${profile} onChange=${(/** @type {string} */ text) => (setSaved(false), change({ profile: text }))} />
      ${emblems.length > 0 && html`<${Choice} label=${t("settings.emblem")} value=${emblem} onChange=${(/** @type {string} */ emblem) => change({ emblem })}
        options=${[["", t("settings.no-emblem")], ...emblems.map((/** @type {any} */ one) => [one.id, one.name])]} />`}
      <${Alert} error=${save.error} />
      <p class="actions"><${Button} type="submit" kind="main" busy=${save.busy}>${t("action.save")}<//>
        ${saved && html`<span role="status" class="small">${t("settings.saved")}</span>`}</p>
    <//>`;
}
