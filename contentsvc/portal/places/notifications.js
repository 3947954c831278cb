/** `/notifications`: what happened, the newest first. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { recall, remember } from "../history.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { ago, moment } from "../format.js";
import { hasText, t } from "../texts.js";
import { takeAway } from "../undo.js";
import { Folded, useBlocks } from "../parts/folded.js";
import { Alert, Button } from "../parts/form.js";
import { useGone } from "../parts/gone.js";
import { useAction, useInstant, useLoad, useNews, useTitle } from "../parts/hooks.js";
import { kindName, MUTABLE, muteOf, setMuted } from "../parts/kinds.js";
import { LoggedIn } from "../parts/logged-in.js";
import { control } from "../parts/names.js";
import { people } from "../parts/people.js";
import { Empty, Loaded } from "../parts/states.js";

const PART = 50;
/** Where the last part that is shown begins. */
const LOW = "notifications from";
/** @type {any[]} */
const NONE = [];

/** Those with numbers in (from, to], the newest first. The list is by number upwards, so a part is
 * read from its lower end.
 * @param {number} from @param {number} to @param {AbortSignal} [signal] */
async function slice(from, to, signal) {
  if (to <= from) return [];
  const items = await client.listNotifications({ after: String(from), limit: to - from }, { signal });
  for (const one of items) if (isOver(one)) forget(one);
  return items.filter((one) => one.kind !== "Deleted" && !isOver(one)).reverse();
}

/** Unix seconds from which on it is not shown, as the studio has said.
 * @param {any} one
 * @returns {number} */
const end = (one) => (one.kind === "Studio" ? (one.expires ?? Infinity) : Infinity);

/** @param {any} one */
const isOver = (one) => end(one) <= Date.now() / 1000;

/** What is not shown any more does not count as unread.
 * @param {any} one */
function forget(one) {
  if (!one.read)
    void client.updateNotification({ notificationId: one.id, body: { read: true } }).catch(() => {});
}

/** The longest time that a timer takes, in milliseconds. */
const LONGEST = 2 ** 31 - 1;

/** Take out what is over, as soon as it is.
 * @param {any[]} items @param {(items: any[]) => void} change */
function useEnds(items, change) {
  const next = Math.min(...items.map(end));
  useEffect(() => {
    const left = next * 1000 - Date.now();
    if (left > LONGEST) return;
    const timer = setTimeout(
      () => {
        for (const one of items) if (isOver(one)) forget(one);
        change(items.filter((one) => !isOver(one)));
      },
      Math.max(left, 0),
    );
    return () => clearTimeout(timer);
  }, [next, items]);
}

/** What the studio tells, as text, whatever it is.
 * @param {any} one
 * @param {"title" | "text" | "url"} member */
function said(one, member) {
  const found = one.kind === "Studio" ? one.data?.[member] : undefined;
  return typeof found === "string" ? found : "";
}

/** @param {any[]} items */
async function named(items) {
  const ids = items.flatMap((one) => [one.sender, one.author]).filter(Boolean);
  return people([...new Set(ids)]);
}

/** @param {AbortSignal} signal */
async function read(signal) {
  const state = await client.getNotificationState({}, { signal });
  // As far as it was shown before.
  const low = Math.max(Math.min(state.newest - PART, recall(LOW) ?? Infinity), state.oldest - 1, 0);
  const items = [];
  for (let to = state.newest; to > low; to -= PART)
    items.push(...(await slice(Math.max(to - PART, low), to, signal)));
  const { muted } = await client.getNotificationSettings({}, { signal });
  return { items, low, state, muted, names: await named(items) };
}

/** @typedef {Awaited<ReturnType<typeof read>>} Read */

/** @param {Read} was @param {string} id
 * @returns {Read} */
const without = (was, id) => ({
  ...was,
  items: was.items.filter((one) => String(one.id) !== id),
  state: {
    ...was.state,
    unread: was.state.unread - Number(was.items.some((one) => String(one.id) === id && !one.read)),
  },
});

/** @param {Read} was
 * @returns {Read} */
const allRead = (was) => ({
  ...was,
  items: was.items.map((one) => ({ ...one, read: true })),
  state: { ...was.state, unread: 0 },
});

