/** A row of `/notifications`: who did what, a line of it, when, and what can be done about it. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { ago, moment } from "../format.js";
import { hasText, t } from "../texts.js";
import { takeAway } from "../undo.js";
import { Folded, useBlocks } from "./folded.js";
import { Alert } from "./form.js";
import { useInstant, useSession } from "./hooks.js";
import { MUTABLE, muteOf } from "./kinds.js";
import { control } from "./names.js";
import { by, contentOf, learn, owner, plain, rich, told, useLine } from "./notified.js";
import { Avatar } from "./people.js";
import { Picture } from "./pictures.js";
import { Sign, SignButton } from "./signs.js";

/** @typedef {import("./notified.js").Group} Group */
/** @typedef {import("./notified.js").Things} Things */

/** @type {[RegExp, import("./signs.js").SignName][]} */
const SIGNS = [
  [/^Comment(OnContent|Reply)/, "comment"],
  [/^FriendMessage/, "message"],
  [/^(Content|Revision)Published|^SubscriptionUpdated/, "new"],
  [/^Challenge/, "trophy"],
  [/^(Content|CommentRemoved|AccountWarning|Decision|Appeal)/, "shield"],
  [/^DependencyStatus/, "link"],
  [/^ReportResolved/, "flag"],
  [/^(Friend|NewFollower|Party|Tester|Member)/, "person"],
];

/** @param {string} kind */
const signOf = (kind) => SIGNS.find(([test]) => test.test(kind))?.[1] ?? "news";

/** Where somebody looks at what they have reported.
 * @param {{kind: string, id: string, content?: string}} subject */
function reported({ kind, id, content }) {
  if (kind === "collection") return `/collections/${id}`;
  return kind === "comment" ? `/content/${content}#comment-${id}` : `/${kind}/${id}`;
}

/** Where somebody says that it was wrong to dismiss what they have reported.
 * @param {{kind: string, id: string, content?: string}} subject */
const appealOf = ({ kind, id, content }) =>
  `/appeal?${new URLSearchParams({ kind, id, ...(content && { content }) })}`;

/** Where a notification leads.
 * @param {any} one */
function target(one) {
  if (one.decision) return `/decisions/${one.decision}`;
  if (one.kind === "AppealDecided") return one.subject ? reported(one.subject) : null;
  if (one.kind === "ReportResolved") return reported(one.subject);
  if (one.kind === "MemberInvited") return "/library/memberships";
  if (one.content && one.comment) return `/content/${one.content}#comment-${one.comment}`;
  if (one.challenge) return `/challenges/${one.challenge}`;
  if (one.content) return `/content/${one.content}`;
  if (one.kind === "FriendMessage") return `/messages/${one.sender}`;
  if (/^(FriendRequest|PartyInvite)/.test(one.kind)) return "/friends";
  if (one.sender) return `/user/${one.sender}`;
  return null;
}

/** What it says itself: all reasons, the newest message, what the studio writes.
 * @param {Group} group @param {Things} things
 * @returns {string[]} */
function ownLines({ items, newest }, things) {
  const judged = `report.${newest.outcome}`;
  if (newest.kind === "ReportResolved") return hasText(judged) ? [t(judged)] : [];
  if (newest.kind === "AppealDecided") {
    const answer = `appeal.state-${newest.outcome}`;
    return [hasText(answer) ? t(answer) : "", newest.reason ?? ""];
  }
  if (newest.kind === "DependencyStatus") return [things.contents.get(newest.dependency)?.name ?? ""];
  if (newest.kind === "Studio")
    return [[told(newest, "text"), told(newest, "url")].filter(Boolean).join("\n")];
  if (newest.removed) return [t("messages.removed")];
  return newest.text ? [newest.text] : [...new Set(items.map(({ reason }) => reason ?? ""))];
}

/** @param {{group: Group, things: Things, of: import("./hooks.js").Loaded<any>, muted: string[],
 *   onRead: (ids: string[]) => void, onMute: (kind: string) => void}} props `of` has what is shown; `onRead`
 *   hears which were marked here */
