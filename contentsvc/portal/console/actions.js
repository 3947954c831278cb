/** `/console/actions`: what those who keep order have done. */
import { html } from "../vendor/preact.js";
import { client, may } from "../session.js";
import { address, go } from "../router.js";
import { ago, moment } from "../format.js";
import { hasText, t } from "../texts.js";
import { Chips } from "../parts/chips.js";
import { Button, Choice } from "../parts/form.js";
import { useKept, useLoad } from "../parts/hooks.js";
import { HowMany } from "../parts/how-many.js";
import { List, useList } from "../parts/list.js";
import { Empty } from "../parts/states.js";
import { Actor, useServices } from "./actors.js";
import { ACTS, actName, actWord, KINDS, kindName, known } from "./acts.js";
import { Frame } from "./frame.js";
import { useNames } from "./names.js";
import { roleName } from "./role.js";

/** @typedef {import("../client.js").AuditLogEntry} Act */
/** @typedef {{id: string, run: Act[]}} Row one act, or what programs have done in a row */
/** @typedef {Record<"action" | "kind" | "adminKind" | "admin" | "subject", string>} Asked */

const PART = 50;
/** So many more rows are there at once, where programs have done most of it. */
const ROWS = 25;
const WHO = /** @type {const} */ (["user", "service", "operator"]);
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SUBJECT = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]{1,19}|[0-9a-f]{64})$/i;

/** What an address asks for, as far as it can be asked for.
 * @param {URLSearchParams} query
 * @returns {Asked} */
function asked(query) {
  /** @param {string} name @param {(value: string) => boolean} fits */
  const one = (name, fits) => {
    const value = query.get(name) ?? "";
    return fits(value) ? value : "";
  };
  return {
    action: known(query.get("action") ?? "").join(),
    kind: one("kind", (value) => KINDS.includes(value)),
    adminKind: one("adminKind", (value) => WHO.some((who) => who === value)),
    admin: one("admin", (value) => GUID.test(value)),
    subject: one("subject", (value) => SUBJECT.test(value)),
  };
}

/** @param {import("../router.js").PlaceProps} props */
export default function All({ query }) {
  return html`
    <${Frame} place="/console/actions">
      <${Filtered} asked=${asked(query)} />
    <//>
  `;
}

/** @param {{asked: Asked}} props */
function Filtered({ asked }) {
  const { action, kind, adminKind, admin, subject } = asked;
  const services = useServices();
  const staff = useLoad((signal) => client.listStaff({ limit: 100 }, { signal }), []).data ?? [];
  const name = useNames(admin && !services.has(admin) ? [{ kind: "user", id: admin }] : []);
  /** @param {Partial<Asked>} change */
  const ask = (change) => {
    const now = Object.entries({ ...asked, ...change }).filter(([, value]) => value);
    go(`/console/actions${now.length ? `?${new URLSearchParams(now)}` : ""}`);
  };
  const people = [
    ...staff.map(({ user }) => /** @type {[string, string]} */ ([user.id, user.username])),
    ...services,
  ];
  if (admin && !people.some(([id]) => id === admin))
    people.push([admin, services.get(admin) ?? name({ kind: "user", id: admin })]);
  const choices = Object.values(ACTS).flatMap((acts) => [acts.join(), ...acts]);
  return html`
    <div class="filters three">
      <${Choice}
        label=${t("console.who")}
        value=${admin || adminKind}
        onChange=${(/** @type {string} */ who) =>
          ask(GUID.test(who) ? { admin: who, adminKind: "" } : { adminKind: who, admin: "" })}
        options=${[
          ["", t("console.who-all")],
          ...WHO.map((one) => [one, t(`console.who-${one}`)]),
          [t("console.who-one"), people],
        ]}
      />
      <${Choice}
        label=${t("console.what")}
        value=${action}
        onChange=${(/** @type {string} */ action) => ask({ action })}
        options=${[
          ["", t("console.all-kinds")],
          ...(action && !choices.includes(action) ? [[action, known(action).map(actWord).join(", ")]] : []),
          ...Object.entries(ACTS).map(([about, acts]) => [
            kindName(about),
            [
              ...(acts.length > 1 ? [[acts.join(), t("console.acts-all", { kind: kindName(about) })]] : []),
              ...acts.map((one) => [one, actWord(one)]),
            ],
          ]),
        ]}
      />
      <${Choice}
        label=${t("console.kind")}
        value=${kind}
        onChange=${(/** @type {string} */ kind) => ask({ kind })}
        options=${[["", t("console.all-kinds")], ...KINDS.map((one) => [one, kindName(one)])]}
      />
    </div>
    <${Chips}
      chips=${
        subject
          ? [
              {
                text: t("console.about-one", { id: subject.slice(0, 8) }),
                remove: () => ask({ subject: "" }),
              },
            ]
          : []
      }
      onClear=${() => {}}
    />
    <${Acts} asked=${asked} services=${services} isPlace />
  `;
}

