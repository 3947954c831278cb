/** `/console/events`: what has happened, as the studio's own programs read it, live. */
import { ApiError } from "../client.js";
import { html, useEffect, useState } from "../vendor/preact.js";
import { recall, remember } from "../history.js";
import { client } from "../session.js";
import { address, note } from "../router.js";
import { moment, size } from "../format.js";
import { hasText, t } from "../texts.js";
import { Alert, Button } from "../parts/form.js";
import { useAction, useLoad } from "../parts/hooks.js";
import { Empty, Loaded } from "../parts/states.js";
import { When } from "../parts/when.js";
import { Actor, useServices } from "./actors.js";
import { EVENT_KINDS, eventName, Kinds } from "./event-kinds.js";
import { before, newest } from "./events-read.js";
import { Frame } from "./frame.js";
import { useNames } from "./names.js";

/** @typedef {import("./events-read.js").Event} Event */
/** @typedef {{items: Event[], low: number, newest: number}} Shown */

/** A page that follows for long keeps the newest of them. */
const MOST = 500;

/** @param {import("../router.js").PlaceProps} props */
export default function Events({ query }) {
  const kinds = (query.get("kinds") ?? "")
    .split(",")
    .filter((one) => EVENT_KINDS.some((kind) => kind === one));
  return html`
    <${Frame} place="/console/events" needs="events">
      <${All} first=${{ kinds, isLive: query.get("live") !== "no" }} />
    <//>
  `;
}