export function Row({ group, things, of, onRead, onMute, muted }) {
  const { items, newest, unread } = group;
  const { blocked } = useSession();
  const act = useInstant(of);
  const [open, setOpen] = useState(false);
  const whose = owner(newest, things, blocked);
  const isFolded = useBlocks(whose);
  const name = isFolded ? t("blocked.folded") : `${plain(group, things)} ${ago(newest.created)}`;
  const mute = muteOf(newest);
  const muteText = t(mute === newest.kind ? "notifications.mute" : "notifications.mute-topic");
  const readText = t(unread ? "notifications.mark-read" : "notifications.mark-unread");
  const more = t("notifications.more");
  // What becomes unread again is the newest alone.
  const turned = unread ? items.filter(({ read }) => !read) : [newest];
  const send = () =>
    Promise.all(
      turned.map(({ id }) => client.updateNotification({ notificationId: id, body: { read: unread } })),
    );
  const ids = turned.map(({ id }) => id);
  const turn = () => {
    onRead(ids);
    return act.run(
      (was) => ({
        ...was,
        items: was.items.map((/** @type {any} */ one) =>
          ids.includes(one.id) ? { ...one, read: unread } : one,
        ),
        state: { ...was.state, unread: was.state.unread + (unread ? -ids.length : 1) },
      }),
      send,
    );
  };
  const remove = () =>
    takeAway({
      key: `notification ${newest.id}`,
      what: "notification",
      send: async (userId) => {
        try {
          await Promise.all(items.map(({ id }) => client.deleteNotification({ userId, notificationId: id })));
        } catch (error) {
          void of.reload();
          throw error;
        }
      },
    });
  return html`
    <div class="note">
      <${Folded} by=${whose} kind="note-link">
        <${Told} group=${group} things=${things} onPress=${() => unread && void send().catch(() => {})} />
      <//>
      <button
        type="button"
        class="icon note-more"
        aria-expanded=${open}
        aria-label=${control(more, name)}
        title=${more}
        onClick=${() => setOpen(!open)}
      >
        <${Sign} name="dots" />
      </button>
      <p class=${`note-acts ${open ? "open" : ""}`}>
        <${SignButton}
          name=${unread ? "check" : "dot"}
          label=${control(readText, name)}
          title=${readText}
          onClick=${turn}
        />
        ${
          MUTABLE.includes(newest.kind) &&
          !muted.includes(newest.kind) &&
          !muted.includes(mute) &&
          html`
            <${SignButton}
              name="mute"
              label=${control(muteText, name)}
              title=${muteText}
              onClick=${() => onMute(mute)}
            />
          `
        }
        <${SignButton}
          name="bin"
          label=${control(t("action.delete"), name)}
          title=${t("action.delete")}
          onClick=${remove}
        />
      </p>
      <${Alert} error=${act.error} />
    </div>
  `;
}

/** What happened. Of what was folded nothing is asked for before it is shown.
 * @param {{group: Group, things: Things, onPress: () => void}} props */
function Told({ group, things, onPress }) {
  const { items, newest, unread } = group;
  const [, draw] = useState({});
  const who = by(newest);
  useEffect(() => {
    if (who && !things.persons.has(who)) void learn(items, things, new Set()).then(() => draw({}));
  }, [things]);
  const [line, place] = useLine(newest, things);
  const person = things.persons.get(who ?? "");
  const content = things.contents.get(contentOf(newest) ?? "");
  const to = target(newest);
  const sign = signOf(newest.kind);
  const text = rich(group, things);
  return html`
    <div class="note-link">
      <span class="note-who">
        ${
          person
            ? html`<${Avatar} person=${person} size=${40} />`
            : content
              ? html`<${Thumbnail} content=${content} size=${40} />`
              : html`<span class="note-sign"></span>`
        }
        <span class="note-kind"><${Sign} name=${sign} /></span>
      </span>
      <div class="note-told">
        <p>
          ${unread && html`<span class="dot" role="img" aria-label=${t("notifications.unread")}></span>`}
          ${to ? html`<a href=${address(to)} onClick=${onPress}>${text}</a>` : text}
        </p>
        ${
          line !== null &&
          html`
            <p class="note-line" ref=${place} dir="auto">
              ${line}
            </p>
          `
        }
        ${ownLines(group, things)
          .filter(Boolean)
          .map(
            (own) =>
              html`
                <p class=${newest.kind === "FriendMessage" ? "note-line two" : "small text"} dir="auto">
                  ${own}
                </p>
              `,
          )}
        ${
          newest.kind === "ReportResolved" &&
          newest.outcome === "dismissed" &&
          html`
            <p class="small note-appeal">
              <a href=${address(appealOf(newest.subject))}>${t("appeal.report-link")}</a>
            </p>
          `
        }
        <p class="faint small">
          <time datetime=${new Date(newest.created * 1000).toISOString()} title=${moment(newest.created)}>
            ${ago(newest.created)}
          </time>
          ${items.length > 1 && html` · ${t("notifications.times", { count: items.length })}`}
          ${
            newest.kind === "Studio" &&
            html` · ${t("notifications.studio")} <span class="mono">${newest.topic}</span>`
          }
        </p>
      </div>
      ${person && content && html`<${Thumbnail} content=${content} size=${72} />`}
    </div>
  `;
}

/** @param {{content: import("../client.js").ContentInfo, size: number}} props */
function Thumbnail({ content, size }) {
  return html`
    <${Picture}
      path=${content.thumbnailUri}
      name=${content.name}
      id=${content.id}
      width=${size}
      height=${size === 72 ? 45 : size}
      kind=${`note-picture wide-${size}`}
      since=${content.created}
    />
  `;
}
