/** The two steps of a moderator: what is done about a subject and who has made it, and then what those who
 * reported it are told. */
import { html, useRef, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { state } from "../session.js";
import { moment } from "../format.js";
import { language, t } from "../texts.js";
import { undo } from "../undo.js";
import { Details } from "../parts/details.js";
import { Form, Problem, Refused, useField, useId } from "../parts/form.js";
import { useAction } from "../parts/hooks.js";
import { refuse } from "../parts/problems.js";
import { ActButton } from "./act-button.js";
import { Answer, useAnswer } from "./answer.js";
import { BlockFiles } from "./block-files.js";
import { useDeciding } from "./deciding.js";
import { GroundFields, groundKeys, useGround } from "./ground.js";
import { useKeys } from "./keys.js";
import { actsOnAuthor, actsOnIt } from "./onto.js";

/**
 * What is known of a subject.
 * @typedef {object} About
 * @property {any[]} reports the newest first
 * @property {any} now as it is now, or null
 * @property {string | null} contentId that of the content, or of what the comment is on
 * @property {string | null} author
 * @property {import("../client.js").ModeratedUser | null} account the author's
 * @property {import("../client.js").Decision[]} standing the decisions about it that stand
 * @property {string} name
 */
/** @typedef {import("./onto.js").Act} Act */
/** @typedef {{kind: string, id: string, about: About, reload: () => Promise<void>, onDid: () => void,
 *   next?: () => unknown}} Props `next` goes on to another subject */

/** For how many days somebody is banned, or shut out of something. 0 has no end. */
const DAYS = [1, 7, 30, 0];
const DAY = 86_400;
const WHAT = /** @type {const} */ (["publish", "comment", "message", "rate", "report"]);
/** Names in a row.
 * @param {string[]} names */
const row = (names) => new Intl.ListFormat(language).format(names);

/** What a ban is, until when.
 * @param {{until: number | null}} ban */
export const banWords = ({ until }) =>
  until === null ? t("console.banned-for-ever") : t("console.banned-until", { time: moment(until) });

/** Whether a decision upholds the reports too, which this browser keeps for the user.
 * @returns {[boolean, (on: boolean) => void]} */
function useUpholding() {
  const name = `contentsvc.upholds.${state.user?.id ?? ""}`;
  const [on, setOn] = useState(() => localStorage.getItem(name) === "on");
  /** @param {boolean} on */
  const turn = (on) => {
    if (on) localStorage.setItem(name, "on");
    else localStorage.removeItem(name);
    setOn(on);
  };
  return [on, turn];
}

/** @param {Props} props */
export function Steps({ kind, id, about, reload, onDid, next }) {
  const { author, account } = about;
  const open = about.reports.filter((one) => one.state === "open");
  const ground = useGround(`why.${kind}.${id}`, about.reports);
  // What was done is shown before all is read again.
  const [instead, setInstead] = useState(/** @type {Record<string, any>} */ ({}));
  const [days, setDays] = useState({ count: DAYS[0], isNew: false });
  const [what, setWhat] = useState(/** @type {string[]} */ ([]));
  const [restricted, setRestricted] = useState("");
  const [warned, setWarned] = useState(/** @type {string | null} */ (null));
  const [blocking, setBlocking] = useState(false);
  // What was done here that the subject does not show.
  const dealt = useRef(/** @type {Set<string>} */ (new Set()));
  const [did, setDid] = useState("");
  const [upholds, setUpholds] = useUpholding();
  const doing = useId();
  const form = useId();
  const reads = useRef(0);
  const now = "now" in instead ? instead.now : about.now;
  const ban = "ban" in instead ? instead.ban : account?.ban;
  const { given } = ground;
  /** @param {string} text @param {Record<string, any>} [shown] */
  const done = (text, shown = {}) => {
    const read = ++reads.current;
    setInstead((was) => ({ ...was, ...shown }));
    setDid(text);
    onDid();
    // Who goes on at once need not wait for what is shown.
    void reload().then(() => read === reads.current && setInstead({}));
  };
  const whose = { kind: "user", id: author ?? "" };
  const subjects = [{ kind, id }, whose];
  const { decide, isPending, commit } = useDeciding(subjects, async () => {
    // The ground is kept as long as there is something to answer.
    if (upholds && open.length) ground.forget();
    await reload();
    onDid();
  });
  const onIt = actsOnIt({ kind, id, about, now, isPending, setBlocking });
  const onAuthor = actsOnAuthor({
    userId: author,
    name: account?.user.username ?? about.name,
    isPending,
    ban,
    isNew: days.isNew,
    warned: warned !== null && (!given || given === warned),
    restricted: !!what.length && restricted === String(what),
    lifted: () => {
      dealt.current.delete("ban");
      setDays({ count: days.count, isNew: false });
    },
  });
  const acts = [...onIt, ...onAuthor];
  /** Take a decision, which is sent when nobody takes it back any more.
   * @param {Act} one */
  const take = (one) => {
    const { decides } = one;
    if (!decides) return;
    const { action } = decides;
    ground.check(one.reason === "needs");
    if (action === "restrict" && !what.length) refuse({ what: t("error.choose") });
    const lasts = (action === "ban" || action === "restrict") && days.count;
    decide({
      ...decides,
      ground: ground.ground(),
      until: lasts ? Math.floor(Date.now() / 1000) + days.count * DAY : null,
      ...(action === "restrict" && { what }),
      upholds: upholds && open.length ? { kind, id, upTo: open[0].id } : null,
      taken: () => {
        if (action !== "suspend") dealt.current.add(action);
        if (action === "warn") setWarned(given);
        if (action === "restrict") setRestricted(String(what));
      },
    });
    ground.use();
    if (action === "ban") setDays({ count: days.count, isNew: false });
    setDid("");
  };
  const act = useAction(async (/** @type {Act} */ one) => {
    if (one.decides) return take(one);
    if (one.reason) ground.check(false);
    // What the service has not heard of is taken back.
    if (one.name === "restore" && about.now?.status !== "suspended" && isPending("suspend", subjects[0]))
      return undo();
    if (one.name === "lift" && !ban && isPending("ban", whose)) return undo();
    if (one.name !== "block" && !(await commit())) return;
    const shown = await one.work?.(given);
    if (one.name === "block") return;
    done(t("console.did", { what: one.text }), shown ?? {});
  });
  const answer = useAnswer({
    kind,
    id,
    about: {
      ...about,
      now: now && {
        ...now,
        ...(isPending("suspend", subjects[0]) && { status: "suspended" }),
        ...(isPending("remove", subjects[0]) && { deleted: true }),
      },
      account: account && { ...account, ban: isPending("ban", whose) ? { until: null } : (ban ?? null) },
    },
    wasDealt: () => !!dealt.current.size,
    commit,
    onDone: () => (ground.forget(), done("")),
  });
  const can = acts.filter((one) => !one.done && !one.off);
  const [hasKeys, keys] = useKeys([
    ...groundKeys(ground, form),
    ...can.map((one) => ({ key: one.key, text: one.text, work: () => act.run(one) })),
    ...(answer.open.length
      ? [
          { key: "u", text: t("console.uphold"), work: () => answer.run("upheld") },
          { key: "d", text: t("console.dismiss"), work: () => answer.run("dismissed") },
        ]
      : []),
    ...(next ? [{ key: "n", text: t("console.next"), work: next }] : []),
  ]);
  /** @param {Act} one */
  const button = (one) =>
    html`
      <${ActButton}
        key=${one.name}
        text=${one.text}
        done=${one.done}
        off=${one.off}
        kind=${one.kind}
        letter=${hasKeys && one.key}
        busy=${act.busy}
        onClick=${() => act.run(one)}
      />
    `;
  const first = acts.filter((one) => one.reason && !one.more);
  const needers = first.filter((one) => one.reason === "needs").map((one) => one.text);
  const hint = [
    first.length && t("console.reason-for", { acts: row(first.map((one) => one.text)) }),
    needers.length && t("console.reason-needed-by", { acts: row(needers) }),
    ground.hint,
  ];
  const more = acts.filter((one) => one.more);
  const plain = (/** @type {Act[]} */ all) => all.filter((one) => !one.more).map(button);
  return html`
    <section class="step" aria-labelledby=${doing}>
      <header>
        <h2 id=${doing}>${t("console.step-do")}</h2>
        ${keys}
      </header>
      <p class="hint">${t("console.step-do-hint")}</p>
      <${Form} class="stack" of=${act} limits=${limits.createDecision} onSend=${() => {}}>
        ${
          first.length > 0 &&
          html`
            <${GroundFields}
              of=${ground}
              hint=${hint.filter(Boolean).join(" ")}
              hasKeys=${hasKeys}
              id=${form}
            />
          `
        }
        <${Refused} />
        ${
          onIt.some((one) => !one.more) &&
          html`
            <${Group} name=${t(/** @type {any} */ (`subject.${kind}`))}>
              <div class="acts two">${plain(onIt)}</div>
            <//>
          `
        }
        ${
          onAuthor.length > 0 &&
          html`
            <${Group} name=${t(kind === "user" ? "subject.user" : "console.author")}>
              <${Days}
                value=${days.count}
                onChange=${(/** @type {number} */ count) => (
                  setDays({ count, isNew: true }),
                  setRestricted("")
                )}
              />
              <div class="acts">${plain(onAuthor)}</div>
            <//>
          `
        }
        ${
          more.length > 0 &&
          html`
            <${Details} name="acts" summary=${t("console.acts-more")}>
              <div class="stack">
                ${
                  onAuthor.length > 0 &&
                  html`<${What} value=${what} onChange=${(/** @type {string[]} */ now) => setWhat(now)} />`
                }
                <div class="acts two">${more.map(button)}</div>
              </div>
            <//>
          `
        }
        <label class="check">
          <input type="checkbox" checked=${upholds} onChange=${() => setUpholds(!upholds)} />
          <span>${t("console.upholds")}</span>
        </label>
        <p class="small line-kept" role="status">${did}</p>
      <//>
    </section>
    <${Answer}
      answer=${answer}
      hasKeys=${hasKeys}
      after=${
        next &&
        html`
          <${ActButton}
            text=${t("console.next")}
            letter=${hasKeys && "n"}
            busy=${act.busy}
            onClick=${next}
          />
        `
      }
    />
    ${
      blocking &&
      html`
        <${BlockFiles}
          contentId=${id}
          name=${about.name}
          pictures=${about.now?.screenshotUris ?? []}
          ground=${ground}
          onDone=${() => (dealt.current.add("block_file"), onDid())}
          onClose=${() => setBlocking(false)}
        />
      `
    }
  `;
}

/** Things to do that belong together.
 * @param {{name: string, children?: any}} props */
function Group({ name, children }) {
  const id = useId();
  return html`
    <div class="stack" role="group" aria-labelledby=${id}>
      <h3 id=${id}>${name}</h3>
      ${children}
    </div>
  `;
}

/** For how long somebody is banned.
 * @param {{value: number, onChange: (days: number) => void}} props */
function Days({ value, onChange }) {
  const name = useId();
  return html`
    <fieldset class="segments">
      <legend>${t("console.how-long")}</legend>
      <div>
        ${DAYS.map(
          (count) =>
            html`
              <label key=${count}>
                <input
                  type="radio"
                  name=${name}
                  checked=${value === count}
                  onChange=${() => onChange(count)}
                />
                <span>${count ? t("console.days", { count }) : t("console.for-ever")}</span>
              </label>
            `,
        )}
      </div>
    </fieldset>
  `;
}

/** Of what somebody is shut out.
 * @param {{value: string[], onChange: (what: string[]) => void}} props */
function What({ value, onChange }) {
  const id = useId();
  const [problem, forget] = useField("what", { value, limit: {} });
  /** @param {string} one */
  const turn = (one) => {
    forget();
    onChange(WHAT.filter((other) => (other === one ? !value.includes(one) : value.includes(other))));
  };
  return html`
    <fieldset>
      <legend>${t("console.restrict-what")}</legend>
      <div class="types">
        ${WHAT.map(
          (one, n) =>
            html`
              <label class="check" key=${one}>
                <input
                  type="checkbox"
                  checked=${value.includes(one)}
                  aria-invalid=${problem && !n ? true : undefined}
                  aria-describedby=${problem ? `${id}-problem` : undefined}
                  onChange=${() => turn(one)}
                />${" "}
                ${t(`restrict.${one}`)}
              </label>
            `,
        )}
      </div>
      <${Problem} id=${id} text=${problem} />
    </fieldset>
  `;
}
