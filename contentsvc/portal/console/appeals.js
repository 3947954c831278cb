/** `/console/appeals`: who says that a decision was wrong, the oldest first, and what is answered. An answer
 * can be taken back for a while before it is sent. */
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { address, go } from "../router.js";
import { t } from "../texts.js";
import { takeAway } from "../undo.js";
import { actionWords, Facts, Ground } from "../parts/decision.js";
import { Details } from "../parts/details.js";
import { Button, Choice, Dialog, Field, Form, Refused } from "../parts/form.js";
import { useGone } from "../parts/gone.js";
import { useAction, useDraft, useLoad, useSession } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { control } from "../parts/names.js";
import { PersonLink } from "../parts/people.js";
import { Empty } from "../parts/states.js";
import { When } from "../parts/when.js";
import { Frame } from "./frame.js";
import { place } from "./places.js";
import { usePerson } from "./person.js";

/** @typedef {import("../client.js").Appeal} Appeal */
/** @typedef {"confirmed" | "reversed"} Outcome */

const PART = 10;
const STATES = /** @type {const} */ (["open", "confirmed", "reversed"]);
const SIDES = /** @type {const} */ (["author", "reporter", "notifier"]);

/** @param {import("../router.js").PlaceProps} props */
export default function Appeals({ query }) {
  const asked = query.get("state");
  const state = asked === "all" ? "" : (STATES.find((one) => one === asked) ?? "open");
  const from = SIDES.find((one) => one === query.get("from")) ?? "";
  return html`
    <${Frame} place="/console/appeals">
      <${Shown} state=${state} from=${from} />
    <//>
  `;
}

/** @param {{state: string, from: string}} props what the address asks for */
function Shown({ state, from }) {
  const parameters = { ...(state && { state }), ...(from && { from }) };
  const found = useList("listAppeals", { limit: PART, ...parameters }, [state, from]);
  const isGone = useGone("appeal", () => found.reload());
  /** @param {Record<string, string>} change */
  const ask = (change) => {
    const now = Object.entries({ state: state || "all", from, ...change }).filter(
      ([name, value]) => value && !(name === "state" && value === "open"),
    );
    go(`/console/appeals${now.length ? `?${new URLSearchParams(now)}` : ""}`);
  };
  const items = found.data?.items.filter(({ id }) => state !== "open" || !isGone(id));
  return html`
    <p class="hint">${t("console.appeals-lead")}</p>
    <div class="filters three">
      <${Choice}
        label=${t("console.state")}
        value=${state || "all"}
        onChange=${(/** @type {string} */ state) => ask({ state })}
        options=${[...STATES.map((one) => [one, t(`appeal.state-${one}`)]), ["all", t("console.state-all")]]}
      />
      <${Choice}
        label=${t("console.appeals-from")}
        value=${from}
        onChange=${(/** @type {string} */ from) => ask({ from })}
        options=${[["", t("console.from-all")], ...SIDES.map((one) => [one, t(`console.from-${one}`)])]}
      />
    </div>
    <${List}
      of=${{ ...found, data: found.data && { ...found.data, items: items ?? [] } }}
      label=${t("console.appeals")}
      item=${(/** @type {Appeal} */ one) => html`<${One} of=${one} />`}
      empty=${html`<${Empty} title=${t("console.no-appeals")} text=${t("console.no-appeals-text")} />`}
    />
  `;
}

