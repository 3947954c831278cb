/** What its author can do with content, and of that those who work on it with them. */
import { html, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { takeAway } from "../undo.js";
import { Alert, Button } from "./form.js";
import { useGone } from "./gone.js";
import { useChange, useInstant } from "./hooks.js";
import { Lazy } from "./lazy.js";
import { groupsFor } from "./tag-names.js";

/** @typedef {import("../client.js").ContentDetail} Detail */
/** @typedef {import("./hooks.js").Loaded<Detail>} Read */

/** @param {{content: Detail, found: Read, own: boolean, id: string, onEdit: () => void,
 *   onMembers: () => void}} props `id` is that of the section, which a button shows */
export function Manage({ content, found, own, id, onEdit, onMembers }) {
  const contentId = content.id;
  const act = useChange(found.reload);
  const withdraw = () =>
    act.run(async () => {
      await client.deleteContent({ contentId });
      takeAway({
        key: `content ${contentId}`,
        what: "withdrawn",
        name: content.name,
        send: null,
        back: () => client.restoreContent({ contentId }),
      });
    });
  const restore = () => act.run(() => client.restoreContent({ contentId }));
  const lock = useInstant(found);
  const locked = !content.commentsLocked;
  const setLocked = () =>
    lock.run(
      (was) => ({ ...was, commentsLocked: locked }),
      () => client.setCommentsLocked({ contentId, body: { locked } }),
    );
  const deleted = content.status === "deleted";
  return html`
    <section class="owner stack" id=${id} aria-label=${t(own ? "content.owner" : "content.member")}>
      <p class="actions">
        ${content.status === "active" && html`<${Button} onClick=${onEdit}>${t("action.edit")}<//>`}
        ${
          !deleted &&
          html`
            <a class="button plain" href=${address(`/publish/${contentId}`)}>
              ${t("content.revise")}
            </a>
          `
        }
        ${
          own &&
          html`
            <a class="button plain" href=${address(`/content/${contentId}/statistics`)}>
              ${t("statistics.title")}
            </a>
            <${Button} busy=${lock.busy} aria-pressed=${content.commentsLocked} onClick=${setLocked}>
              ${t("content.lock")}
            <//>
            ${
              deleted
                ? html`
                  <${Button} busy=${act.busy} onClick=${restore}>
                    ${t("action.restore")}
                  <//>
                `
                : html`
                  <${Button} kind="danger" busy=${act.busy} onClick=${withdraw}>
                    ${t("action.withdraw")}
                  <//>
                `
            }
          `
        }
      </p>
      <${Alert} error=${act.error ?? lock.error} />
      ${
        own &&
        html`
          <${Lazy}
            of="sharing"
            load=${() => import("./sharing.js")}
            content=${content}
            found=${found}
            onMembers=${onMembers}
          />
        `
      }
    </section>
  `;
}

/** Content that was withdrawn here is read again when that is taken back, wherever it was shown.
 * @param {Detail} content @param {Read} found */
export function useWithdrawn(content, found) {
  useGone("content", (id) => id === content.id && found.reload());
}

/** What staff can do: choose what everybody is shown, judge, and help an author who has withdrawn it by a
 * slip.
 * @param {{content: Detail, found: Read, own: boolean, may: (permission: string) => boolean}} props */
export function Staff({ content, found, own, may }) {
  const act = useInstant(found);
  const back = useChange(found.reload);
  const contentId = content.id;
  const featured = !content.featured;
  const other = () => client.setContentFeatured({ contentId, body: { featured } });
  const [isTagging, setTagging] = useState(false);
  return html`
    <p class="actions staff">
      ${
        may("curate") &&
        html`
          <${Button}
            class="button plain small"
            busy=${act.busy}
            onClick=${() => act.run((was) => ({ ...was, featured }), other)}
          >
            ${t(content.featured ? "console.unfeature" : "console.feature")}
          <//>
        `
      }
      ${
        may("curate") &&
        content.status !== "deleted" &&
        groupsFor(content.type, true).length > 0 &&
        html`
          <${Button} class="button plain small" onClick=${() => setTagging(true)}>${t("tags.staff")}<//>
        `
      }
      ${
        may("moderate") &&
        html`
          <a class="button plain small" href=${address(`/console/reports/content/${contentId}`)}>
            ${t("action.moderate")}
          </a>
        `
      }
      ${
        may("administer") &&
        !own &&
        html`
          <a class="button plain small" href=${address(`/content/${contentId}/statistics`)}>
            ${t("statistics.title")}
          </a>
        `
      }
      ${
        may("administer") &&
        !own &&
        content.status === "deleted" &&
        html`
          <${Button}
            class="button plain small"
            busy=${back.busy}
            onClick=${() => back.run(() => client.restoreContent({ contentId }))}
          >
            ${t("action.restore")}
          <//>
        `
      }
    </p>
    <${Alert} error=${act.error ?? back.error} />
    ${
      isTagging &&
      html`
        <${Lazy}
          of="staff-tags"
          load=${() => import("./staff-tags.js")}
          contentId=${contentId}
          name=${content.name}
          onClose=${() => setTagging(false)}
          onDone=${found.reload}
        />
      `
    }
  `;
}