/** @param {{kind: string, id: string}} subject */
function target({ kind, id }) {
  if (kind === "webhook" || kind === "service_account")
    return may("administer") ? `/console/${kind === "webhook" ? "webhooks" : "service-accounts"}` : undefined;
  if (kind === "announcement") return "/console/announcements";
  if (kind === "notification") return may("notify") ? "/console/notifications" : undefined;
  return {
    content: `/content/${id}`,
    user: `/console/users/${id}`,
    challenge: `/challenges/${id}`,
    comment: `/console/reports/comment/${id}`,
    collection: `/console/reports/collection/${id}`,
  }[kind];
}

/** How much an act was about, of a kind. A later release may have others.
 * @param {string} kind @param {number} count */
function counted(kind, count) {
  const key = `console.clear-${kind}`;
  return hasText(key) ? t(/** @type {"console.clear-content"} */ (key), { count }) : `${kind} ${count}`;
}

/** Everything that was done about one subject.
 * @param {{subject: string}} props */
export function Actions({ subject }) {
  const services = useServices();
  return html`<${Acts} asked=${{ subject }} services=${services} />`;
}

/** Rows of acts: what programs have done between two acts of people is one.
 * @param {Act[]} acts
 * @returns {Row[]} */
function folded(acts) {
  /** @type {Row[]} */
  const rows = [];
  for (const one of acts) {
    const before = rows.at(-1);
    if (one.adminKind === "service" && before?.run[0].adminKind === "service") before.run.push(one);
    else rows.push({ id: one.id, run: [one] });
  }
  return rows;
}

/** @param {Act[]} acts each is a row
 * @returns {Row[]} */
const apart = (acts) => acts.map((one) => ({ id: one.id, run: [one] }));

/** The names of what these acts are about, and of who did them.
 * @param {Act[]} acts */
const useNamesOf = (acts) =>
  useNames(
    acts.flatMap((one) => [
      one.subject,
      ...(one.adminKind === "user" ? [{ kind: "user", id: one.admin }] : []),
    ]),
  );

/** @param {{asked: Partial<Asked>, services: Map<string, string>, isPlace?: boolean}} props */
function Acts({ asked, services, isPlace = false }) {
  // Who asks for programs sees each of their acts.
  const rowsOf = asked.adminKind === "service" || (asked.admin && services.has(asked.admin)) ? apart : folded;
  const query = Object.fromEntries(Object.entries(asked).filter(([, value]) => value));
  const found = useList(
    "listModerationActions",
    { limit: PART, ...query },
    [JSON.stringify(query)],
    (/** @type {Act[]} */ acts, before) => rowsOf(acts).length >= rowsOf(acts.slice(0, before)).length + ROWS,
  );
  const rows = rowsOf(found.data?.items ?? []);
  const name = useNamesOf(rows.filter(({ run }) => run.length === 1).flatMap(({ run }) => run));
  const isNarrow = Object.keys(query).length > 0;
  return html`
    ${isPlace && html`<${HowMany} of=${found} />`}
    <${List}
      of=${{ ...found, data: found.data && { ...found.data, items: rows } }}
      label=${t("console.actions")}
      item=${(/** @type {Row} */ row) =>
        row.run.length > 1
          ? html`<${Run} row=${row} services=${services} />`
          : html`<${One} one=${row.run[0]} services=${services} name=${name} />`}
      empty=${
        isPlace
          ? html`<${Empty} title=${t(isNarrow ? "console.no-actions-fit" : "console.no-actions")} />`
          : html`<p class="faint">${t("console.no-actions")}</p>`
      }
    />
  `;
}

