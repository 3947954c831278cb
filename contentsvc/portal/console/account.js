/** `/console/users/{id}`: an account, as those see it who keep order. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { ago, moment } from "../format.js";
import { t } from "../texts.js";
import { Button } from "../parts/form.js";
import { Found } from "../parts/found.js";
import { useLoad, useSession } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { PersonLink } from "../parts/people.js";
import { Clear, NewAddress, Rename } from "./account-acts.js";
import { Actions } from "./actions.js";
import { Decisions } from "./decisions.js";
import { HoldLink } from "./due.js";
import { ChangeRole, roleName } from "./role.js";
import { banWords, Steps } from "./steps.js";

/** So much of the queue is looked through for somebody. */
const MOST = 500;

/** The reports about somebody, the newest first, where any is open: who was never reported is not in the
 * queue.
 * @param {string} id @param {AbortSignal} signal */
async function readReports(id, signal) {
  let seen = 0;
  for await (const { subject } of client.each(
    "listReportedSubjects",
    { kind: "user", limit: 100 },
    { signal },
  )) {
    if (subject.id === id) return client.listReports({ kind: "user", id, limit: 50 }, { signal });
    if (++seen >= MOST) break;
  }
  return [];
}

/** @param {{id: string, onFound: (name: string) => void}} props */
export function Account({ id, onFound }) {
  const { permissions } = useSession();
  const [changing, setChanging] = useState(false);
  const [doing, setDoing] = useState(/** @type {any} */ (null));
  const [cleared, setCleared] = useState(0);
  const close = () => setDoing(null);
  const found = useLoad((signal) => client.getModeratedUser({ userId: id }, { signal }), [id]);
  useEffect(() => void (found.data && onFound(found.data.user.username)), [found.data]);
  const reports = useLoad((signal) => readReports(id, signal), [id]);
  const [count, setCount] = useState(0);
  const reload = async () => void (await Promise.all([found.reload(), reports.reload()]));
  return html`
    <${Found} of=${found}>
      ${(/** @type {any} */ about) =>
        html`
          <div class="decide">
            <div class="decide-main">
              <p class="line">
                <${PersonLink} person=${about.user} size=${32} />
                <span class="badge static">
                  ${about.guest ? t("console.guest") : roleName(about.role)}
                </span>
                ${about.ban && html`<span class="badge warn static">${t("console.banned")}</span>`}
                ${
                  permissions.includes("administer") &&
                  !about.guest &&
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
                <${HoldLink} kind="user" id=${id} />
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
                ${
                  about.email !== null &&
                  html`
                    <dt>${t("field.e-mail")}</dt>
                    <dd>
                      <bdi>${about.email || "–"}</bdi>${" "}
                      ${
                        about.emailVerified &&
                        html`<span class="faint small">${t("settings.confirmed")}</span>`
                      }
                    </dd>
                  `
                }
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
                    <dd>
                      <span dir="auto">${about.ban.reason}</span>${" "}
                      <span class="faint small">${banWords(about.ban)}</span>
                    </dd>
                  `
                }
              </dl>
            </div>
            <div class="decide-side">
              <${Steps}
                kind="user"
                id=${id}
                about=${{
                  reports: reports.data ?? [],
                  now: about.user,
                  contentId: null,
                  author: id,
                  account: about,
                  standing: [],
                  name: about.user.username,
                }}
                reload=${reload}
                onDid=${() => setCount((was) => was + 1)}
              />
            </div>
            <div class="decide-log">
              <${Decisions} of=${{ user: id }} count=${count} onChange=${reload} />
              <section>
                <h2>${t("console.reports-title")}</h2>
                <p class="small">
                  ${
                    reports.data?.length
                      ? html`
                        <a href=${address(`/console/reports/user/${id}`)}>${t("console.reports-read")}</a>
                      `
                      : html`<span class="faint">${t("console.step-answer-none")}</span>`
                  }
                </p>
              </section>
              <section>
                <h2>${t("console.done")}</h2>
                <${Actions} key=${count} subject=${id} />
              </section>
              <section>
                <h2>${t("comments.title")}</h2>
                <${Written} id=${id} />
              </section>
            </div>
          </div>
        `}
    <//>
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
