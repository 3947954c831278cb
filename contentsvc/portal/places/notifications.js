/** `/notifications`: what happened, the newest first. */
import { html, useEffect, useRef } from "../vendor/preact.js";
import { recall, remember } from "../history.js";
import { client, state as session } from "../session.js";
import { go } from "../router.js";
import { hasText, t } from "../texts.js";
import { takeAway } from "../undo.js";
import { Alert, Button, Choice } from "../parts/form.js";
import { useGone } from "../parts/gone.js";
import { useAction, useInstant, useLoad, useNews, useSession, useTitle } from "../parts/hooks.js";
import { HowMany } from "../parts/how-many.js";
import { kindName, MUTABLE, setMuted } from "../parts/kinds.js";
import { useOnwards } from "../parts/list.js";
import { LoggedIn } from "../parts/logged-in.js";
import { control } from "../parts/names.js";
import { Row } from "../parts/notification-row.js";
import { grouped, learn, nothing } from "../parts/notified.js";
import { Empty, Loaded } from "../parts/states.js";

/** So many are read at first, and with `Show more`; so many at most in one request. */
const PART = 50;
const MOST = 200;
/** So many parts are read at once where few fit. */
const PARTS = 8;
/** Where the last part that is shown begins. */
const LOW = "notifications from";
/** @type {any[]} */
const NONE = [];
/** What nobody mutes. */
const OTHERS = [
  ...["AccountWarning", "AppealDecided", "CommentRemoved", "ContentRestored", "ContentSuspended", "Debug"],
  ...["DecisionReversed", "DecisionTaken"],
];

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

/** @param {AbortSignal} signal */
async function read(signal) {
  const settings = client.getNotificationSettings({}, { signal });
  settings.catch(() => {});
  const state = await client.getNotificationState({}, { signal });
  // As far as it was shown before.
  const low = Math.max(Math.min(state.newest - PART, recall(LOW) ?? Infinity), state.oldest - 1, 0);
  const items = [];
  for (let to = state.newest; to > low; to -= MOST)
    items.push(...(await slice(Math.max(to - MOST, low), to, signal)));
  const things = await learn(items, nothing(), session.blocked, signal);
  const { muted } = await settings;
  return { items, low, state, muted: /** @type {string[]} */ (muted), things };
}

/** @typedef {Awaited<ReturnType<typeof read>>} Read */

/** @param {Read} was
 * @returns {Read} */
const allRead = (was) => ({
  ...was,
  items: was.items.map((one) => ({ ...one, read: true })),
  state: { ...was.state, unread: 0 },
});

/** @param {Read} was @param {string} id the newest of those that are deleted of its row
 * @param {ReadonlySet<string>} blocked
 * @returns {Read} */
function without(was, id, blocked) {
  const row = grouped(was.items, was.things, blocked).find(({ items }) => items.some((one) => one.id === id));
  const gone = new Set(row?.items.slice(row.items.findIndex((one) => one.id === id)));
  const unread = [...gone].filter(({ read }) => !read).length;
  return {
    ...was,
    items: was.items.filter((one) => !gone.has(one)),
    state: { ...was.state, unread: was.state.unread - unread },
  };
}

/** @param {import("../router.js").PlaceProps} props */
export default function Notifications({ query }) {
  useTitle(t("place.notifications"));
  return html`
    <div class="inbox">
      <h1>${t("place.notifications")}</h1>
      <${LoggedIn}>
        <${Log} query=${query} />
      <//>
    </div>
  `;
}

/** Another query of this place.
 * @param {{unread: boolean, kind: string}} chosen */
function choose({ unread, kind }) {
  const query = new URLSearchParams({ ...(unread && { unread: "yes" }), ...(kind && { kind }) });
  void go(`/notifications${query.size ? `?${query}` : ""}`);
}

