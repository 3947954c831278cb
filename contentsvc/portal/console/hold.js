/** `/console/holds/{kind}/{id}`: holds something, or shows the hold that there is: its copy, to whom that was
 * given, and its end. */
import { ApiError, guid } from "../client.js";
import { html, useEffect, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { instant, local, moment, size } from "../format.js";
import { t } from "../texts.js";
import { Confirm } from "../parts/confirm.js";
import { Alert, Button, Dialog, Field, Form, Refused } from "../parts/form.js";
import { useAction, useDraft, useLoad } from "../parts/hooks.js";
import { PersonLink } from "../parts/people.js";
import { useRetry } from "../parts/retry.js";
import { save } from "../parts/save.js";
import { Loaded } from "../parts/states.js";
import { When } from "../parts/when.js";
import NotFound from "../places/not-found.js";
import { Frame } from "./frame.js";
import { HoldState, KINDS } from "./holds.js";
import { useNames } from "./names.js";
import { timeOf } from "./times.js";
import { usePerson } from "./person.js";

/** @typedef {import("../client.js").Hold} Hold */
/** @typedef {typeof KINDS[number]} Kind */

/** Milliseconds until it is looked at again while it is copied. */
const PAUSE = 3_000;

/** @param {import("../router.js").PlaceProps} props */
export default function Place({ parameters }) {
  const kind = KINDS.find((one) => one === parameters.kind);
  const id = parameters.subject;
  const name = useNames(kind ? [{ kind, id }] : []);
  if (!kind) return html`<${NotFound} />`;
  return html`
    <${Frame}
      place="/console/holds"
      needs="administer"
      title=${t("console.hold-of", { name: name({ kind, id }) })}
    >
      <${One} kind=${kind} id=${id} />
    <//>
  `;
}

/** @param {{kind: Kind, id: string}} props */
function One({ kind, id }) {
  const found = useLoad(
    (signal) =>
      client.getHold({ kind, id }, { signal }).catch((error) => {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }),
    [kind, id],
  );
  useRetry(found.data?.state === "copying", PAUSE, found.reload);
  return html`
    <${Loaded} of=${found}>
      ${(/** @type {Hold | null} */ hold) =>
        html`
          <p class="small"><${Subject} kind=${kind} id=${id} /></p>
          ${hold && html`<${Held} of=${hold} reload=${found.reload} />`}
          <section class="panel">
            <h3>${t(hold ? "console.hold-change" : "console.hold-place")}</h3>
            ${!hold && html`<p class="hint">${t("console.hold-hint")}</p>`}
            <${Keep} key=${hold?.created} kind=${kind} id=${id} of=${hold} onDone=${found.reload} />
          </section>
          ${hold && html`<${Escalations} of=${hold} reload=${found.reload} />`}
        `}
    <//>
  `;
}

/** @param {{kind: Kind, id: string}} props */
function Subject({ kind, id }) {
  const path = kind === "user" ? `/console/users/${id}` : `/console/reports/${kind}/${id}`;
  return html`<a href=${address(path)}>${t("console.hold-subject")}</a>`;
}

/** What is held, and what one does with it.
 * @param {{of: Hold, reload: () => Promise<void>}} props */
function Held({ of, reload }) {
  const { kind, id } = of;
  const by = usePerson(of.by);
  const [erases, setErases] = useState(false);
  const asked = { kind: /** @type {Kind} */ (kind), id };
  const copy = useAction(async () => {
    const found = await client.text("getHoldCopy", asked);
    save(new Blob([found], { type: "application/json" }), `hold-${kind}-${id}.json`);
  });
  return html`
    <section class="panel">
      <p class="line">
        <${HoldState} state=${of.state} />
        <span>${size(of.bytes)}</span>
        ${by && html`<${PersonLink} person=${by} />`}
        <${When} at=${of.created} />
      </p>
      ${of.state !== "kept" && html`<p class="small">${t(/** @type {any} */ (`hold.${of.state}-text`))}</p>`}
      <p class="text" dir="auto">${of.reason}</p>
      <p>${t("console.hold-until", { time: moment(of.until) })}</p>
      <p class="hint">${t("console.hold-copy-hint")}</p>
      <${Alert} error=${copy.error} />
      <p class="actions">
        <${Button} busy=${copy.busy} disabled=${of.state === "copying"} onClick=${() => copy.run()}>
          ${t("console.hold-copy")}
        <//>
        <${Button} kind="danger" aria-haspopup="dialog" onClick=${() => setErases(true)}>
          ${t("console.hold-erase")}
        <//>
      </p>
      ${
        erases &&
        html`
          <${Confirm}
            title=${t("console.hold-erase-title")}
            text=${t("console.hold-erase-text")}
            action=${t("console.hold-erase")}
            onClose=${() => setErases(false)}
            work=${async () => (await client.deleteHold(asked), await reload())}
          />
        `
      }
    </section>
  `;
}

/** Places a hold, or changes its reason and its end.
 * @param {{kind: Kind, id: string, of: Hold | null, onDone: () => Promise<void>}} props */
function Keep({ kind, id, of, onDone }) {
  const [{ reason, until }, change, forget] = useDraft(`hold.${kind}.${id}`, {
    reason: of?.reason ?? "",
    until: local(of?.until),
  });
  const [isDone, setDone] = useState(false);
  const keep = useAction(async () => {
    const end = timeOf(until, of?.until);
    await client.putHold({ kind, id, body: { reason: reason.trim(), ...(end && { until: end }) } });
    forget();
    setDone(true);
    await onDone();
  });
  useEffect(() => {
    if (of) forget();
  }, [of?.reason, of?.until]);
  return html`
    <${Form} of=${keep} limits=${limits.putHold} onSend=${() => keep.run()}>
      <${Field}
        label=${t("field.reason")}
        name="reason"
        lines=${2}
        required
        value=${reason}
        sent=${reason.trim()}
        hint=${t("console.hold-reason-hint")}
        onChange=${(/** @type {string} */ reason) => change({ reason })}
      />
      <${Field}
        label=${t("console.until")}
        name="until"
        type="datetime-local"
        value=${until}
        sent=${instant(until)}
        wrong=${t("console.hold-until-wrong")}
        hint=${t("console.hold-until-hint")}
        onChange=${(/** @type {string} */ until) => change({ until })}
      />
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${keep.busy}>
          ${t(of ? "action.save" : "console.hold-place")}
        <//>
        ${isDone && html`<span role="status" class="small">${t("console.hold-done")}</span>`}
      </p>
    <//>
  `;
}

/** To whom it was given.
 * @param {{of: Hold, reload: () => Promise<void>}} props */
function Escalations({ of, reload }) {
  const [adding, setAdding] = useState(false);
  return html`
    <section>
      <h3>${t("console.escalations")}</h3>
      ${
        of.escalations.length
          ? html`
            <ul class="rows" aria-label=${t("console.escalations")}>
              ${of.escalations.map(
                (one) =>
                  html`
                    <li key=${one.id}>
                      <p class="line">
                        <b dir="auto">${one.to}</b>
                        ${one.reference && html`<span dir="auto">${one.reference}</span>`}
                        <span class="faint small">${moment(one.at)}</span>
                      </p>
                      ${one.note && html`<p class="small text" dir="auto">${one.note}</p>`}
                    </li>
                  `,
              )}
            </ul>
          `
          : html`<p class="faint small">${t("console.no-escalations")}</p>`
      }
      <p class="actions">
        <${Button} aria-haspopup="dialog" onClick=${() => setAdding(true)}>
          ${t("console.escalate")}
        <//>
      </p>
      ${adding && html`<${Escalate} of=${of} onDone=${reload} onClose=${() => setAdding(false)} />`}
    </section>
  `;
}

/** @param {{of: Hold, onDone: () => Promise<void>, onClose: () => void}} props */
function Escalate({ of, onDone, onClose }) {
  const [values, change, forget] = useDraft(`escalation.${of.kind}.${of.id}`, {
    id: "",
    to: "",
    reference: "",
    at: local(Date.now() / 1000),
    note: "",
  });
  const { to, reference, at, note } = values;
  const send = useAction(async () => {
    // The id is kept with what is typed, so that what is sent again is one.
    const escalationId = values.id || guid();
    change({ id: escalationId });
    await client.putEscalation({
      kind: /** @type {Kind} */ (of.kind),
      id: of.id,
      escalationId,
      body: { to: to.trim(), reference: reference.trim(), at: instant(at) ?? 0, note: note.trim() },
    });
    forget();
    onClose();
    await onDone();
  });
  /** @param {string} name @param {import("../texts.js").Key} label @param {Record<string, any>} [more] */
  const field = (name, label, more = {}) =>
    html`
      <${Field}
        label=${t(label)}
        name=${name}
        value=${/** @type {Record<string, string>} */ (values)[name]}
        onChange=${(/** @type {string} */ value) => change({ [name]: value })}
        ...${more}
      />
    `;
  return html`
    <${Dialog} title=${t("console.escalate")} onClose=${onClose}>
      <${Form} of=${send} limits=${limits.putEscalation} onSend=${() => send.run()}>
        <p class="hint">${t("console.escalate-hint")}</p>
        ${field("to", "console.escalate-to", { required: true })}
        ${field("reference", "console.escalate-reference")}
        ${field("at", "console.escalate-at", { type: "datetime-local", required: true, sent: instant(at) })}
        ${field("note", "console.note", { lines: 2 })}
        <${Refused} />
        <p class="actions">
          <${Button} type="submit" kind="main" busy=${send.busy}>${t("action.save")}<//>
        </p>
      <//>
    <//>
  `;
}