/** @param {{of: Appeal}} props */
function One({ of }) {
  const { user } = useSession();
  const [asks, setAsks] = useState(false);
  const decided = useLoad(
    async (signal) =>
      of.decision ? client.getDecision({ decisionId: of.decision }, { signal }).catch(() => null) : null,
    [of.decision],
  );
  const decision = decided.data ?? null;
  const isOwn = !!decision && decision.by === user?.id;
  const kind = t(/** @type {any} */ (`notice.kind-${of.subject.kind}`));
  return html`
    <article class="decision">
      <p class="line">
        <span class="badge static">${t(/** @type {any} */ (`console.from-${of.from}`))}</span>
        ${of.user ? html`<${PersonLink} person=${of.user} />` : html`<span>${t("console.notice-of")}</span>`}
        <${When} at=${of.created} />
        <span class=${`badge static ${of.state === "open" ? "warn" : ""}`}>
          ${t(/** @type {any} */ (`appeal.state-${of.state}`))}
        </span>
      </p>
      <blockquote class="text" dir="auto">${of.text}</blockquote>
      <p class="small">
        <a href=${address(place(of.subject))}>
          ${
            of.decision
              ? `${t("console.appeal-of", {
                  what: decision ? actionWords(decision.action, decision.subject.kind) : kind,
                })}`
              : t("console.appeal-dismissed", { what: kind })
          }
        </a>
      </p>
      ${
        decision &&
        html`
          <${Details} name=${`appealed ${of.id}`} summary=${t("console.appeal-decision")} open>
            <div class="stack">
              <${Who} id=${decision.by} />
              <${Ground} ground=${decision.ground} />
              <${Facts} facts=${decision.facts} />
            </div>
          <//>
        `
      }
      ${of.answer && html`<${Answered} answer=${of.answer} />`}
      ${
        of.state === "open" &&
        html`
          ${isOwn && html`<p class="hint">${t("console.appeal-own")}</p>`}
          <p class="actions">
            <button
              type="button"
              class="button main"
              aria-haspopup="dialog"
              aria-label=${control(t("console.appeal-answer"), of.user?.username ?? kind)}
              onClick=${() => setAsks(true)}
            >
              ${t("console.appeal-answer")}
            </button>
          </p>
        `
      }
      ${
        asks &&
        html`
          <${Answer}
            of=${of}
            name=${of.user?.username ?? t("console.notice-of")}
            isReport=${!of.decision}
            onClose=${() => setAsks(false)}
          />
        `
      }
    </article>
  `;
}

/** What was answered.
 * @param {{answer: NonNullable<Appeal["answer"]>}} props */
function Answered({ answer }) {
  return html`
    <${Who} id=${answer.by} />
    <p class="text" dir="auto">${answer.reason}</p>
  `;
}

/** Who has decided, or answered.
 * @param {{id: string}} props */
function Who({ id }) {
  const person = usePerson(id);
  return html`
    <p class="line small">${t("console.by")} ${person && html`<${PersonLink} person=${person} />`}</p>
  `;
}

/** @param {{of: Appeal, name: string, isReport: boolean, onClose: () => void}} props `isReport` is whether it
 *   is about reports that were dismissed */
function Answer({ of, name, isReport, onClose }) {
  const [{ reason, outcome }, change, forget] = useDraft(`answer.${of.id}`, { reason: "", outcome: "" });
  const answer = useAction(async () => {
    const body = { outcome: /** @type {Outcome} */ (outcome), reason: reason.trim() };
    takeAway({
      key: `appeal ${of.id}`,
      what: "decision",
      name: t("console.deed", { what: t(`appeal.state-${body.outcome}`), name }),
      send: async () => {
        await client.decideAppeal({ appealId: of.id, body });
        forget();
      },
    });
    onClose();
  });
  return html`
    <${Dialog} title=${t("console.appeal-title", { name })} onClose=${onClose}>
      <${Form} of=${answer} limits=${limits.decideAppeal} onSend=${() => answer.run()}>
        <blockquote class="text" dir="auto">${of.text}</blockquote>
        <${Choice}
          label=${t("console.outcome")}
          name="outcome"
          required
          value=${outcome}
          onChange=${(/** @type {string} */ outcome) => change({ outcome })}
          options=${[
            ["", t("console.choose-outcome")],
            ["confirmed", t(isReport ? "console.confirm-report" : "console.confirm-decision")],
            ["reversed", t(isReport ? "console.reverse-report" : "console.reverse-decision")],
          ]}
        />
        <${Field}
          label=${t("field.reason")}
          name="reason"
          lines=${4}
          value=${reason}
          sent=${reason.trim()}
          required
          needed=${t("console.reason-needed")}
          hint=${t("console.appeal-hint")}
          onChange=${(/** @type {string} */ reason) => change({ reason })}
        />
        <${Refused} />
        <p class="actions">
          <${Button} type="submit" kind="main" busy=${answer.busy}>
            ${t("console.appeal-send")}
          <//>
        </p>
      <//>
    <//>
  `;
}
