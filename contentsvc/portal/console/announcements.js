/** `/console/announcements`: what everybody is told who looks. */
import { guid } from "../client.js";
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { replace } from "../replace.js";
import { local, moment } from "../format.js";
import { t } from "../texts.js";
import { Confirm } from "../parts/confirm.js";
import { Both, useEdit } from "../parts/edit.js";
import { Alert, Button, Choice, Dialog, Field, Form, Refused } from "../parts/form.js";
import { useChange } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { control } from "../parts/names.js";
import { Empty } from "../parts/states.js";
import { Frame } from "./frame.js";
import { timeOf, Times } from "./times.js";

/** @typedef {import("../client.js").Announcement} Announcement */

export default function Announcements() {
  return html`
    <${Frame} place="/console/announcements" needs="curate">
      <${All} />
    <//>
  `;
}

/** @param {Announcement} one
 * @returns {"coming" | "now" | "over"} */
function standing({ from, until }) {
  const now = Date.now() / 1000;
  if (until !== null && until <= now) return "over";
  return from !== null && from > now ? "coming" : "now";
}

function All() {
  const found = useList("listAnnouncements", { all: true, limit: 50 }, []);
  const [editing, setEditing] = useState(/** @type {Announcement | "new" | null} */ (null));
  const [deleting, setDeleting] = useState(/** @type {Announcement | null} */ (null));
  const change = useChange(found.reload);
  /** @param {Announcement} one */
  const end = ({ id }) =>
    replace(
      (options) => client.getAnnouncement({ announcementId: id }, options),
      ({ id, ...body }, options) =>
        client.putAnnouncement({ announcementId: id, body: { ...body, ...ended(body.from) } }, options),
    );
  const done = async () => {
    setEditing(null);
    await found.reload();
  };
  return html`
    <div class="row-head">
      <p class="hint">${t("console.announcements-lead")}</p>
      <${Button} kind="main" onClick=${() => setEditing("new")}>
        ${t("console.new-announcement")}
      <//>
    </div>
    <${Alert} error=${change.error} />
    <${List}
      of=${found}
      label=${t("console.announcements")}
      item=${(/** @type {Announcement} */ one) => {
        const state = standing(one);
        const times = [
          one.from !== null && t("console.announced-from", { time: moment(one.from) }),
          one.until !== null && t("console.announced-until", { time: moment(one.until) }),
        ].filter(Boolean);
        return html`
          <div class="line">
            <b dir="auto">${one.title}</b>
            <span class=${`badge static ${one.level === "warning" ? "warn" : ""}`}>
              ${t(one.level === "warning" ? "announcements.warning" : "announcements.info")}
            </span>
            <span class=${`badge static ${state === "now" ? "state-open" : ""}`}>
              ${t(`console.announced-${state}`)}
            </span>
          </div>
          ${
            one.text &&
            html`
              <p class="text small" dir="auto">
                ${one.text}
              </p>
            `
          }
          ${times.length > 0 && html`<p class="faint small">${times.join(" · ")}</p>`}
          <p class="actions">
            <${Button}
              class="button plain small"
              aria-label=${control(t("action.edit"), one.title)}
              onClick=${() => setEditing(one)}
            >
              ${t("action.edit")}
            <//>
            ${
              state !== "over" &&
              html`
                <${Button}
                  class="button plain small"
                  busy=${change.busy}
                  aria-label=${control(t("console.end-announcement"), one.title)}
                  onClick=${() => change.run(() => end(one))}
                >
                  ${t("console.end-announcement")}
                <//>
              `
            }
            <${Button}
              class="button danger small"
              aria-haspopup="dialog"
              aria-label=${control(t("action.delete"), one.title)}
              onClick=${() => setDeleting(one)}
            >
              ${t("action.delete")}
            <//>
          </p>
        `;
      }}
      empty=${html`
        <${Empty}
          title=${t("console.no-announcements")}
          text=${t("console.no-announcements-text")}
        />
      `}
    />
    ${
      deleting &&
      html`
        <${Confirm}
          title=${t("console.delete-announcement", { name: deleting.title })}
          text=${t("console.delete-announcement-text")}
          action=${t("action.delete")}
          onClose=${() => setDeleting(null)}
          work=${async () => {
            await client.deleteAnnouncement({ announcementId: deleting.id });
            await found.reload();
          }}
        />
      `
    }
    ${
      editing &&
      html`
        <${Edit}
          announcement=${editing === "new" ? null : editing}
          onDone=${done}
          onClose=${() => setEditing(null)}
        />
      `
    }
  `;
}