/** Mute this kind, or let it come.
 * @param {ReturnType<typeof useInstant<Read>>} act @param {any} kind @param {boolean} isMuted */
const turn = (act, kind, isMuted) =>
  act.run(
    (was) => ({ ...was, muted: [...was.muted.filter((one) => one !== kind), ...(isMuted ? [kind] : [])] }),
    () => setMuted(kind, isMuted),
  );

export default function Notifications() {
  useTitle(t("place.notifications"));
  return html`
    <h1>${t("place.notifications")}</h1>
    <${LoggedIn}>
      <${Log} />
    <//>
  `;
}

function Log() {
  const found = useLoad(read, []);
  const isGone = useGone("notification", (id) => found.change((was) => without(was, id)));
  // This one and all before it.
  const isCleared = useGone("notifications", () => found.reload());
  /** @param {string} newest of those that are shown */
  const clear = (newest) =>
    takeAway({
      key: `notifications ${newest}`,
      what: "notifications",
      send: () => client.clearNotifications({ upTo: newest }),
    });
  useNews("notification", () => void found.reload());
  useNews("missed", () => void found.reload());
  useEnds(found.data?.items ?? NONE, (items) => found.change((was) => ({ ...was, items })));
  const act = useInstant(found);
  const more = useAction(async () => {
    const was = found.data;
    if (!was) return;
    const low = Math.max(was.low - PART, was.state.oldest - 1, 0);
    const items = await slice(low, was.low);
    const names = await named(items);
    remember(LOW, low);
    found.change((now) => ({
      ...now,
      low,
      items: [...now.items, ...items],
      names: new Map([...now.names, ...names]),
    }));
  });
  return html`
    <${Loaded} of=${found}>
      ${(/** @type {Awaited<ReturnType<typeof read>>} */ { items, low, state, muted, names }) => {
        const cleared = items.findIndex(({ id }) => isCleared(id));
        const shown = items.slice(0, cleared < 0 ? undefined : cleared).filter(({ id }) => !isGone(id));
        return html`
          <p class="actions">
            <${Button}
              busy=${act.busy}
              disabled=${!state.unread}
              onClick=${() =>
                act.run(allRead, () => client.markNotificationsRead({ body: { upTo: state.newest } }))}
            >
              ${t("action.read-all")}
            <//>
            ${
              shown.length > 0 &&
              html`
                <${Button} onClick=${() => clear(shown[0].id)}>${t("notifications.clear")}<//>
              `
            }
          </p>
          <${Alert} error=${act.error} />
          ${
            shown.length
              ? html`
                <ul class="rows log" aria-label=${t("place.notifications")}>
                  ${shown.map(
                    (one) =>
                      html`
                        <li key=${one.id} class=${one.read ? "" : "unread"}>
                          <${One} notification=${one} names=${names} muted=${muted} act=${act} />
                        </li>
                      `,
                  )}
                </ul>
              `
              : html`<${Empty} title=${t("notifications.none")} text=${t("notifications.none-text")} />`
          }
          ${
            cleared < 0 &&
            low > Math.max(state.oldest - 1, 0) &&
            html`
              <p class="more">
                <${Button} busy=${more.busy} onClick=${() => more.run()}>
                  ${t("action.more")}
                <//>
              </p>
            `
          }
          <${Muted} muted=${muted} act=${act} />
        `;
      }}
    <//>
  `;
}

/** Where somebody looks at what they have reported.
 * @param {{kind: string, id: string, content?: string}} subject */
function about({ kind, id, content }) {
  if (kind === "collection") return `/collections/${id}`;
  return kind === "comment" ? `/content/${content}#comment-${id}` : `/${kind}/${id}`;
}

/** Where a notification leads.
 * @param {any} one */
function target(one) {
  if (one.kind === "ReportResolved") return about(one.subject);
  if (one.kind === "MemberInvited") return "/library/memberships";
  if (one.content && one.comment) return `/content/${one.content}#comment-${one.comment}`;
  if (one.challenge) return `/challenges/${one.challenge}`;
  if (one.content) return `/content/${one.content}`;
  if (one.kind === "FriendMessage") return `/messages/${one.sender}`;
  if (/^(FriendRequest|PartyInvite)/.test(one.kind)) return "/friends";
  if (one.sender) return `/user/${one.sender}`;
  return null;
}