/** @param {{query: URLSearchParams}} props */
function Log({ query }) {
  const { blocked } = useSession();
  const chosen = { unread: query.get("unread") === "yes", kind: query.get("kind") ?? "" };
  const found = useLoad(read, []);
  // This one and those before it in its row.
  const isGone = useGone("notification", (id) => found.change((was) => without(was, id, blocked)));
  // This one and all before it.
  const isCleared = useGone("notifications", () => found.reload());
  /** @param {string} newest of those that are shown */
  const clear = (newest) =>
    takeAway({
      key: `notifications ${newest}`,
      what: "notifications",
      send: (userId) => client.clearNotifications({ userId, upTo: newest }),
    });
  useNews("notification", () => void found.reload());
  useNews("missed", () => void found.reload());
  useNews("state", () => void found.reload());
  useEnds(found.data?.items ?? NONE, (items) => found.change((was) => ({ ...was, items })));
  const act = useInstant(found);
  /** Mute a kind, or let it come.
   * @param {any} kind @param {boolean} isMuted */
  const turn = (kind, isMuted) =>
    act.run(
      (was) => ({ ...was, muted: [...was.muted.filter((one) => one !== kind), ...(isMuted ? [kind] : [])] }),
      () => setMuted(kind, isMuted),
    );
  // What was read here stays where it is among the unread, until something else is chosen.
  const stay = useRef({ of: "", ids: new Set() });
  const of = String(query);
  if (stay.current.of !== of) stay.current = { of, ids: new Set() };
  /** @param {any} one */
  const fits = (one) =>
    (!chosen.unread || !one.read || stay.current.ids.has(one.id)) &&
    (!chosen.kind || one.kind === chosen.kind);
  /** @param {Read} all */
  const rows = ({ items, things }) => {
    const cleared = items.findIndex(({ id }) => isCleared(id));
    const left = items.slice(0, cleared < 0 ? undefined : cleared).filter(fits);
    return grouped(left, things, blocked).flatMap((group) => {
      const gone = group.items.findIndex(({ id }) => isGone(id));
      if (gone < 0) return [group];
      const kept = group.items.slice(0, gone);
      return kept.length ? [{ ...group, items: kept, unread: kept.some(({ read }) => !read) }] : [];
    });
  };
  const more = useAction(async () => {
    const was = found.data;
    if (!was) return;
    const bottom = Math.max(was.state.oldest - 1, 0);
    const before = new Set(rows(was).map(({ key }) => key));
    const size = of ? MOST : PART;
    let low = was.low;
    /** @type {any[]} */
    const items = [];
    for (let n = 0; n < PARTS && low > bottom; n += 1) {
      const from = Math.max(low - size, bottom);
      const part = await slice(from, low);
      low = from;
      items.push(...part);
      if (grouped(part.filter(fits), was.things, blocked).some(({ key }) => !before.has(key))) break;
    }
    const things = await learn(items, { ...was.things }, blocked);
    remember(LOW, low);
    found.change((now) => ({ ...now, low, items: [...now.items, ...items], things }));
  });
  const onwards = useOnwards(found.data ? rows(found.data).length : 0);
  const isEmpty = found.data && !rows(found.data).length && found.data.low >= found.data.state.oldest;
  useEffect(() => {
    if (of && isEmpty) void more.run();
  }, [of, isEmpty]);
  return html`
    <${Loaded} of=${found} waiting=${html`<${RowsWaiting} />`}>
      ${(/** @type {Read} */ all) => {
        const shown = rows(all);
        const isMore = all.low >= Math.max(all.state.oldest, 1) && !all.items.some(({ id }) => isCleared(id));
        const counted = all.items.length ? { items: shown, next: isMore ? {} : null } : undefined;
        return html`
          <div class="sieve">
            <${Button}
              aria-pressed=${chosen.unread}
              onClick=${() => choose({ ...chosen, unread: !chosen.unread })}
            >
              ${t("notifications.unread")}
            <//>
            <${Choice}
              label=${t("notifications.kind")}
              value=${chosen.kind}
              options=${kinds(all, chosen.kind, isMore)}
              onChange=${(/** @type {string} */ kind) => choose({ ...chosen, kind })}
            />
            <p class="actions">
              <${Button}
                busy=${act.busy}
                disabled=${!all.state.unread}
                onClick=${() =>
                  act.run(allRead, () => client.markNotificationsRead({ body: { upTo: all.state.newest } }))}
              >
                ${t("action.read-all")}
              <//>
              ${
                all.items.length > 0 &&
                !of &&
                shown.length > 0 &&
                html`
                  <${Button} onClick=${() => clear(all.items[0].id)}>${t("notifications.clear")}<//>
                `
              }
            </p>
          </div>
          <${HowMany} of=${{ data: counted }} />
          <${Alert} error=${act.error} />
          ${
            shown.length
              ? html`
                <ul class="notes" aria-label=${t("place.notifications")} ref=${onwards.list}>
                  ${shown.map(
                    (group) =>
                      html`
                        <li key=${group.key} class=${group.unread ? "unread" : ""}>
                          <${Row}
                            group=${group}
                            things=${all.things}
                            of=${found}
                            muted=${all.muted}
                            onRead=${(/** @type {string[]} */ ids) =>
                              ids.forEach((id) => stay.current.ids.add(id))}
                            onMute=${(/** @type {string} */ kind) => turn(kind, true)}
                          />
                        </li>
                      `,
                  )}
                </ul>
              `
              : !more.busy &&
                (of
                  ? html`<${Empty} title=${t("notifications.none-fits")} />`
                  : html`<${Empty} title=${t("notifications.none")} text=${t("notifications.none-text")} />`)
          }
          <${Alert} error=${more.error} />
          ${
            isMore &&
            html`
              <p class="more">
                <${Button} busy=${more.busy} onClick=${() => (onwards.ask(), more.run())}>
                  ${t("action.more")}
                <//>
              </p>
            `
          }
          <${Muted} muted=${all.muted} turn=${turn} />
        `;
      }}
    <//>
  `;
}

