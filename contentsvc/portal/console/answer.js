/** What those who have reported a subject are told: the second step of a moderator. */
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { Confirm } from "../parts/confirm.js";
import { Field, Form, Refused, useId } from "../parts/form.js";
import { useAction, useDraft } from "../parts/hooks.js";
import { fault, refuse } from "../parts/problems.js";
import { ActButton } from "./act-button.js";

/** @typedef {import("./steps.js").About} About */
/** @typedef {"upheld" | "dismissed"} Outcome */

/** What those do who deal with somebody, that does not show in the account as it is now. */
const DEALT = "user_warned,user_cleared,user_renamed";

/** Whether something was done about a subject: it shows, or, of an account, the record has it since the first
 * report. What was done about the author of something may be about something else.
 * @param {string} kind @param {About} about @param {any[]} open */
async function wasDealtWith(kind, { now, author, account, standing }, open) {
  // Of these nothing is shown as it is now.
  if (kind === "file" || kind === "message") return standing.length > 0;
  if (kind === "content" && now?.status !== "active") return true;
  if (kind !== "content" && (!now || now.deleted)) return true;
  if (kind !== "user" || !author) return false;
  if (account?.ban) return true;
  const [last] = await client.listModerationActions({ subject: author, action: DEALT, limit: 1 });
  return !!last && last.created >= Math.min(...open.map((one) => one.created));
}

/** The answer to the reports of a subject, which its buttons and keys give.
 * @param {{kind: string, id: string, about: About, wasDealt: () => boolean, commit: () => Promise<boolean>,
 *   onDone: () => void}} props `about` is as it is now, also what was done a moment ago; `wasDealt` says
 *   whether something was done here that does not show in it; `commit` sends what was decided here, if that
 *   is on its way, and says whether it was taken */
export function useAnswer({ kind, id, about, wasDealt, commit, onDone }) {
  const [{ note }, change, forget] = useDraft(`note.${kind}.${id}`, { note: "" });
  const [asking, setAsking] = useState(false);
  const [given, setGiven] = useState(/** @type {{outcome: Outcome, upTo: string} | null} */ (null));
  const [said, setSaid] = useState("");
  const limit = limits.resolveReports.note;
  // What was answered a moment ago is not open, though it may not have been read again.
  const open =
    about.reports[0]?.id === given?.upTo ? [] : about.reports.filter((one) => one.state === "open");
  const last = open.length ? null : (given?.outcome ?? about.reports[0]?.state);
  /** @param {Outcome} outcome */
  const send = async (outcome) => {
    const upTo = open[0].id;
    const written = note.trim();
    await client.resolveReports({ kind, id, body: { outcome, upTo, ...(written && { note: written }) } });
    setGiven({ outcome, upTo });
    forget();
    setSaid(t(outcome === "upheld" ? "console.did-uphold" : "console.did-dismiss"));
    onDone();
  };
  const act = useAction(async (/** @type {Outcome} */ outcome) => {
    refuse({ note: fault({ value: note.trim(), limit }) });
    if (!(await commit())) return;
    if (outcome === "upheld" && !wasDealt() && !(await wasDealtWith(kind, about, open)))
      return setAsking(true);
    await send(outcome);
  });
  const view = (/** @type {boolean} */ hasKeys, /** @type {any} */ after) => html`
    <${Form} class="stack" of=${act} limits=${limits.resolveReports} onSend=${() => {}}>
      <${Field}
        label=${t("console.note")}
        name="note"
        value=${note}
        hint=${t("console.staff-hint")}
        autocomplete="off"
        onChange=${(/** @type {string} */ note) => change({ note })}
      />
      <${Refused} />
      <div class="acts">
        <${ActButton}
          text=${t("console.uphold")}
          done=${last === "upheld" && t("report.upheld")}
          off=${!open.length}
          kind="main"
          letter=${hasKeys && "u"}
          busy=${act.busy}
          onClick=${() => act.run("upheld")}
        />
        <${ActButton}
          text=${t("console.dismiss")}
          done=${last === "dismissed" && t("report.dismissed")}
          off=${!open.length}
          letter=${hasKeys && "d"}
          busy=${act.busy}
          onClick=${() => act.run("dismissed")}
        />
        ${after}
      </div>
      <p class="small line-kept" role="status">${said}</p>
    <//>
    ${
      asking &&
      html`
        <${Confirm}
          title=${t("console.uphold-title")}
          text=${t("console.uphold-text", { name: about.name })}
          action=${t("console.uphold")}
          work=${() => send("upheld")}
          onClose=${() => setAsking(false)}
        />
      `
    }
  `;
  return { open, run: act.run, view };
}

/** @param {{answer: ReturnType<typeof useAnswer>, hasKeys: boolean, after?: any}} props `after` stands beside
 *   the buttons */
export function Answer({ answer, hasKeys, after }) {
  const title = useId();
  const count = answer.open.length;
  return html`
    <section class="step" aria-labelledby=${title}>
      <header>
        <h2 id=${title}>${t("console.step-answer")}</h2>
      </header>
      <p class="hint">
        ${
          count
            ? `${t("console.step-answer-hint", { count })} ${t("console.step-answer-words")}`
            : t("console.step-answer-none")
        }
      </p>
      ${answer.view(hasKeys, after)}
    </section>
  `;
}
