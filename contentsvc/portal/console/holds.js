/** `/console/holds`: what admins keep as it is, for a court or an authority, whatever becomes of it. */
import { html, useState } from "../vendor/preact.js";
import { address, go } from "../router.js";
import { moment, size } from "../format.js";
import { t } from "../texts.js";
import { Button, Choice, Field, Form, Refused } from "../parts/form.js";
import { useAction } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { refuse } from "../parts/problems.js";
import { Empty } from "../parts/states.js";
import { When } from "../parts/when.js";
import { Frame } from "./frame.js";
import { useNames } from "./names.js";

/** @typedef {import("../client.js").Hold} Hold */

export const KINDS = /** @type {const} */ (["content", "user", "file"]);
/** What is the id of each. */
const IDS = { content: /^[0-9a-f-]{36}$/i, user: /^[0-9a-f-]{36}$/i, file: /^[0-9a-f]{64}$/i };
/** An id within an address. */
const WITHIN = /[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** @param {import("../router.js").PlaceProps} props */
export default function Holds({ query }) {
  const kind = KINDS.find((one) => one === query.get("kind")) ?? "";
  return html`
    <${Frame} place="/console/holds" needs="administer">
      <${All} kind=${kind} />
    <//>
  `;
}

/** How far a hold is.
 * @param {{state: string}} props */
export const HoldState = ({ state }) =>
  html`
    <span class=${`badge static ${state === "failed" ? "warn" : ""}`}>
      ${t(/** @type {any} */ (`hold.${state}`))}
    </span>
  `;

/** @param {{kind: string}} props */
function All({ kind }) {
  const found = useList("listHolds", { limit: 50, ...(kind && { kind }) }, [kind]);
  const name = useNames(found.data?.items ?? []);
  const shown = found.data && {
    ...found.data,
    items: found.data.items.map((one) => ({ ...one, id: `${one.kind} ${one.id}`, of: one })),
  };
  return html`
    <p class="hint">${t("console.holds-lead")}</p>
    <${Find} />
    <div class="filters three">
      <${Choice}
        label=${t("console.kind")}
        value=${kind}
        onChange=${(/** @type {string} */ kind) => go(`/console/holds${kind ? `?kind=${kind}` : ""}`)}
        options=${[["", t("console.all-kinds")], ...KINDS.map((one) => [one, t(`subject.${one}`)])]}
      />
    </div>
    <${List}
      of=${{ ...found, data: shown }}
      label=${t("console.holds")}
      item=${(/** @type {{of: Hold}} */ { of }) =>
        html`
          <p class="line">
            <span class="badge static">${t(/** @type {any} */ (`subject.${of.kind}`))}</span>
            <a href=${address(`/console/holds/${of.kind}/${of.id}`)} dir="auto">${name(of)}</a>
            <${HoldState} state=${of.state} />
            <span class="faint small">${size(of.bytes)}</span>
            <${When} at=${of.created} />
          </p>
          <p class="small" dir="auto">${of.reason}</p>
          <p class="small faint">${t("console.hold-until", { time: moment(of.until) })}</p>
        `}
      empty=${html`<${Empty} title=${t("console.no-holds")} text=${t("console.no-holds-text")} />`}
    />
  `;
}

/** The way to what is to be held: by its id, or its address. */
function Find() {
  const [kind, setKind] = useState("content");
  const [id, setId] = useState("");
  const find = useAction(async () => {
    const found = WITHIN.exec(id)?.[0] ?? id.trim();
    refuse({ id: !IDS[/** @type {"content"} */ (kind)].test(found) && t("console.hold-id-wrong") });
    await go(`/console/holds/${kind}/${found.toLowerCase()}`);
  });
  return html`
    <${Form} class="find-player" of=${find} onSend=${() => find.run()}>
      <div class="pair from-top">
        <${Choice}
          label=${t("console.hold-kind")}
          value=${kind}
          onChange=${setKind}
          options=${KINDS.map((one) => [one, t(`subject.${one}`)])}
        />
        <${Field}
          label=${t("console.hold-id")}
          name="id"
          required
          value=${id}
          autocomplete="off"
          spellcheck=${false}
          hint=${t("console.hold-id-hint")}
          onChange=${setId}
        />
      </div>
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" busy=${find.busy}>${t("console.hold-find")}<//>
      </p>
    <//>
  `;
}
