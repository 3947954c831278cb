/** `/messages/{user}`: a conversation, live. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { wasLeft } from "../history.js";
import { ApiError, guid } from "../client.js";
import { block, client, state } from "../session.js";
import { address } from "../router.js";
import { moment } from "../format.js";
import { service } from "../service.js";
import { language, t } from "../texts.js";
import { settle, takeAway } from "../undo.js";
import { Confirm } from "../parts/confirm.js";
import { Folded, useBlocks } from "../parts/folded.js";
import { Alert, Button, Field, Form, Refused } from "../parts/form.js";
import { Found } from "../parts/found.js";
import { useGone } from "../parts/gone.js";
import { useAction, useChange, useDraft, useLoad, useNews, useSession, useTitle } from "../parts/hooks.js";
import { useList } from "../parts/list.js";
import { LoggedIn } from "../parts/logged-in.js";
import { control } from "../parts/names.js";
import { PersonLink } from "../parts/people.js";
import { Report } from "../parts/report.js";
import { Empty, Loaded } from "../parts/states.js";

/** @typedef {import("../parts/people.js").Person} Person */
/** @typedef {import("../client.js").Message} Message */

/** @param {import("../router.js").PlaceProps} props */
export default function Messages({ parameters }) {
  const found = useLoad(
    (signal) => client.getUserInfo({ userId: parameters.id }, { signal }),
    [parameters.id],
  );
  useTitle(found.data?.username ?? t("place.messages"));
  return html`
    <${Found} of=${found}>
      ${(/** @type {any} */ person) =>
        html`
          <div class="thread-page">
            <header class="thread-head">
              <h1>
                <${PersonLink} person=${person} size=${40} />
              </h1>
              <${Against} person=${person} />
            </header>
            <${LoggedIn}>
              <${Thread} key=${person.id} other=${person} />
            <//>
          </div>
        `}
    <//>
  `;
}

/** What one does about somebody who annoys.
 * @param {{person: Person}} props */
function Against({ person }) {
  const { user } = useSession();
  const isBlocked = useBlocks(person.id);
  const [asks, setAsks] = useState(false);
  if (!user || user.id === person.id) return null;
  return html`
    <div class="actions">
      ${
        !isBlocked &&
        html`
          <${Button} class="button plain small" aria-haspopup="dialog" onClick=${() => setAsks(true)}>
            ${t("action.block")}
          <//>
        `
      }
      <${Report} operation="reportUser" parameters=${{ userId: person.id }} />
      ${
        asks &&
        html`
          <${Confirm}
            title=${t("user.block-title", { name: person.username })}
            text=${t("user.block-says")}
            action=${t("action.block")}
            onClose=${() => setAsks(false)}
            work=${async () => (await settle(), await block(person.id, true))}
          />
        `
      }
    </div>
  `;
}

/** How the two stand to each other: friends, or who has asked whom.
 * @param {string} otherId @param {AbortSignal} signal
 * @returns {Promise<"friend" | "incoming" | "outgoing" | "none">} */
async function readFriend(otherId, signal) {
  for await (const { user } of client.each("listFriends", { limit: 200 }, { signal }))
    if (user.id === otherId) return "friend";
  for await (const { user, direction } of client.each("listFriendRequests", { limit: 200 }, { signal }))
    if (user.id === otherId) return direction;
  return "none";
}

/** Whether Enter sends: not while an input method makes a word of what is typed, and Shift makes a line.
 * @param {KeyboardEvent} event */
const sends = ({ key, shiftKey, isComposing, keyCode }) =>
  key === "Enter" && !shiftKey && !isComposing && keyCode !== 229;

/** Letters by which a message is named. */
const EXCERPT = 60;

/** So far from its end, in pixels, somebody still reads the newest. */
const NEAR = 160;

/** Stay with the newest message, if that is what the visitor reads.
 * @param {string | undefined} newest its id @param {boolean} isOwn @param {boolean} isWhole whether all is
 *   there that is below it */
