/** `/console/users` and `/console/users/{id}`: an account, as those see it who keep order. */
import { guid } from "../client.js";
import { html, useEffect, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { address, go } from "../router.js";
import { ago, moment } from "../format.js";
import { t } from "../texts.js";
import { Button, Field, Form, Refused } from "../parts/form.js";
import { Found } from "../parts/found.js";
import { useAction, useChange, useDraft, useLoad, useSession } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { PersonLink } from "../parts/people.js";
import { Clear, NewAddress, Rename } from "./account-acts.js";
import { Actions } from "./actions.js";
import { Frame } from "./frame.js";
import { demand, lookup } from "./reasons.js";
import { ChangeRole, roleName } from "./role.js";

/** @param {import("../router.js").PlaceProps} props */
export default function Users({ parameters }) {
  const [of, setOf] = useState("");
  return html`
    <${Frame} place="/console/users" title=${of || undefined}>
      ${
        parameters.id
          ? html`<${Account} key=${parameters.id} id=${parameters.id} onFound=${setOf} />`
          : html`<${Find} />`
      }
    <//>
  `;
}

/** By the whole name or address; a part of a name is looked for by Browse's kind of search. */
function Find() {
  const [asked, setAsked] = useState("");
  const [near, setNear] = useState(/** @type {any[]} */ ([]));
  const find = useAction(async () => {
    const found = await client.listModeratedUsers(asked.includes("@") ? { email: asked } : { name: asked });
    if (found[0]) return void (await go(`/console/users/${found[0].user.id}`));
    setNear(asked.length >= 3 && !asked.includes("@") ? (await client.searchUsers({ q: asked })).items : []);
  });
  return html`
    <${Form}
      class="narrow-field"
      of=${find}
      limits=${lookup(asked)}
      place=${() => "name"}
      onSend=${() => find.run()}
    >
      <${Field}
        label=${t("console.name-or-address")}
        name="name"
        required
        value=${asked}
        onChange=${setAsked}
      />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${find.busy}>
          ${t("action.search")}
        <//>
      </p>
      <${Refused} />
    <//>
    <ul class="rows">
      ${near.map(
        (one) =>
          html`
            <li key=${one.id}>
              <a href=${address(`/console/users/${one.id}`)}>
                <bdi>${one.username}</bdi>
              </a>
            </li>
          `,
      )}
    </ul>
  `;
}

/** @param {{id: string, onFound: (name: string) => void}} props */
function Account({ id, onFound }) {
  const { permissions } = useSession();
  const [changing, setChanging] = useState(false);
  const [doing, setDoing] = useState(/** @type {any} */ (null));
  const [cleared, setCleared] = useState(0);
  const close = () => setDoing(null);
  const found = useLoad((signal) => client.getModeratedUser({ userId: id }, { signal }), [id]);
  useEffect(() => void (found.data && onFound(found.data.user.username)), [found.data]);
  // The id is kept with the reason, so that a warning that is sent again is one.
  const [{ reason, id: writeId }, change, forget] = useDraft(`user.${id}`, { reason: "", id: "" });
  const act = useChange(async () => {
    forget();
    await found.reload();
  });
  return html`
    <${Found} of=${found}>
      ${(/** @type {any} */ about) =>
        html`
          <p class="line">
            <${PersonLink} person=${about.user} size=${32} />
            <span class="badge static">${roleName(about.role)}</span>
            ${about.ban && html`<span class="badge warn static">${t("console.banned")}</span>`}
            ${
              permissions.includes("administer") &&
              html`<${Button} onClick=${() => setChanging(true)}>${t("console.change-role")}<//>`
            }
          </p>
          ${
            changing &&
            html`
              <${ChangeRole}
                id=${id}
                username=${about.user.username}
                role=${about.role}
                onDone=${found.reload}
                onClose=${() => setChanging(false)}
              />
            `
          }
          <p class="actions">
            <${Button} aria-haspopup="dialog" onClick=${() => setDoing(() => Rename)}>
              ${t("console.rename")}
            <//>
            ${
              permissions.includes("administer") &&
              html`
                <${Button} aria-haspopup="dialog" onClick=${() => setDoing(() => NewAddress)}>
                  ${t("console.new-address")}
                <//>
              `
            }
            <${Button} kind="danger" aria-haspopup="dialog" onClick=${() => setDoing(() => Clear)}>
              ${t("console.clear")}
            <//>
          </p>
          ${
            cleared > 0 &&
            html`
              <p role="status" class="small">
                ${t("console.cleared")}
              </p>
            `
          }
          ${
            doing &&
            html`
              <${doing}
                id=${id}
                username=${about.user.username}
                onClose=${close}
                onDone=${async () => (doing === Clear && setCleared(cleared + 1), await found.reload())}
              />
            `
          }
          <dl>
            <dt>${t("field.e-mail")}</dt>
            <dd>
              <bdi>${about.email || "–"}</bdi>${" "}
              ${about.emailVerified && html`<span class="faint small">${t("settings.confirmed")}</span>`}
            </dd>
            <dt>${t("console.created")}</dt>
            <dd title=${moment(about.created)}>${ago(about.created)}</dd>
            <dt>${t("settings.sessions")}</dt>
            <dd>${about.sessions}</dd>
            ${
              about.identities?.length > 0 &&
              html`
                <dt>${t("settings.identities")}</dt>
                <dd>
                  ${about.identities
                    .map((/** @type {any} */ one) => `${one.issuer} ${one.subject}`)
                    .join(", ")}
                </dd>
              `
            }
            ${
              about.ban &&
              html`
                <dt>${t("console.ban-reason")}</dt>
                <dd dir="auto">${about.ban.reason}</dd>
              `
            }
          </dl>
          <${Form} class="owner" of=${act} onSend=${() => {}}>
            <${Field}
              label=${t("field.reason")}
              name="reason"
              value=${reason}
              onChange=${(/** @type {string} */ reason) => change({ reason, id: guid() })}
              hint=${t("console.reason-hint")}
            />
            <p class="actions">
              <${Button}
                busy=${act.busy}
                onClick=${() =>
                  act.run(async () => {
                    demand(reason, limits.warnUser.reason);
                    await client.warnUser({ userId: id, body: { reason, id: writeId } });
                  })}
              >
                ${t("console.warn")}
              <//>
              ${
                about.ban
                  ? html`
                    <${Button}
                      busy=${act.busy}
                      onClick=${() => act.run(() => client.unbanUser({ userId: id }))}
                    >
                      ${t("console.lift")}
                    <//>
                  `
                  : html`
                    <${Button}
                      kind="danger"
                      busy=${act.busy}
                      onClick=${() =>
                        act.run(async () => {
                          demand(reason, limits.banUser.reason);
                          await client.banUser({ userId: id, body: { reason } });
                        })}
                    >
                      ${t("console.ban")}
                    <//>
                  `
              }
            </p>
            <${Refused} />
          <//>
        `}
    <//>
    <section>
      <h2>${t("console.done")}</h2>
      <${Actions} subject=${id} />
    </section>
    <section>
      <h2>${t("comments.title")}</h2>
      <${Written} id=${id} />
    </section>
  `;
}

/** @param {{id: string}} props */
function Written({ id }) {
  const found = useList("listUserComments", { userId: id, limit: 20 }, [id]);
  return html`
    <${List}
      of=${found}
      item=${(/** @type {any} */ { content, comment }) =>
        html`
          <p class="text" dir="auto">
            ${comment.deleted ? t("comments.deleted") : comment.body}
          </p>
          <p class="small">
            <a href=${address(`/content/${content}#comment-${comment.id}`)}>
              ${t("console.on-content")}
            </a>${" "}
            <span class="faint">${ago(comment.created)}</span>
          </p>
        `}
      empty=${html`<p class="faint">${t("comments.none")}</p>`}
    />
  `;
}
