/** `/notice`: anybody says here what is against the law, without an account, and reads what became of it. */
import { ApiError } from "../client.js";
import { html, useEffect, useState } from "../vendor/preact.js";
import { takeNotice } from "../url-secrets.js";
import { moment } from "../format.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { service } from "../service.js";
import { AppealForm } from "../parts/appeal.js";
import { copy } from "../parts/copy.js";
import { Agreed } from "../parts/agreed.js";
import { Button, Choice, Field, Form, Refused, useId } from "../parts/form.js";
import { useAction, useDraft, useLoad, useTitle } from "../parts/hooks.js";
import { refuse } from "../parts/problems.js";
import { Loaded } from "../parts/states.js";

const REASONS = /** @type {const} */ (["illegal", "intimate", "child", "copyright", "trademark", "personal"]);
/** The reasons for which the law asks for a signature. */
const SIGNED = ["intimate", "copyright"];
const EMPTY = { urls: "", reason: "illegal", explanation: "", law: "", name: "", email: "", signature: "" };

/** @typedef {{id: string, token: string}} Receipt */

/** @param {import("../router.js").PlaceProps} props */
export default function Notice({ query }) {
  useTitle(t("notice.title"));
  const [receipt, setReceipt] = useState(takeNotice);
  const [isNew, setNew] = useState(false);
  const about = query.get("url") ?? "";
  return html`
    <div class="narrow">
      <h1>${t("notice.title")}</h1>
      ${
        receipt
          ? html`<${State} of=${receipt} isNew=${isNew} />`
          : html`
            <${Ask}
              about=${about}
              onSent=${(/** @type {Receipt} */ sent) => (setNew(true), setReceipt(sent))}
            />
          `
      }
    </div>
  `;
}

/** The addresses in the field, one in a line.
 * @param {string} text */
const lines = (text) => text.split(/\s+/).filter(Boolean);

/** @param {{about: string, onSent: (receipt: Receipt) => void}} props */
function Ask({ about, onSent }) {
  const [values, change, forget] = useDraft("notice", { ...EMPTY, goodFaith: false });
  useEffect(() => {
    if (about && !values.urls) change({ urls: about });
  }, [about]);
  const { reason } = values;
  const isSigned = SIGNED.includes(reason);
  const isNamed = reason !== "child";
  const send = useAction(async () => {
    const { urls, explanation, law, name, email, signature, goodFaith } = values;
    const named = lines(urls);
    const most = limits.createNotice.subjects.maxItems;
    refuse({
      urls: named.length > most && t("error.too-many", { max: most, count: named.length }),
    });
    const sent = {
      subjects: named.map((url) => ({ url })),
      reason: /** @type {any} */ (reason),
      explanation,
      goodFaith,
      ...(law.trim() && { law }),
      ...(name.trim() && { name }),
      ...(email.trim() && { email }),
      ...(isSigned && { signature }),
    };
    try {
      const receipt = await client.createNotice({ body: sent });
      forget();
      onSent(/** @type {Receipt} */ (receipt));
    } catch (error) {
      if (error instanceof ApiError && error.code === "unknown_subject") {
        const unknown = /** @type {number[]} */ (error.problem?.subjects ?? []).map((at) => named[at]);
        refuse({ urls: t("notice.unknown", { urls: unknown.join(" ") }) });
      }
      throw error;
    }
  });
  return html`
    <p>${t("notice.lead")}</p>
    <${Form}
      of=${send}
      limits=${limits.createNotice}
      place=${(/** @type {string} */ pointer) => (pointer.startsWith("subjects") ? "urls" : null)}
      onSend=${() => send.run()}
    >
      <${Field}
        label=${t("notice.where")}
        name="urls"
        lines=${2}
        value=${values.urls}
        required
        dir="ltr"
        hint=${t("notice.where-hint")}
        onChange=${(/** @type {string} */ urls) => change({ urls })}
      />
      <${Choice}
        label=${t("field.reason")}
        name="reason"
        value=${reason}
        options=${REASONS.map((one) => [one, t(`notice.reason-${one}`)])}
        onChange=${(/** @type {string} */ reason) => change({ reason })}
      />
      <${Field}
        label=${t("notice.explanation")}
        name="explanation"
        lines=${5}
        value=${values.explanation}
        required
        hint=${t("notice.explanation-hint")}
        onChange=${(/** @type {string} */ explanation) => change({ explanation })}
      />
      <${Field}
        label=${t("notice.law")}
        name="law"
        value=${values.law}
        hint=${t("notice.law-hint")}
        onChange=${(/** @type {string} */ law) => change({ law })}
      />
      <${Field}
        label=${t(isNamed ? "notice.name" : "notice.name-optional")}
        name="name"
        value=${values.name}
        autocomplete="name"
        required=${isNamed}
        onChange=${(/** @type {string} */ name) => change({ name })}
      />
      <${Field}
        label=${t(isNamed ? "field.e-mail" : "notice.e-mail-optional")}
        name="email"
        type="email"
        value=${values.email}
        autocomplete="email"
        required=${isNamed}
        wrong=${t("error.no-address")}
        hint=${service.mail ? t("notice.e-mail-hint") : ""}
        onChange=${(/** @type {string} */ email) => change({ email })}
      />
      ${
        isSigned &&
        html`
          <${Field}
            label=${t("notice.signature")}
            name="signature"
            value=${values.signature}
            required
            hint=${t("notice.signature-hint")}
            onChange=${(/** @type {string} */ signature) => change({ signature })}
          />
        `
      }
      <${Agreed}
        name="goodFaith"
        value=${values.goodFaith}
        needed=${t("notice.good-faith-needed")}
        onChange=${(/** @type {boolean} */ goodFaith) => change({ goodFaith })}
      >
        ${t("notice.good-faith")}
      <//>
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${send.busy}>
          ${t("notice.send")}
        <//>
      </p>
    <//>
  `;
}

