/** `/library/memberships`: what others let the visitor test, or work on with them. */
import { html } from "../vendor/preact.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { ago } from "../format.js";
import { t } from "../texts.js";
import { Folded } from "../parts/folded.js";
import { Alert, Button } from "../parts/form.js";
import { useInstant, useNews, useSession } from "../parts/hooks.js";
import { LibraryFrame } from "../parts/library-frame.js";
import { List, useList } from "../parts/list.js";
import { typeName } from "../parts/names.js";
import { Picture } from "../parts/pictures.js";
import { Empty } from "../parts/states.js";
import { When } from "../parts/when.js";

/** @typedef {import("../client.js").Membership} Membership */
/** @typedef {{items: Membership[], next: object | null}} Found */

export default function Memberships() {
  const { user } = useSession();
  return html`
    <${LibraryFrame} place="/library/memberships">
      ${user && html`<${All} key=${user.id} user=${user.id} />`}
    <//>
  `;
}

/** @param {{user: string}} props */
function All({ user }) {
  const found = useList("listMemberships", { limit: 50 }, []);
  useNews("notification", ({ notification }) => {
    if (/^(Tester|Member)Invited$/.test(notification.kind)) void found.reload();
  });
  const act = useInstant(found);
  /** @param {Membership} one @param {Membership | null} now */
  const becomes = (one, now) => (/** @type {Found} */ was) => ({
    ...was,
    items: was.items.flatMap((other) => (other !== one ? [other] : now ? [now] : [])),
  });
  /** @param {Membership} one */
  const item = (one) => {
    const { content, role, accepted, since } = one;
    const parameters = { contentId: content.id, otherId: user };
    const leave = () =>
      act.run(becomes(one, null), () =>
        role === "tester" ? client.removeTester(parameters) : client.removeMember(parameters),
      );
    return html`
      <${Folded} by=${content.authorId}>
        <article class="saved" aria-label=${content.name}>
          <${Picture}
            path=${content.thumbnailUri}
            name=${content.name}
            id=${content.id}
            width=${160}
            height=${90}
            since=${content.created}
          />
          <div>
            <h3 dir="auto">
              <a href=${address(`/content/${content.id}`)}>${content.name}</a>
            </h3>
            <p class="facts small faint">
              <bdi>${content.authorUsername}</bdi>
              <span>${typeName(content.type)}</span>
              <${When} at=${since} kind="">${t("library.since", { when: ago(since) })}<//>
            </p>
            <p class="facts small">
              <span class="badge static">${t(`role-of.${role}`)}</span>
              ${
                content.visibility !== "public" &&
                html`<span class="badge static">${t(`visibility.${content.visibility}`)}</span>`
              }
              ${!accepted && html`<span>${t("memberships.invited")}</span>`}
            </p>
          </div>
          <p class="actions">
            ${
              accepted
                ? html`
                  <${Button} class="button plain small" busy=${act.busy} onClick=${leave}>
                    ${t("action.leave")}
                  <//>
                `
                : html`
                  <${Button}
                    class="button main small"
                    busy=${act.busy}
                    onClick=${() =>
                      act.run(becomes(one, { ...one, accepted: true }), () => client.putMember(parameters))}
                  >
                    ${t("action.accept")}
                  <//>
                  <${Button} class="button plain small" busy=${act.busy} onClick=${leave}>
                    ${t("action.decline")}
                  <//>
                `
            }
          </p>
        </article>
      <//>
    `;
  };
  return html`
    <p class="faint">${t("memberships.lead")}</p>
    <h2 class="unseen">${t("library.memberships")}</h2>
    <${List}
      of=${found}
      kind="rows shelf"
      label=${t("library.memberships")}
      item=${item}
      empty=${html`<${Empty} title=${t("memberships.none")} text=${t("memberships.none-text")} />`}
    />
    <${Alert} error=${act.error} />
  `;
}