/** Whether this tab is the one that is looked at. */
function useVisible() {
  const [isVisible, setVisible] = useState(document.visibilityState !== "hidden");
  useEffect(() => {
    const look = () => setVisible(document.visibilityState !== "hidden");
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return isVisible;
}

/** @param {{first: {kinds: string[], isLive: boolean}}} props what the address asks for */
function All({ first }) {
  const [{ kinds, isLive }, setChosen] = useState(first);
  /** @param {Partial<typeof first>} change */
  const choose = (change) => {
    const now = { kinds, isLive, ...change };
    setChosen(now);
    const query = [now.kinds.length > 0 && `kinds=${now.kinds.join()}`, !now.isLive && "live=no"]
      .filter(Boolean)
      .join("&");
    note(`/console/events${query && `?${query}`}`);
  };
  const asked = kinds.join();
  // How far it was shown before.
  const from = `events from ${asked}`;
  const found = useLoad(
    async (signal) => {
      const last = await newest(signal);
      let { items, low } = await before(last, asked, signal);
      while (low > (recall(from) ?? Infinity)) {
        const part = await before(low, asked, signal);
        items = [...items, ...part.items];
        low = part.low;
      }
      return /** @type {Shown} */ ({ items, low, newest: last });
    },
    [asked],
  );
  const services = useServices();
  const [broken, setBroken] = useState(/** @type {unknown} */ (null));
  const isVisible = useVisible();
  const isRead = found.data !== undefined;
  useEffect(() => {
    if (!isLive || !isVisible || !found.data) return;
    setBroken(null);
    const events = client.events({ after: found.data.newest, ...(asked && { kinds: asked }) });
    const follow = async () => {
      for await (const one of events) {
        found.change((was) => ({
          ...was,
          newest: one.number,
          items: [one, ...was.items].slice(0, MOST),
          low: was.items.length < MOST ? was.low : was.items[MOST - 2].number - 1,
        }));
      }
    };
    follow().catch((/** @type {unknown} */ error) => {
      setBroken(error);
      choose({ isLive: false });
    });
    return () => events.close();
  }, [isLive, isVisible, isRead, asked]);
  const more = useAction(async () => {
    const was = found.data;
    if (!was) return;
    const part = await before(was.low, asked);
    remember(from, part.low);
    found.change((now) => ({ ...now, items: [...now.items, ...part.items], low: part.low }));
  });
  const items = found.data?.items ?? [];
  const name = useNames(
    items.flatMap((one) => [
      one.subject,
      ...Object.entries(one.data).flatMap(([key, value]) => named(key, value) ?? []),
      ...(one.actor && !services.has(one.actor) ? [{ kind: "user", id: one.actor }] : []),
    ]),
  );
  if (found.error instanceof ApiError && found.error.status === 404)
    return html`<${Empty} title=${t("console.events-off")} />`;
  return html`
    <div class="row-head">
      <${Kinds} value=${kinds} onChange=${(/** @type {string[]} */ kinds) => choose({ kinds })} />
      <${Button} aria-pressed=${isLive} onClick=${() => choose({ isLive: !isLive })}>
        ${t("console.live")}
      <//>
    </div>
    <${Alert} error=${broken} />
    <${Loaded} of=${found}>
      ${(/** @type {Shown} */ { items, low }) =>
        html`
          ${
            items.length
              ? html`
                <ul class="rows" aria-label=${t("console.events")}>
                  ${items.map(
                    (one) =>
                      html`
                        <li key=${one.number}>
                          <${One} event=${one} name=${name} services=${services} />
                        </li>
                      `,
                  )}
                </ul>
              `
              : html`<${Empty} title=${t("console.no-events")} />`
          }
          ${
            low > 0 &&
            html`
              <${Alert} error=${more.error} />
              <p class="more">
                <${Button} busy=${more.busy} onClick=${() => more.run()}>
                  ${t("action.more")}
                <//>
              </p>
            `
          }
        `}
    <//>
  `;
}

/** Where a subject is looked at.
 * @param {Event["subject"]} subject */
function target({ kind, id, content }) {
  if (kind === "comment") return content ? `/content/${content}#comment-${id}` : null;
  /** @type {Record<string, string>} */
  const paths = {
    content: `/content/${id}`,
    user: `/console/users/${id}`,
    challenge: `/challenges/${id}`,
    webhook: "/console/webhooks",
  };
  return paths[kind] ?? null;
}

/** The members that are ids: of which kind.
 * @type {Record<string, "user" | "content">} */
const IDS = { author: "user", sender: "user", entry: "content", winners: "content" };

/** What a member of an event is about, where that has a name.
 * @param {string} key @param {unknown} value */
function named(key, value) {
  if (!(key in IDS)) return null;
  return [value].flat().map((id) => ({ kind: IDS[key], id: String(id) }));
}

/** What a member is called. A later release may have others.
 * @param {string} key */
function memberName(key) {
  const text = `event-member.${key}`;
  return hasText(text) ? t(text) : key;
}

/** What an event says beside its subject, as its members have it.
 * @param {string} name @param {unknown} value */
function value(name, value) {
  if (name === "size" && typeof value === "number") return size(value);
  // Only its beginning says anything.
  if (name === "revision") return String(value).slice(0, 8);
  if (name === "until" && typeof value === "number") return moment(value);
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** @param {{event: Event, name: (subject: {kind: string, id: string, content?: string}) => string,
 *   services: Map<string, string>}} props */
function One({ event, name, services }) {
  const { subject, actor } = event;
  const kind = `subject.${subject.kind}`;
  const place = target(subject);
  const what = html`
    ${hasText(kind) ? t(kind) : subject.kind} <bdi>${name(subject)}</bdi>
  `;
  // Who has done it is said already.
  const data = Object.entries(event.data).filter(
    ([key, value]) => value !== undefined && value !== null && !(key === "author" && value === actor),
  );
  /** @param {string} key @param {unknown} one */
  const shown = (key, one) =>
    named(key, one)?.map(
      (about, at) =>
        html`
          ${at > 0 && ", "}
          <a key=${about.id} href=${address(target(about) ?? "")}>
            <bdi>${name(about)}</bdi>
          </a>
        `,
    ) ?? html`<bdi class="mono">${value(key, one)}</bdi>`;
  return html`
    <p class="line event">
      <span class="faint small mono">${event.number}</span> <b>${eventName(event.kind)}</b>
      ${place ? html`<a class="event-about" href=${address(place)}>${what}</a>` : html`<span>${what}</span>`}
      ${actor && html`<${Actor} id=${actor} services=${services} name=${name} />`}
      <${When} at=${event.created} />
    </p>
    ${
      data.length > 0 &&
      html`
        <p class="small facts event-data">
          ${data.map(
            ([key, one]) =>
              html`
                <span key=${key}>
                  <span class="faint">${memberName(key)}</span> ${shown(key, one)}
                </span>
              `,
          )}
        </p>
      `
    }
  `;
}