/** Whether who has sent it can say now that it was wrong to do nothing: once for each time that it was
 * dismissed.
 * @param {import("../client.js").Notice} notice */
const isAppealable = ({ state, subjects }) =>
  state !== "open" &&
  subjects.some(
    ({ state, appeal, appealUntil = 0 }) =>
      state === "dismissed" && appealUntil * 1000 > Date.now() && (!appeal || appeal.state === "reversed"),
  );

/** What became of a notice.
 * @param {{of: Receipt, isNew: boolean}} props */
function State({ of, isNew }) {
  const { id, token } = of;
  const found = useLoad((signal) => client.getNotice({ noticeId: id }, { signal, token }), [id]);
  return html`
    ${isNew && html`<${Sent} of=${of} />`}
    <${Loaded} of=${found}>
      ${(/** @type {import("../client.js").Notice} */ notice) =>
        html`
          <section class="panel">
            <h2>${t(`notice.state-${/** @type {"open"} */ (notice.state)}`)}</h2>
            <p class="faint small">${t("notice.came", { time: moment(notice.created) })}</p>
            ${
              notice.state === "open" &&
              html`<p class="faint small">${t("notice.due", { time: moment(notice.due) })}</p>`
            }
            <ul class="notice-subjects">
              ${notice.subjects.map(
                (one) =>
                  html`
                    <li key=${`${one.kind} ${one.id}`}>
                      <span>
                        ${t(`notice.kind-${/** @type {"content"} */ (one.kind)}`)}${" "}
                        <code class="small">${one.id}</code>
                      </span>
                      <span class="badge static">
                        ${t(`report.${/** @type {"open"} */ (one.state)}`)}
                      </span>
                    </li>
                  `,
              )}
            </ul>
            ${
              notice.redress &&
              html`
                <h3>${t("notice.redress")}</h3>
                <p class="text" dir="auto">${notice.redress}</p>
              `
            }
          </section>
          ${
            (notice.appeal || isAppealable(notice)) &&
            html`
              <section class="panel">
                <h2>${t("appeal.title")}</h2>
                ${
                  isAppealable(notice)
                    ? html`
                      <${AppealForm}
                        name=${`notice.${id}`}
                        hint=${t("appeal.notice-lead")}
                        send=${(/** @type {string} */ text) =>
                          client.appealNotice({ noticeId: id, body: { text } }, { token })}
                      />
                    `
                    : html`
                      <p>${t(`appeal.state-${/** @type {"open"} */ (notice.appeal?.state)}-text`)}</p>
                      ${notice.appeal?.reason && html`<p class="text" dir="auto">${notice.appeal.reason}</p>`}
                    `
                }
              </section>
            `
          }
        `}
    <//>
  `;
}

/** The address of the receipt's page is said once: whoever has it reads what became of the notice.
 * @param {{of: Receipt}} props */
function Sent({ of }) {
  const id = useId();
  const [done, setDone] = useState(false);
  // What was pressed is gone, and so is the length of the page.
  useEffect(() => document.querySelector("main")?.focus(), []);
  const link = address(`/notice?notice=${of.id}&token=${of.token}`);
  return html`
    <p role="status">${t("notice.sent")}</p>
    <p>${t(service.mail ? "notice.keep-mail" : "notice.keep")}</p>
    <div class="field">
      <label for=${id}>${t("notice.receipt")}</label>
      <input id=${id} class="link" readonly value=${link} dir="ltr" />
    </div>
    <p class="actions">
      <${Button}
        onClick=${async () =>
          setDone(await copy(/** @type {HTMLInputElement} */ (document.getElementById(id))))}
      >
        ${t(done ? "notice.copied" : "notice.copy")}
      <//>
    </p>
  `;
}
