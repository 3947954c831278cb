/** `/content/{id}`: one thing that somebody has published. */
import { html, useState } from "../vendor/preact.js";
import { game } from "../game.js";
import { inGame } from "../layout.js";
import { client, may } from "../session.js";
import { address, logInAddress } from "../router.js";
import { t } from "../texts.js";
import { AddToCollection } from "../parts/add-to-collection.js";
import { AttributeList } from "../parts/attributes.js";
import { Comments } from "../parts/comments.js";
import { Badges, Facts, Numbers, Suspended } from "../parts/content-facts.js";
import { CopyLink } from "../parts/copy-link.js";
import { Files, Progress, useDownloadAll, useFiles } from "../parts/downloads.js";
import { Fit } from "../parts/fit.js";
import { Folded, useBlocks } from "../parts/folded.js";
import { Alert, Button } from "../parts/form.js";
import { Found } from "../parts/found.js";
import { Gallery } from "../parts/gallery.js";
import { useChange, useKept, useLoad, useNews, useSession, useTitle } from "../parts/hooks.js";
import { Icon } from "../parts/icons.js";
import { Favourite, Subscribe } from "../parts/keep.js";
import { Lazy } from "../parts/lazy.js";
import { Manage, Staff, useWithdrawn } from "../parts/manage.js";
import { Menu, Turn } from "../parts/menu.js";
import { PersonLink } from "../parts/people.js";
import { Dependents, MoreBy, Uses } from "../parts/related.js";
import { Report } from "../parts/report.js";
import { Revisions } from "../parts/revisions.js";
import { Shaped, shapeable, shotsOf } from "../parts/shaped.js";
import { tagName } from "../parts/tag-names.js";
import { Team } from "../parts/team.js";
import { Votes } from "../parts/votes.js";

/** @typedef {import("../client.js").ContentDetail} Detail */
/** @typedef {import("../parts/hooks.js").Loaded<Detail>} Read */

/** What the button `Manage` shows. */
const MANAGED = "managed";
/** A longer name is written smaller. */
const LONG = 60;

/** @param {import("../router.js").PlaceProps} props */
export default function Content({ parameters }) {
  const contentId = parameters.id;
  const { user } = useSession();
  const found = useLoad(
    async (signal) => {
      const content = await client.getContent({ contentId, ...game() }, { signal });
      await shapeable(content.description);
      return content;
    },
    [contentId, user?.id],
  );
  const isBlocked = useBlocks(found.data?.authorId);
  useTitle((!isBlocked && found.data?.name) || t("place.content"));
  useNews("notification", ({ notification }) => {
    if (notification.content === contentId && /^(Content|Revision)/.test(notification.kind))
      void found.reload();
  });
  return html`
    <${Found} of=${found}>
      ${(/** @type {Detail} */ content) =>
        html`
          <${Folded} by=${content.authorId} title=${t("place.content")}>
            <${Shown} key=${content.id} content=${content} found=${found} />
          <//>
        `}
    <//>
  `;
}