/** @param {any} props */
function One({ notification: one, names, muted, act }) {
  const who = names.get(one.sender ?? one.author)?.username ?? "";
  const key = `kind.${one.kind}`;
  const text = said(one, "title") || (hasText(key) ? t(key, { who }) : t("kind.other", { kind: one.kind }));
  const judged = `report.${one.outcome}`;
  const outcome = one.kind === "ReportResolved" && hasText(judged) ? t(judged) : "";
  const more =
    one.text || one.reason || outcome || [said(one, "text"), said(one, "url")].filter(Boolean).join("\n");
  const mute = muteOf(one);
  const place = target(one);
  /** @param {any} now what this one becomes */
  const becomes = (now) => (/** @type {Read} */ was) => ({
    ...was,
    items: was.items.map((other) => (other.id !== one.id ? other : now)),
    state: { ...was.state, unread: was.state.unread + Number(!now.read) - Number(!one.read) },
  });
  const remove = () =>
    takeAway({
      key: `notification ${one.id}`,
      what: "notification",
      send: () => client.deleteNotification({ notificationId: one.id }),
    });
  const isFolded = useBlocks(one.sender ?? one.author);
  /** @param {string} action */
  const label = (action) => control(action, isFolded ? t("blocked.folded") : `${text} ${ago(one.created)}`);
  const seen = () =>
    one.read || client.updateNotification({ notificationId: one.id, body: { read: true } }).catch(() => {});
  return html`
    <div>
      <${Folded} by=${one.sender ?? one.author}>
        <p>
          ${!one.read && html`<span class="dot" role="img" aria-label=${t("notifications.unread")}></span>`}
          ${
            place
              ? html`
                <a href=${address(place)} onClick=${seen}>
                  <bdi>${text}</bdi>
                </a>
              `
              : html`<bdi>${text}</bdi>`
          }
          <time class="faint small" title=${moment(one.created)}>
            ${ago(one.created)}
          </time>
        </p>
        ${
          one.kind === "Studio" &&
          html`
            <p class="faint small">
              ${t("notifications.studio")} <span class="mono">${one.topic}</span>
            </p>
          `
        }
        ${
          more &&
          html`
            <p class="text small" dir="auto">
              ${more}
            </p>
          `
        }
      <//>
      <p class="actions">
        <button
          type="button"
          class="button plain small"
          aria-label=${label(t(one.read ? "notifications.mark-unread" : "notifications.mark-read"))}
          onClick=${() =>
            act.run(becomes({ ...one, read: !one.read }), () =>
              client.updateNotification({ notificationId: one.id, body: { read: !one.read } }),
            )}
        >
          ${t(one.read ? "notifications.mark-unread" : "notifications.mark-read")}
        </button>
        <button
          type="button"
          class="button plain small"
          aria-label=${label(t("action.delete"))}
          onClick=${remove}
        >
          ${t("action.delete")}
        </button>
        ${
          MUTABLE.includes(one.kind) &&
          !muted.includes(one.kind) &&
          !muted.includes(mute) &&
          html`
            <button
              type="button"
              class="button plain small"
              aria-label=${label(t(mute === one.kind ? "notifications.mute" : "notifications.mute-topic"))}
              onClick=${() => turn(act, mute, true)}
            >
              ${t(mute === one.kind ? "notifications.mute" : "notifications.mute-topic")}
            </button>
          `
        }
      </p>
    </div>
  `;
}

/** @param {any} props */
function Muted({ muted, act }) {
  if (!muted.length) return null;
  return html`
    <section>
      <h2>${t("notifications.muted")}</h2>
      <ul class="tags">
        ${muted.map(
          (/** @type {string} */ kind) =>
            html`
              <li key=${kind}>
                ${kindName(kind)}
                <button
                  type="button"
                  class="button plain small"
                  aria-label=${control(t("notifications.unmute"), kindName(kind))}
                  onClick=${() => turn(act, kind, false)}
                >
                  ${t("notifications.unmute")}
                </button>
              </li>
            `,
        )}
      </ul>
    </section>
  `;
}