/** The kinds that can be chosen: those that are there, and where there may be others, all.
 * @param {Read} all @param {string} chosen @param {boolean} isMore
 * @returns {[string, string][]} */
function kinds({ items }, chosen, isMore) {
  const every = isMore ? [...MUTABLE, ...OTHERS] : items.map(({ kind }) => kind);
  const names = [...new Set(chosen ? [...every, chosen] : every)].map(
    (kind) => /** @type {[string, string]} */ ([kind, named(kind)]),
  );
  names.sort(([, one], [, other]) => one.localeCompare(other));
  return [["", t("notifications.kinds")], ...names];
}

/** @param {string} kind */
function named(kind) {
  const key = `kinds.${kind}`;
  return hasText(key) ? t(key) : kindName(kind);
}

/** As many rows as the first look has room for. */
function RowsWaiting() {
  return html`
    <div class="skeletons">
      <p class="unseen" role="status">${t("state.loading")}</p>
      <div class="notes" aria-hidden="true">
        ${Array.from(
          { length: 8 },
          (_, n) =>
            html`
              <div class="note" key=${n}>
                <span class="skeleton note-sign"></span>
                <span class="note-told">
                  <span class="skeleton words"></span>
                  <span class="skeleton words short"></span>
                </span>
              </div>
            `,
        )}
      </div>
    </div>
  `;
}

/** @param {{muted: string[], turn: (kind: string, isMuted: boolean) => void}} props */
function Muted({ muted, turn }) {
  if (!muted.length) return null;
  return html`
    <section>
      <h2>${t("notifications.muted")}</h2>
      <ul class="tags">
        ${muted.map(
          (kind) =>
            html`
              <li key=${kind}>
                ${kindName(kind)}
                <button
                  type="button"
                  class="button plain small"
                  aria-label=${control(t("notifications.unmute"), kindName(kind))}
                  onClick=${() => turn(kind, false)}
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