function useEnd(newest, isOwn, isWhole) {
  const end = useRef(/** @type {HTMLElement | null} */ (null));
  // Who comes back is where they were.
  const isBack = useRef(wasLeft());
  const isNear = useRef(true);
  useEffect(() => {
    const look = () => {
      const bottom = end.current?.getBoundingClientRect().bottom ?? 0;
      isNear.current = bottom < innerHeight + NEAR;
    };
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);
  useEffect(() => {
    if (!isBack.current && (isNear.current || isOwn)) end.current?.scrollIntoView({ block: "end" });
    isBack.current &&= newest === undefined || !isWhole;
  }, [newest, isWhole]);
  return end;
}

/** @param {{other: Person}} props */
function Thread({ other }) {
  const otherId = other.id;
  const { user } = useSession();
  const list = useList("listMessages", { otherId, limit: 50 }, [otherId]);
  const friend = useLoad((signal) => readFriend(otherId, signal), [otherId]);
  const isBlocked = useBlocks(otherId);
  const isParted = useGone("friend", (id) => id === otherId && friend.reload())(otherId);
  useNews("notification", ({ notification }) => {
    if (notification.sender !== otherId) return;
    if (/^Friend(Confirm|Request)$/.test(notification.kind)) void friend.reload();
    if (notification.kind !== "FriendMessage") return;
    void list.reload();
    void client.updateNotification({ notificationId: notification.id, body: { read: true } }).catch(() => {});
  });
  useNews("missed", () => void list.reload());
  // The other may have taken something away.
  useNews("state", () => void list.reload());
  const newest = list.data?.items[0];
  const write = useWriting(otherId, list, friend);
  const state = isBlocked ? "blocked" : isParted ? "none" : friend.data;
  const isKnown = !!(list.data && (state || friend.error));
  const end = useEnd(newest?.id, newest?.sender === user?.id, isKnown);
  return html`
    <${Loaded} of=${list}>
      ${(/** @type {{items: Message[], next: object | null}} */ found) =>
        html`<${Log} found=${found} list=${list} other=${other} sending=${write.sending} />`}
    <//>
    ${
      isKnown &&
      (otherId === user?.id
        ? html`<p class="notice">${t("messages.self")}</p>`
        : state && state !== "friend"
          ? html`<${Closed} state=${state} other=${other} friend=${friend} />`
          : html`<${Write} write=${write} />`)
    }
    <div ref=${end} class="thread-end"></div>
  `;
}

/** What was said, day by day. What is new is read aloud; what was earlier is not.
 * @param {{found: {items: Message[], next: object | null}, list: ReturnType<typeof useList>, other: Person,
 *   sending: {id: string, text: string} | null}} props */
function Log({ found, list, other, sending }) {
  const { user } = useSession();
  const [quiet, setQuiet] = useState(false);
  const isGone = useGone("message", () => list.reload());
  const earlier = async () => {
    setQuiet(true);
    await list.more.run();
    setTimeout(() => setQuiet(false), 1_000);
  };
  const items = [...found.items].reverse();
  const isOnWay = sending && !items.some(({ id, sender }) => id === sending.id && sender === user?.id);
  return html`
    ${
      found.next &&
      html`
        <p class="more">
          <${Button} busy=${list.more.busy} onClick=${earlier}>${t("messages.earlier")}<//>
        </p>
        <${Alert} error=${list.more.error} />
      `
    }
    <${Folded} by=${other.id}>
      <div
        role="log"
        class="thread"
        aria-label=${t("messages.thread")}
        aria-live=${quiet ? "off" : "polite"}
        tabindex=${items.length ? 0 : undefined}
      >
        ${days(items).map(
          ({ day, items }) =>
            html`
              <h2 key=${`${day} title`} class="thread-day">${day}</h2>
              <ol key=${day} aria-label=${day}>
                ${items.map((one, n) => {
                  const isOwn = one.sender === user?.id;
                  const isNext = n > 0 && items[n - 1].sender === one.sender;
                  const kind = `${isOwn ? "mine" : ""} ${isNext ? "next" : ""}`;
                  return html`
                    <li key=${`${one.sender} ${one.id}`} class=${kind}>
                      <p class=${isNext || isOwn ? "unseen" : "thread-name small"}>
                        <bdi>${isOwn ? t("messages.you") : other.username}</bdi>
                      </p>
                      ${
                        one.removed || isGone(keyOf(other, one))
                          ? html`<p class="faint gone">${t("messages.removed")}</p>`
                          : html`
                            <p class="text" dir="auto">${one.text}</p>
                            ${isOwn && canUnsend(one) && html`<${Unsend} message=${one} other=${other} />`}
                          `
                      }
                      <time
                        class="faint"
                        datetime=${new Date(one.created * 1000).toISOString()}
                        title=${moment(one.created)}
                      >
                        ${clock(one.created)}
                      </time>
                    </li>
                  `;
                })}
              </ol>
            `,
        )}
      </div>
      ${!items.length && !isOnWay && html`<${Empty} title=${t("messages.none")} />`}
      ${
        isOnWay &&
        html`
          <ol class="thread" aria-hidden="true">
            <li class="mine waits">
              <p class="text" dir="auto">${sending.text}</p>
              <span class="faint small">${t("messages.sending")}</span>
            </li>
          </ol>
        `
      }
    <//>
  `;
}

/** What is taken away, and not what the other has sent with the same id.
 * @param {Person} other @param {Message} message */
const keyOf = (other, { sender, id }) => `${other.id} ${sender} ${id}`;

/** Whether its sender can still take it away.
 * @param {Message} message */
const canUnsend = ({ created }) =>
  !service.unsendMinutes || created + service.unsendMinutes * 60 > Date.now() / 1000;

/** @param {{message: Message, other: Person}} props */
function Unsend({ message, other }) {
  const unsend = () =>
    takeAway({
      key: `message ${keyOf(other, message)}`,
      what: "message",
      send: (userId) => client.unsendMessage({ userId, otherId: other.id, messageId: message.id }),
    });
  return html`
    <button
      type="button"
      class="button plain small"
      aria-label=${control(t("action.unsend"), message.text.slice(0, EXCERPT))}
      onClick=${unsend}
    >
      ${t("action.unsend")}
    </button>
  `;
}

/** @param {number} seconds */
const clock = (seconds) => new Intl.DateTimeFormat(language, { timeStyle: "short" }).format(seconds * 1000);

/** The day, as one says it.
 * @param {number} seconds */
function dayOf(seconds) {
  const then = new Date(seconds * 1000);
  const now = new Date();
  const midnight = (/** @type {Date} */ date) => new Date(date).setHours(0, 0, 0, 0);
  const ago = Math.round((midnight(now) - midnight(then)) / 86_400_000);
  if (ago === 0 || ago === 1)
    return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(-ago, "day");
  const year = then.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long", year }).format(
    then,
  );
}

