/** What was decided about a subject or a player, what stands of it, and the way to reverse it. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { moment } from "../format.js";
import { t } from "../texts.js";
import { Details } from "../parts/details.js";
import {
  actionWords,
  Facts,
  Ground,
  lastsWords,
  StateBadge,
  stateOf,
  SubjectLink,
  whatWords,
} from "../parts/decision.js";
import { Button, Dialog, Field, Form, Refused } from "../parts/form.js";
import { useAction, useDraft } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { control } from "../parts/names.js";
import { PersonLink } from "../parts/people.js";
import { When } from "../parts/when.js";
import { usePerson } from "./person.js";

/** @typedef {import("../client.js").Decision} Decision */

/** A list of decisions, the newest first: what stands, and what else there was behind it.
 * @param {{of: {user: string} | {subject: string}, title?: string, without?: string, count: number,
 *   onChange: () => unknown}} props `without` is the id of a subject that has a list of its own; with another
 *   `count` it is read again, and what is open in it stays open; `onChange` hears that one was reversed */
export function Decisions({ of, title = t("console.decisions"), without, count, onChange }) {
  const key = Object.values(of)[0];
  const standing = useList("listDecisions", { ...of, open: true, limit: 20 }, [key]);
  useEffect(() => void (count && standing.reload()), [count]);
  const shown = standing.data && {
    ...standing.data,
    items: standing.data.items.filter((one) => one.subject.id !== without),
  };
  const change = async () => void (await Promise.all([standing.reload(), onChange()]));
  return html`
    <section>
      <h2>${title}</h2>
      <${List}
        of=${{ ...standing, data: shown }}
        label=${title}
        item=${(/** @type {Decision} */ one) =>
          html`<${One} of=${one} hasSubject=${"user" in of} onChange=${change} />`}
        empty=${html`<p class="faint small">${t("console.none-standing")}</p>`}
      />
      <${Details} name=${`past ${key}`} summary=${t("console.decisions-past")}>
        ${() => html`<${Past} key=${count} of=${of} />`}
      <//>
    </section>
  `;
}

/** What does not stand any more.
 * @param {{of: {user: string} | {subject: string}}} props */
function Past({ of }) {
  const found = useList("listDecisions", { ...of, open: false, limit: 20 }, [Object.values(of)[0]]);
  return html`
    <${List}
      of=${found}
      label=${t("console.decisions-past")}
      item=${(/** @type {Decision} */ one) => html`<${One} of=${one} hasSubject=${"user" in of} />`}
      empty=${html`<p class="faint small">${t("console.none-past")}</p>`}
    />
  `;
}

/** A decision. It can be reversed where `onChange` is to hear of that.
 * @param {{of: Decision, hasSubject?: boolean, onChange?: () => unknown}} props */
export function One({ of, hasSubject = false, onChange }) {
  const [asks, setAsks] = useState(false);
  const by = usePerson(of.by);
  const name = actionWords(of.action, of.subject.kind);
  const lasts = lastsWords(of);
  return html`
    <article class="decision">
      <p class="line">
        <b>${name}</b>
        <${StateBadge} of=${of} />
        <${When} at=${of.created} />
        ${by && html`<span class="faint small">${t("console.by")} <${PersonLink} person=${by} /></span>`}
      </p>
      ${of.what && html`<p class="small">${whatWords(of.what)}</p>`}
      ${lasts && html`<p class="small">${lasts}</p>`}
      ${
        hasSubject &&
        of.subject.kind !== "user" &&
        html`<p class="small"><${SubjectLink} subject=${of.subject} own=${false} /></p>`
      }
      <${Ground} ground=${of.ground} />
      ${
        of.facts &&
        html`
          <${Details} name=${`facts ${of.id}`} summary=${t("console.then")}>
            <${Facts} facts=${of.facts} />
          <//>
        `
      }
      ${
        of.reversed &&
        html`
          <p class="small">
            ${t("decision.reversed-at", { time: moment(of.reversed.created) })}${" "}
            <span dir="auto">${of.reversed.reason}</span>
          </p>
        `
      }
      ${
        of.appeals.some(({ state }) => state === "open") &&
        html`
          <p class="small">
            <a href=${address("/console/appeals")}>${t("console.appeal-waits")}</a>
          </p>
        `
      }
      ${
        onChange &&
        stateOf(of) === "stands" &&
        html`
          <p class="actions">
            <button
              type="button"
              class="button small plain"
              aria-haspopup="dialog"
              aria-label=${control(t("console.reverse"), name)}
              onClick=${() => setAsks(true)}
            >
              ${t("console.reverse")}
            </button>
          </p>
        `
      }
      ${asks && html`<${Reverse} of=${of} name=${name} onDone=${onChange} onClose=${() => setAsks(false)} />`}
    </article>
  `;
}

/** @param {{of: Decision, name: string, onDone?: () => unknown, onClose: () => void}} props */
function Reverse({ of, name, onDone, onClose }) {
  const [{ reason }, change, forget] = useDraft(`reverse.${of.id}`, { reason: "" });
  const reverse = useAction(async () => {
    await client.reverseDecision({ decisionId: of.id, body: { reason: reason.trim() } });
    forget();
    onClose();
    await onDone?.();
  });
  return html`
    <${Dialog} title=${t("console.reverse-title", { name })} onClose=${onClose}>
      <${Form} of=${reverse} limits=${limits.reverseDecision} onSend=${() => reverse.run()}>
        <p class="hint">${t("console.reverse-text")}</p>
        <${Field}
          label=${t("field.reason")}
          lines=${3}
          name="reason"
          value=${reason}
          sent=${reason.trim()}
          needed=${t("console.reason-needed")}
          hint=${t("console.reason-hint")}
          onChange=${(/** @type {string} */ reason) => change({ reason })}
        />
        <${Refused} />
        <p class="actions">
          <${Button} type="submit" kind="main" busy=${reverse.busy}>
            ${t("console.reverse")}
          <//>
        </p>
      <//>
    <//>
  `;
}