/** @param {{content: Detail, found: Read}} props */
function Shown({ content, found }) {
  const { reload } = found;
  const { user } = useSession();
  const own = user?.id === content.authorId;
  const members = useLoad(
    (signal) => client.listMembers({ contentId: content.id, limit: 100 }, { signal }),
    [content.id, user?.id],
  );
  useNews("notification", ({ notification }) => {
    if (notification.content === content.id && notification.kind === "MemberInvited") void members.reload();
  });
  useWithdrawn(content, found);
  const mine = members.data?.find((one) => one.user.id === user?.id);
  const edits = own || !!mine?.accepted;
  const [managing, setManaging] = useKept(MANAGED, false);
  const [editing, setEditing] = useState(false);
  const files = useFiles(content);
  const all = useDownloadAll(content, files);
  // A game shows no other page, to which one could take it.
  const link = !inGame && html`<${CopyLink} path=${`/content/${content.id}`} />`;
  const isStaff = ["curate", "moderate", "administer"].some((one) => may(/** @type {"curate"} */ (one)));
  const manage =
    edits &&
    html`
      <${Turn}
        id=${MANAGED}
        open=${managing}
        kind=${own ? "main large whole" : "plain"}
        onTurn=${() => setManaging(!managing)}
      >
        ${t("action.manage")}
      <//>
    `;
  return html`
    <div class="content">
      <header class="content-head">
        <${Badges} content=${content} />
        <h1 dir="auto" class=${content.name.length > LONG ? "long" : ""}>${content.name}</h1>
        <div class="facts">
          <${PersonLink}
            person=${{ id: content.authorId, username: content.authorUsername, avatar: content.authorAvatar }}
            size=${32}
          />
          <${Numbers} content=${content} />
        </div>
      </header>
      <div class="act">
        ${own ? manage : user ? html`<${Subscribe} content=${content} />` : html`<${Get} of=${all} />`}
        <div class="act-row">
          <${Votes} content=${content} />
          ${user && !own && html`<${Favourite} content=${content} />`}
          ${!user && html`<a class="small" href=${logInAddress()}>${t("keep.log-in")}</a>`}
        </div>
        ${
          (user || link) &&
          html`
            <div class="act-row">
              ${user && html`<${AddToCollection} contentId=${content.id} />`}
              ${
                user && !own
                  ? html`
                    ${manage}
                    <${Menu} label=${t("action.others")}>
                      <${Report} operation="reportContent" parameters=${{ contentId: content.id }} />
                      ${link}
                    <//>
                  `
                  : link
              }
            </div>
          `
        }
        ${isStaff && html`<${Staff} content=${content} found=${found} own=${own} may=${may} />`}
      </div>
      <div class="content-notes">
        ${
          edits &&
          managing &&
          html`
            <${Manage}
              id=${MANAGED}
              content=${content}
              found=${found}
              own=${own}
              onEdit=${() => setEditing(!editing)}
              onMembers=${members.reload}
            />
          `
        }
        ${own && content.status === "suspended" && html`<${Suspended} content=${content} />`}
        ${
          mine &&
          !mine.accepted &&
          html`
            <${Invited}
              contentId=${content.id}
              user=${mine.user.id}
              onAnswer=${() => Promise.all([members.reload(), reload()])}
            />
          `
        }
        <${Fit} content=${content} />
      </div>
      <div class="content-main">
        ${!editing && html`<${Gallery} content=${content} />`}
        ${
          editing
            ? html`
              <${Lazy}
                of="content-edit"
                load=${() => import("../parts/content-edit.js")}
                content=${content}
                onDone=${async () => (setEditing(false), await reload())}
              />
            `
            : html`<${Said} content=${content} />`
        }
      </div>
      <div class="content-side">
        <${Files} content=${content} found=${files} all=${all} />
        <${Facts} content=${content} />
        <${Uses} content=${content} />
        <${Revisions} content=${content} edits=${edits} reload=${reload} />
        <${Team} members=${members.data?.filter((one) => one.accepted) ?? []} />
      </div>
      <div class="content-rest">
        <${Comments} content=${content} />
        <${MoreBy} content=${content} />
        <${Dependents} content=${content} />
      </div>
    </div>
  `;
}

/** What it says of itself.
 * @param {{content: Detail}} props */
function Said({ content }) {
  return html`
    <${Shaped} text=${content.description} under=${1} shots=${shotsOf(content)} class="description" />
    ${
      content.tags.length > 0 &&
      html`
        <ul class="tags" aria-label=${t("field.tags")}>
          ${content.tags.map(
            (tag) =>
              html`
                <li key=${tag}>
                  <a href=${address(`/browse?${new URLSearchParams({ tags: tag })}`)} dir="auto">
                    ${tagName(tag)}
                  </a>
                </li>
              `,
          )}
        </ul>
      `
    }
    <${AttributeList} of=${content.attributes} />
  `;
}

/** What a visitor does with it: download all of it.
 * @param {{of: ReturnType<typeof useDownloadAll>}} props */
function Get({ of }) {
  if (!of.isReading && !of.files.length) return null;
  return html`
    <${Button} kind="main large whole" busy=${of.busy || of.isReading} onClick=${of.run}>
      <${Icon} name="downloads" />
      ${t("action.download")}
    <//>
    ${(of.share !== null || of.saved || of.error) && html`<${Progress} of=${of} />`}
  `;
}

/** The answer to an invitation to work on it.
 * @param {{contentId: string, user: string, onAnswer: () => Promise<unknown>}} props who declines may see it
 *   no more */
function Invited({ contentId, user, onAnswer }) {
  const act = useChange(onAnswer);
  const parameters = { contentId, otherId: user };
  return html`
    <div class="notice">
      <p>${t("memberships.invited-here")}</p>
      <p class="actions">
        <${Button}
          kind="main"
          busy=${act.busy}
          onClick=${() => act.run(() => client.putMember(parameters))}
        >
          ${t("action.accept")}
        <//>
        <${Button} busy=${act.busy} onClick=${() => act.run(() => client.removeMember(parameters))}>
          ${t("action.decline")}
        <//>
      </p>
      <${Alert} error=${act.error} />
    </div>
  `;
}