/** @param {Message[]} items the oldest first */
function days(items) {
  /** @type {{day: string, items: Message[]}[]} */
  const found = [];
  for (const one of items) {
    const day = dayOf(one.created);
    if (found.at(-1)?.day !== day) found.push({ day, items: [] });
    found.at(-1)?.items.push(one);
  }
  return found;
}

/** What is being written. It leaves the field at once, and is there again if it could not be sent: also
 * where the page was closed meanwhile.
 * @param {string} otherId @param {ReturnType<typeof useList>} list
 * @param {import("../parts/hooks.js").Loaded<any>} friend */
function useWriting(otherId, list, friend) {
  const [values, change, forget] = useDraft(`message.${otherId}`, { text: "", id: "", sent: "", sentId: "" });
  const now = useRef(values);
  now.current = values;
  const [whose] = useState(state.user?.id);
  const back = () => {
    const { text, id, sent, sentId } = now.current;
    // What somebody wrote who has left stays nowhere.
    if (state.user?.id !== whose) return;
    // The id is kept with the text, so that what is sent again is one message.
    if (sent)
      change({ text: text ? `${sent}\n${text}` : sent, id: text ? id : sentId, sent: "", sentId: "" });
  };
  useEffect(back, [otherId]);
  const send = useAction(async () => {
    const { text } = now.current;
    const id = now.current.id || guid();
    change({ text: "", id: "", sent: text, sentId: id });
    try {
      await client.sendMessage({ otherId, body: { text, id } });
    } catch (error) {
      back();
      if (error instanceof ApiError && error.status === 403) void friend.reload();
      throw error;
    }
    await list.reload();
    if (now.current.text) change({ sent: "", sentId: "" });
    else forget();
  });
  const { text, sent, sentId } = values;
  const sending = send.busy && sent ? { id: sentId, text: sent } : null;
  return { text, change: (/** @type {string} */ text) => change({ text, id: "" }), send, sending };
}

/** @param {{write: ReturnType<typeof useWriting>}} props */
function Write({ write }) {
  const { send, text, change } = write;
  return html`
    <${Form} class="compose" of=${send} limits=${limits.sendMessage} onSend=${() => send.run()}>
      <div class="compose-row">
        <${Field}
          label=${t("field.message")}
          name="text"
          lines=${1}
          enterkeyhint="send"
          value=${text}
          onChange=${change}
          onKeyDown=${(/** @type {any} */ event) => {
            if (!sends(event)) return;
            event.preventDefault();
            if (!event.repeat && event.target.value.trim()) event.target.form.requestSubmit();
          }}
        />
        <${Button} type="submit" kind="main" busy=${send.busy}>
          ${t("action.send")}
        <//>
      </div>
      <p class="hint compose-hint">${t("messages.keys")}</p>
      <${Refused} />
    <//>
  `;
}

/** Why nobody can write here, and what helps.
 * @param {{state: "blocked" | "incoming" | "outgoing" | "none", other: Person,
 *   friend: import("../parts/hooks.js").Loaded<any>}} props */
function Closed({ state, other, friend }) {
  const act = useChange(() => friend.reload());
  /** @type {Record<string, [string, () => Promise<any>]>} */
  const ways = {
    blocked: [t("action.unblock"), () => block(other.id, false)],
    none: [t("action.ask"), async () => (await settle(), await client.addFriend({ otherId: other.id }))],
    incoming: [t("action.accept"), () => client.addFriend({ otherId: other.id })],
  };
  const way = ways[state];
  return html`
    <div class="notice thread-closed">
      <p>${t(`messages.closed-${state}`, { name: other.username })}</p>
      <p class="actions">
        ${
          way &&
          html`
            <${Button} kind="main" busy=${act.busy} onClick=${() => act.run(way[1])}>
              ${way[0]}
            <//>
          `
        }
        <a class="button plain" href=${address(`/user/${other.id}`)}>
          ${t("messages.profile")}
        </a>
      </p>
      <${Alert} error=${act.error} />
    </div>
  `;
}