/** @param {number} when */
const time = (when) =>
  html`
    <time class="faint small" datetime=${new Date(when * 1000).toISOString()} title=${moment(when)}>
      ${ago(when)}
    </time>
  `;

/** What programs have done in a row, as one until it is opened.
 * @param {{row: Row, services: Map<string, string>}} props */
function Run({ row, services }) {
  const { id, run } = row;
  const [isOpen, open] = useKept(`run ${id}`, false);
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const one of run) counts.set(one.action, (counts.get(one.action) ?? 0) + 1);
  const who = [...new Set(run.map((one) => one.admin))].map((one) => services.get(one) ?? one.slice(0, 8));
  return html`
    <p class="line">
      <b>${t("console.run", { count: run.length })}</b>
      <span class="faint small">${t("console.by")} <bdi>${who.join(", ")}</bdi></span>
      ${time(run[0].created)}
      <${Button}
        class="button plain small"
        aria-expanded=${isOpen}
        onClick=${() => open(!isOpen)}
      >
        ${t(isOpen ? "console.run-close" : "console.run-open")}
      <//>
    </p>
    <p class="facts small">
      ${[...counts]
        .sort(([, a], [, b]) => b - a)
        .map(
          ([action, count]) =>
            html`
              <span class="badge static" key=${action}>
                ${t("console.reason", { reason: actWord(action), count })}
              </span>
            `,
        )}
    </p>
    ${isOpen && html`<${Inside} run=${run} services=${services} />`}
  `;
}

/** @param {{run: Act[], services: Map<string, string>}} props */
function Inside({ run, services }) {
  const name = useNamesOf(run);
  return html`
    <ul class="rows inside">
      ${run.map(
        (one) =>
          html`
            <li key=${one.id}>
              <${One} one=${one} services=${services} name=${name} />
            </li>
          `,
      )}
    </ul>
  `;
}

/** @param {{one: Act, services: Map<string, string>, name: ReturnType<typeof useNames>}} props */
function One({ one, services, name }) {
  const path = target(one.subject);
  const named = services.get(one.subject.id) ?? name(one.subject);
  const what = `${kindName(one.subject.kind)} ${named}`;
  return html`
    <p class="line">
      <b>${actName(one.action)}</b>${" "}
      ${
        path
          ? html`
            <a href=${address(path)}>
              <bdi>${what}</bdi>
            </a>
          `
          : html`<bdi>${what}</bdi>`
      }
      ${
        one.adminKind === "operator"
          ? html`
            <span class="faint small">
              ${t("console.by")} ${t("console.operator")}
            </span>
          `
          : html`
            <${Actor}
              id=${one.admin}
              services=${services}
              name=${name}
              isService=${one.adminKind === "service"}
            />
          `
      }
      ${time(one.created)}
    </p>
    ${
      one.counts &&
      html`
        <p class="small">
          ${Object.entries(one.counts)
            .map(([kind, count]) => counted(kind, Number(count)))
            .join(", ")}
        </p>
      `
    }
    ${
      one.reason &&
      html`
        <p class="text small" dir="auto">
          ${one.action === "role_changed" ? roleName(one.reason) : one.reason}
        </p>
      `
    }
  `;
}
