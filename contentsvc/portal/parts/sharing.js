/** Who sees what somebody has made, and who tests it or works on it: for its author. */
import { html, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { replace } from "../replace.js";
import { ago } from "../format.js";
import { t, Told } from "../texts.js";
import { Alert, Button, Choice, Field, Form, Refused } from "./form.js";
import { useAction, useDraft, useInstant, useLoad } from "./hooks.js";
import { PersonLink } from "./people.js";
import { Unfit } from "./words.js";
import { Loaded } from "./states.js";

const VISIBILITIES = /** @type {const} */ (["public", "unlisted", "friends", "private"]);

/** All of them as the options of a choice.
 * @returns {[string, string][]} */
export const visibilities = () => VISIBILITIES.map((name) => [name, t(`visibility.${name}`)]);

/** @typedef {{user: import("../client.js").UserInfo, since: number, accepted: boolean, role: "tester" |
 *   "editor"}} Guest */

/** @param {string} contentId @param {AbortSignal} signal
 * @returns {Promise<Guest[]>} */
async function read(contentId, signal) {
  const [members, testers] = await Promise.all([
    client.listMembers({ contentId, limit: 100 }, { signal }),
    client.listTesters({ contentId, limit: 100 }, { signal }),
  ]);
  return [
    ...members.map((one) => ({ ...one, role: /** @type {const} */ ("editor") })),
    ...testers.map((one) => ({ ...one, accepted: true, role: /** @type {const} */ ("tester") })),
  ];
}

/** @type {Record<string, import("../texts.js").Key>} */
const REFUSED = { quota_exceeded: "sharing.full" };

/** @param {{content: import("../client.js").ContentDetail,
 *   found: import("./hooks.js").Loaded<import("../client.js").ContentDetail>, onMembers: () => void}}
 *   props */
export default function Sharing({ content, found, onMembers }) {
  const contentId = content.id;
  const act = useInstant(found);
  const guests = useLoad((signal) => read(contentId, signal), [contentId]);
  const remove = useInstant(guests);
  /** @param {any} visibility */
  const see = (visibility) =>
    act.run(
      (was) => ({ ...was, visibility }),
      () =>
        replace(
          (options) => client.getContent({ contentId }, options),
          (now, options) => {
            if (now.visibility === content.visibility)
              return client.setContentVisibility({ contentId, body: { visibility } }, options);
            void found.reload();
            throw new Told("edit.moved");
          },
        ),
    );
  /** @param {Guest} one */
  const end = async (one) => {
    const parameters = { contentId, otherId: one.user.id };
    await remove.run(
      (all) => all.filter((other) => other !== one),
      () => (one.role === "tester" ? client.removeTester(parameters) : client.removeMember(parameters)),
    );
    onMembers();
  };
  return html`
    <section class="owner stack" aria-labelledby="sharing">
      <h2 id="sharing">${t("sharing.title")}</h2>
      <div class="narrow-field">
        <${Choice}
          label=${t("field.visibility")}
          value=${content.visibility}
          options=${visibilities()}
          onChange=${see}
        />
      </div>
      <p class="hint">${t(`visibility-text.${content.visibility}`)}</p>
      <${Alert} error=${act.error} />
      <${Loaded} of=${guests}>
        ${(/** @type {Guest[]} */ all) =>
          all.length > 0 &&
          html`
            <ul class="rows" aria-label=${t("sharing.guests")}>
              ${all.map(
                (one) =>
                  html`
                    <li key=${`${one.role} ${one.user.id}`}>
                      <div class="line">
                        <${PersonLink} person=${one.user} />
                        <span class="badge static">${t(`role-of.${one.role}`)}</span>
                        <span class="faint small">
                          ${t(one.accepted ? "library.since" : "sharing.invited", { when: ago(one.since) })}
                        </span>
                        <span class="actions">
                          <button
                            type="button"
                            class="button plain small"
                            aria-label=${t("collections.take-out", { name: one.user.username })}
                            onClick=${() => end(one)}
                          >
                            ${t("action.remove")}
                          </button>
                        </span>
                      </div>
                    </li>
                  `,
              )}
            </ul>
          `}
      <//>
      <${Alert} error=${remove.error} />
      ${content.status !== "deleted" && html`<${Invite} contentId=${contentId} onDone=${guests.reload} />`}
    </section>
  `;
}

/** @param {{contentId: string, onDone: () => Promise<void>}} props */
function Invite({ contentId, onDone }) {
  const [{ name, role }, change, forget] = useDraft(`invite.${contentId}`, { name: "", role: "tester" });
  const [did, setDid] = useState("");
  const send = useAction(async () => {
    setDid("");
    const asked = name.trim();
    // A search takes three letters, which every name has.
    const found = asked.length < 3 ? [] : (await client.searchUsers({ q: asked, pageSize: 50 })).items;
    const person = found.find(({ username }) => username.toLowerCase() === asked.toLowerCase());
    if (!person) throw new Unfit({ name: t("sharing.nobody", { name: asked }) });
    const parameters = { contentId, otherId: person.id };
    await (role === "tester" ? client.addTester(parameters) : client.putMember(parameters));
    forget();
    setDid(t("sharing.did", { name: person.username }));
    await onDone();
  });
  return html`
    <${Form} class="invite" of=${send} instead=${REFUSED} place=${() => "name"} onSend=${() => send.run()}>
      <${Field}
        label=${t("field.username")}
        value=${name}
        name="name"
        required
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        onChange=${(/** @type {string} */ name) => change({ name })}
      />
      <${Choice}
        label=${t("sharing.role")}
        value=${role}
        options=${[
          ["tester", t("role-of.tester")],
          ["editor", t("role-of.editor")],
        ]}
        onChange=${(/** @type {string} */ role) => change({ role })}
      />
      <${Button} type="submit" busy=${send.busy}>
        ${t("sharing.invite")}
      <//>
      <${Refused} />
    <//>
    <p class="hint">${t(/** @type {any} */ (`sharing.${role}-text`))}</p>
    <p class="small" role="status">
      ${did}
    </p>
  `;
}
