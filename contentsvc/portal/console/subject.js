/** `/console/reports/{kind}/{id}`: what was reported, beside its reports, and what is done about it. */
import { guid } from "../client.js";
import { html, useEffect, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { address, go } from "../router.js";
import { ago, moment, size } from "../format.js";
import { t } from "../texts.js";
import { Alert, Button, Dialog, Field, Form } from "../parts/form.js";
import { useAction, useDraft, useLoad } from "../parts/hooks.js";
import { people, PersonLink } from "../parts/people.js";
import { Picture } from "../parts/pictures.js";
import { Loaded } from "../parts/states.js";
import { Actions } from "./actions.js";
import { Frame } from "./frame.js";
import { place } from "./queue.js";

/** @param {import("../router.js").PlaceProps} props */
export default function Subject({ parameters, query }) {
  return html`<${Frame} place="/console/reports"><${Case} key=${parameters.subject} kind=${parameters.kind} id=${parameters.subject} content=${query.get("content")} /><//>`;
}

/** The reports with the subject as it is now. What is gone since is null.
 * @param {string} kind @param {string} id @param {string | null} content @param {AbortSignal} signal */
async function read(kind, id, content, signal) {
  const reports = await client.listReports({ kind, id, limit: 50 }, { signal });
  const none = () => null;
  const contentId = kind === "content" ? id : content;
  const now = await {
    content: () => client.getContent({ contentId: id }, { signal }).catch(none),
    comment: () => (contentId ? client.getComment({ contentId, commentId: Number(id) }, { signal }).catch(none) : null),
    user: () => client.getUserInfo({ userId: id }, { signal }).catch(none),
  }[/** @type {"content" | "comment" | "user"} */ (kind)]?.();
  const uses = kind === "content" ? await client.listDependents({ contentId: id, limit: 100 }, { signal }).catch(() => []) : [];
  const evidence = reports[0]?.evidence ?? {};
  const author = kind === "user" ? id : /** @type {string | null} */ (evidence.authorId ?? null);
  const ids = [...(author ? [author] : []), ...reports.map((one) => one.reporter)];
  return { reports, now: /** @type {any} */ (now), contentId, uses, author, names: await people([...new Set(ids)]) };
}

/** @param {{kind: string, id: string, content: string | null}} props */
function Case({ kind, id, content }) {
  const found = useLoad((signal) => read(kind, id, content, signal), [kind, id]);
  return html`<${Loaded} of=${found}>${(/** @type {Awaited<ReturnType<typeof read>>} */ about) => html`<${Shown} kind=${kind} id=${id} about=${about} reload=${found.reload} />`}<//>`;
}

/** @typedef {{key: string, text: string, kind?: string, needs?: string, work: (reason: string, writeId: string) => Promise<unknown>}} Step */

/** @param {any} props */
function Shown({ kind, id, about, reload }) {
  const { reports, now, contentId, uses, author, names } = about;
  const [asking, setAsking] = useState(/** @type {Step | null} */ (null));
  const [help, setHelp] = useState(false);
  const [blocking, setBlocking] = useState(false);
  const open = reports.filter((/** @type {any} */ one) => one.state === "open");
  const resolve = (/** @type {"upheld" | "dismissed"} */ outcome) => () =>
    client.resolveReports({ kind, id, body: { outcome, upTo: open[0].id } });
  /** @type {(Step | false)[]} */
  const all = [
    kind === "content" && now?.status !== "suspended" && { key: "s", text: t("console.suspend"), kind: "danger", needs: t("field.reason"),
      work: (reason) => client.setContentStatus({ contentId: id, body: { status: "suspended", reason } }) },
    kind === "content" && now?.status === "suspended" && { key: "s", text: t("action.restore"),
      work: () => client.setContentStatus({ contentId: id, body: { status: "active" } }) },
    kind === "content" && now && { key: "f", text: t(now.featured ? "console.unfeature" : "console.feature"),
      work: () => client.setContentFeatured({ contentId: id, body: { featured: !now.featured } }) },
    kind === "comment" && now && !now.deleted && { key: "r", text: t("console.remove"), kind: "danger", needs: t("field.reason"),
      work: (reason) => client.deleteComment({ contentId, commentId: Number(id), ...(reason && { reason }) }) },
    author && { key: "w", text: t("console.warn"), needs: t("field.reason"), work: (reason, id) => client.warnUser({ userId: author, body: { reason, id } }) },
    author && { key: "b", text: t("console.ban"), kind: "danger", needs: t("field.reason"), work: (reason) => client.banUser({ userId: author, body: { reason } }) },
    open.length > 0 && { key: "u", text: t("console.uphold"), kind: "main", work: resolve("upheld") },
    open.length > 0 && { key: "d", text: t("console.dismiss"), work: resolve("dismissed") },
    kind === "content" && now && { key: "x", text: t("console.block-files"), kind: "danger", work: async () => setBlocking(true) },
    { key: "n", text: t("console.next"), work: next },
  ];
  const steps = /** @type {Step[]} */ (all.filter(Boolean));
  const act = useAction(async (/** @type {Step} */ step, /** @type {string} */ reason = "", /** @type {string} */ writeId = "") => {
    await step.work(reason, writeId);
    setAsking(null);
    // Who goes on at once need not wait for what is shown.
    if (step.key !== "n") void reload();
  });
  async function next() {
    const queue = await client.listReportedSubjects({ limit: 2 });
    const other = queue.find((one) => one.subject.id !== id);
    await go(other ? place(other.subject) : "/console/reports");
  }
  const take = (/** @type {Step} */ step) => (step.needs ? setAsking(step) : void act.run(step));
  useEffect(() => {
    /** @param {KeyboardEvent} event */
    const press = (event) => {
      const typing = event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "?") return setHelp(true);
      const step = steps.find((one) => one.key === event.key);
      if (step) {
        event.preventDefault();
        take(step);
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
  return html`<p class="actions steps">${steps.map((step) => html`<${Button} key=${step.text} kind=${step.kind ?? "plain"} busy=${act.busy} onClick=${() => take(step)}>${step.text}<//>`)}
      <button type="button" class="button plain" aria-label=${t("console.keys")} onClick=${() => setHelp(true)}>?</button></p>
    <${Alert} error=${asking ? null : act.error} />
    <div class="beside">
      <section><h2>${t("console.now")}</h2><${Now} kind=${kind} now=${now} contentId=${contentId} id=${id} />
        ${uses.length > 0 && html`<p>${t("console.used-by", { count: uses.length })}</p>`}
        ${author && html`<h2>${t("console.author")}</h2><p class="line"><${PersonLink} person=${names.get(author)} /> <a href=${address(`/console/users/${author}`)}>${t("console.record")}</a></p>`}</section>
      <section><h2>${t("console.reports-title")}</h2><ul class="rows">${reports.map((/** @type {any} */ one) => html`<li key=${one.id}><${Report} report=${one} reporter=${names.get(one.reporter)} kind=${kind} /></li>`)}</ul></section>
    </div>
    <section><h2>${t("console.done")}</h2><${Actions} subject=${id} /></section>
    ${asking && html`<${Why} subject=${id} step=${asking} act=${act} onClose=${() => setAsking(null)} />`}
    ${blocking && html`<${Block} contentId=${id} onClose=${() => setBlocking(false)} />`}
    ${help && html`<${Dialog} title=${t("console.keys")} onClose=${() => setHelp(false)}><dl>${steps.map((step) => html`<dt key=${step.key}><kbd>${step.key}</kbd></dt><dd>${step.text}</dd>`)}<dt><kbd>?</kbd></dt><dd>${t("console.keys")}</dd></dl><//>`}`;
}

/** The id is kept with the reason, so that a warning that is sent again is one.
 * @param {{subject: string, step: Step, act: any, onClose: () => void}} props */
function Why({ subject, step, act, onClose }) {
  const [{ reason, id }, change, forget] = useDraft(`why.${subject}.${step.key}`, { reason: "", id: "" });
  const send = async () => {
    const writeId = id || guid();
    change({ id: writeId });
    if (await act.run(step, reason, writeId)) forget();
  };
  return html`<${Dialog} title=${step.text} onClose=${onClose}><${Form} onSend=${send}>
    <${Field} label=${t("field.reason")} lines=${3} value=${reason} onChange=${(/** @type {string} */ reason) => change({ reason, id: "" })} hint=${t("console.reason-hint")} />
    <${Alert} error=${act.error} />
    <p class="actions"><${Button} type="submit" kind=${step.kind ?? "main"} busy=${act.busy}>${step.text}<//></p><//><//>`;
}

/** Block files of a content: their bytes go, and nobody uploads them again.
 * @param {{contentId: string, onClose: () => void}} props */
function Block({ contentId, onClose }) {
  const files = useLoad((signal) => client.listContentFiles({ contentId }, { signal }), [contentId]);
  const [chosen, setChosen] = useState(/** @type {string[]} */ ([]));
  const [reason, setReason] = useState("");
  const act = useAction(async () => {
    for (const sha256 of chosen) await client.blockFile({ sha256, body: { reason } });
    onClose();
  });
  return html`<${Dialog} title=${t("console.block-files")} onClose=${onClose}><${Form} onSend=${() => act.run()}>
    <${Loaded} of=${files}>${(/** @type {import("../client.js").ContentFile[]} */ all) => html`<ul>${all.map((one) => html`<li key=${one.path}><label class="check"><input type="checkbox" checked=${chosen.includes(one.sha256)}
      onChange=${() => setChosen(chosen.includes(one.sha256) ? chosen.filter((other) => other !== one.sha256) : [...chosen, one.sha256])} /> ${t(one.use === "package" ? "files.package" : "files.entity")}
      <span class="mono small">${one.sha256.slice(0, 12)}</span> <span class="faint small">${size(one.size)}</span></label></li>`)}</ul>`}<//>
    <${Field} label=${t("field.reason")} lines=${2} value=${reason} onChange=${setReason} />
    <${Alert} error=${act.error} />
    <p class="actions"><${Button} type="submit" kind="danger" busy=${act.busy} disabled=${!chosen.length}>${t("console.block-files")}<//></p><//><//>`;
}

/** @param {any} props */
function Now({ kind, now, contentId, id }) {
  if (!now) return html`<p class="faint">${t("console.gone")}</p>`;
  if (kind === "content") {
    return html`<${Picture} path=${now.thumbnailUri} name=${now.name} id=${now.id} width=${320} height=${180} blurred=${true} />
      <h3 dir="auto"><a href=${address(`/content/${now.id}`)}>${now.name}</a></h3><p><span class="badge static">${t(/** @type {any} */ (`status.${now.status}`))}</span></p>
      <p class="text" dir="auto">${now.description}</p>`;
  }
  if (kind === "comment") {
    return html`<blockquote class="text" dir="auto">${now.deleted ? t("comments.deleted") : now.body}</blockquote>
      <p><a href=${address(`/content/${contentId}#comment-${id}`)}>${t("console.on-content")}</a></p>`;
  }
  return html`<p class="line"><${PersonLink} person=${now} size=${32} /></p><p class="text" dir="auto">${now.profile ?? ""}</p>`;
}

/** A report with the subject as it was then.
 * @param {any} props */
function Report({ report, reporter, kind }) {
  const { evidence } = report;
  return html`<p class="line"><b>${t(/** @type {any} */ (`reason.${report.reason}`))}</b> ${reporter && html`<${PersonLink} person=${reporter} />`}
      <time class="faint small" title=${moment(report.created)}>${ago(report.created)}</time> <span class="badge static">${t(/** @type {any} */ (`report.${report.state}`))}</span></p>
    ${report.text && html`<p class="text" dir="auto">${report.text}</p>`}
    <details><summary>${t("console.then")}</summary>
      ${kind === "content" && html`<h3 dir="auto">${evidence.name}</h3><p class="text" dir="auto">${evidence.description}</p>`}
      ${kind === "comment" && html`<blockquote class="text" dir="auto">${evidence.body}</blockquote>`}
      ${kind === "user" && html`<p><bdi>${evidence.username}</bdi></p><p class="text" dir="auto">${evidence.profile ?? ""}</p>
        ${evidence.messages?.map((/** @type {any} */ one) => html`<blockquote class="text" dir="auto" key=${one.id}>${one.text} <span class="faint small">${ago(one.created)}</span></blockquote>`)}`}
    </details>`;
}