/** Times of which the last is over. What has not begun never begins.
 * @param {number | null} from */
function ended(from) {
  const now = Math.floor(Date.now() / 1000);
  return { from: from !== null && from >= now ? null : from, until: now };
}

/** @param {Announcement} one */
const fieldsOf = ({ id, title, text, level, from, until }) => ({
  id,
  title,
  text,
  level: /** @type {string} */ (level),
  from: local(from),
  until: local(until),
});

/** @param {{announcement: Announcement | null, onDone: () => Promise<void>, onClose: () => void}} props */
function Edit({ announcement, onDone, onClose }) {
  // The id is kept too: sent again after a lost answer, it is announced once.
  const [made] = useState(guid);
  const shown = announcement
    ? fieldsOf(announcement)
    : { id: made, title: "", text: "", level: "info", from: "", until: "" };
  const { values, change, save, both } = useEdit(`announcement.${announcement?.id ?? "new"}`, shown, {
    read: announcement
      ? (options) => client.getAnnouncement({ announcementId: announcement.id }, options)
      : null,
    fields: fieldsOf,
    write: ({ id, title, text, level, from, until }, now, options) => {
      const times = { from: timeOf(from, now?.from), until: timeOf(until, now?.until) };
      return client.putAnnouncement(
        {
          announcementId: id,
          body: { title, text, level: level === "warning" ? "warning" : "info", ...times },
        },
        options,
      );
    },
    done: onDone,
  });
  /** @param {Record<string, string>} part */
  const put = (part) => change(announcement ? part : { id: values.id, ...part });
  /** @param {string} name */
  const set = (name) => (/** @type {string} */ value) => put({ [name]: value });
  const labels = {
    title: t("console.announcement-title"),
    text: t("console.announcement-text"),
    level: t("console.level"),
    from: t("console.from"),
    until: t("console.until"),
  };
  const words = {
    level: (/** @type {string} */ one) =>
      t(one === "warning" ? "announcements.warning" : "announcements.info"),
  };
  return html`
    <${Dialog}
      title=${t(announcement ? "action.edit" : "console.new-announcement")}
      onClose=${onClose}
    >
        <${Form} of=${save} limits=${limits.putAnnouncement} onSend=${() => save.run()}>
          <${Field}
            label=${t("console.announcement-title")}
            name="title"
            value=${values.title}
            onChange=${set("title")}
          />
          <${Field}
            label=${t("console.announcement-text")}
            lines=${4}
            name="text"
            value=${values.text}
            onChange=${set("text")}
          />
          <${Choice}
            label=${t("console.level")}
            name="level"
            value=${values.level}
            onChange=${set("level")}
            options=${[
              ["info", t("announcements.info")],
              ["warning", t("announcements.warning")],
            ]}
          />
          <${Times}
            names=${["from", "until"]}
            labels=${labels}
            values=${values}
            hints=${{ from: t("console.from-hint"), until: t("console.until-hint") }}
            onChange=${put}
          />
          <${Both} of=${both} labels=${labels} words=${words} />
          <${Refused} />
          <p class="actions">
            <${Button} type="submit" kind="main" busy=${save.busy}>
              ${t("action.save")}
            <//>
          </p>
        <//>
    <//>
  `;
}
