/** A subject that was reported, as it is now and as its reports have it. */
import { html, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { ago, size } from "../format.js";
import { t } from "../texts.js";
import { titleOf } from "../parts/collection-form.js";
import { Details } from "../parts/details.js";
import { useLoad } from "../parts/hooks.js";
import { PersonLink } from "../parts/people.js";
import { Picture } from "../parts/pictures.js";
import { Loaded } from "../parts/states.js";
import { When } from "../parts/when.js";
import { Due } from "./due.js";
import { place } from "./places.js";

/** What was reported, as it is now.
 * @param {any} props */
export function Now({ kind, now, contentId, id }) {
  if (!now) return html`<p class="faint">${t("console.gone")}</p>`;
  if (kind === "content") {
    return html`
      <${Covered} paths=${now.screenshotUris} name=${now.name} id=${now.id} />
      <h3 dir="auto">
        <a href=${address(`/content/${now.id}`)}>${now.name}</a>
      </h3>
      <p>
        <span class="badge static">${t(/** @type {any} */ (`status.${now.status}`))}</span>
      </p>
      <p class="text" dir="auto">
        ${now.description}
      </p>
    `;
  }
  if (kind === "comment") {
    return html`
      <blockquote class="text" dir="auto">
        ${now.deleted ? t("comments.deleted") : now.body}
      </blockquote>
      <p>
        <a href=${address(`/content/${contentId}#comment-${id}`)}>${t("console.on-content")}</a>
      </p>
    `;
  }
  if (kind === "collection") {
    return html`
      <h3 dir="auto">
        <a href=${address(`/collections/${now.id}`)}>${titleOf(now)}</a>
      </h3>
      <p class="text" dir="auto">
        ${now.description}
      </p>
      <p class="small faint">${t("collections.items", { count: now.items })}</p>
      <ul>
        ${now.inside.map(
          (/** @type {any} */ one) =>
            html`
              <li key=${one.id}>
                <a href=${address(`/content/${one.id}`)} dir="auto">
                  ${one.name}
                </a>${" "}
                <span class="faint small">
                  <bdi>${one.authorUsername}</bdi>
                </span>
              </li>
            `,
        )}
      </ul>
    `;
  }
  return html`
    <${Covered} paths=${[now.avatar]} name=${now.username} id=${now.id} kind="avatar" />
    <h3>
      <a href=${address(`/user/${now.id}`)}>
        <bdi>${now.username}</bdi>
      </a>
    </h3>
    <p class="text" dir="auto">
      ${now.profile ?? ""}
    </p>
  `;
}

/** A picture that was reported: it is blurred until it is pressed.
 * @param {{path: string, name: string, id: string, label: string, width: number, height: number,
 *   kind?: string}} props `label` says what pressing it shows */
export function Cover({ path, name, id, label, width, height, kind = "" }) {
  const [seen, setSeen] = useState(false);
  return html`
    <button
      type="button"
      class=${`cover ${kind}`}
      aria-pressed=${seen}
      aria-label=${label}
      onClick=${() => setSeen(!seen)}
    >
      <${Picture}
        path=${path}
        name=${name}
        id=${id}
        width=${width}
        height=${height}
        kind=${kind === "avatar" ? "avatar size-96" : ""}
        blurred=${!seen}
      />
    </button>
  `;
}

/** Pictures that were reported.
 * @param {{paths: (string | null)[], name: string, id: string, kind?: string, label?:
 *   import("../texts.js").Key}} props */
function Covered({ paths, name, id, kind = "", label = "console.picture" }) {
  const [width, height] = kind === "avatar" ? [96, 96] : [320, 180];
  return html`
    <p class="covered">
      ${[...new Set(paths)].map(
        (path, index) =>
          path &&
          html`
            <${Cover}
              key=${path}
              path=${path}
              name=${name}
              id=${id}
              label=${t(label, { number: index + 1 })}
              width=${width}
              height=${height}
              kind=${kind}
            />
          `,
      )}
    </p>
  `;
}

/** What the evidence and the subject as it is now have in common, by kind: texts and pictures. */
const COMPARED = /** @type {Record<string, string[]>} */ ({
  content: ["name", "description", "tags", "screenshotUris"],
  comment: ["body"],
  user: ["username", "profile", "avatar"],
  collection: ["name", "description"],
});

/** Whether the subject is as it was reported.
 * @param {string} kind @param {Record<string, any>} then @param {Record<string, any>} now */
export const isSame = (kind, then, now) =>
  (COMPARED[kind] ?? []).every(
    (one) => JSON.stringify(then[one] ?? null) === JSON.stringify(now[one] ?? null),
  );

/** The subject as the newest report has it, beside which it stands as it is now.
 * @param {{report: any, kind: string, id: string}} props */
export function Then({ report, kind, id }) {
  return html`
    <section>
      <h2>${t("console.then-reported")}</h2>
      <p class="small faint">
        <${When} at=${report.created} />
      </p>
      <${Evidence} of=${report} kind=${kind} id=${id} isBeside />
    </section>
  `;
}

/** What a report keeps of its subject.
 * @param {{of: any, kind: string, id?: string, isBeside?: boolean}} props `isBeside` is whether it stands
 *   beside what there is now */
function Evidence({ of, kind, id = of.id, isBeside = false }) {
  const { evidence } = of;
  if (kind === "content")
    return html`
      <${Covered}
        paths=${evidence.screenshotUris ?? []}
        name=${evidence.name}
        id=${id}
        label=${isBeside ? "console.picture-then" : undefined}
      />
      <h3 dir="auto">${evidence.name}</h3>
      <p class="text" dir="auto">
        ${evidence.description}
      </p>
      ${
        evidence.tags?.length > 0 &&
        html`
          <p class="faint small" dir="auto">
            ${evidence.tags.join(", ")}
          </p>
        `
      }
    `;
  if (kind === "collection")
    return html`
      <h3 dir="auto">${evidence.name}</h3>
      <p class="text" dir="auto">
        ${evidence.description}
      </p>
    `;
  if (kind === "comment")
    return html`
      <blockquote class="text" dir="auto">
        ${evidence.body}
      </blockquote>
    `;
  if (kind === "message") return html`<${Sent} messages=${evidence.messages} />`;
  if (kind === "file") {
    /** @type {string[]} */
    const paths = evidence.paths ?? [];
    return html`
      <${Covered} paths=${paths.filter((path) => PICTURE.test(path))} name=${evidence.sha256} id=${id} />
      <ul>
        ${paths.map((path) => html`<li key=${path} class="mono small">${path}</li>`)}
      </ul>
      ${evidence.size !== undefined && html`<p class="small faint">${size(evidence.size)}</p>`}
    `;
  }
  return html`
    <${Covered}
      paths=${[evidence.avatar]}
      name=${evidence.username}
      id=${id}
      kind="avatar"
      label=${isBeside ? "console.picture-then" : undefined}
    />
    <p>
      <bdi>${evidence.username}</bdi>
    </p>
    <p class="text" dir="auto">
      ${evidence.profile ?? ""}
    </p>
    <${Sent} messages=${evidence.messages} />
  `;
}

/** The messages that a report or a notice names.
 * @param {{messages?: {id: string, text: string, created: number}[]}} props */
const Sent = ({ messages = [] }) =>
  messages.map(
    (one) => html`
      <blockquote class="text" dir="auto" key=${one.created}>
        ${one.text} <span class="faint small">${ago(one.created)}</span>
      </blockquote>
    `,
  );

/** What shows as a picture. */
const PICTURE = /\.(png|jpe?g|webp)$/i;

/** A report with the subject as it was then.
 * @param {any} props */
export function Report({ report, reporter, kind }) {
  return html`
    <article class="report">
      <p class="line">
        <b>${t(/** @type {any} */ (`reason.${report.reason}`))}</b>${" "}
        ${reporter && html`<${PersonLink} person=${reporter} />`}
        ${report.notice && html`<span class="faint small">${t("console.notice-of")}</span>`}${" "}
        <${When} at=${report.created} />${" "}
        <span class="badge static">${t(/** @type {any} */ (`report.${report.state}`))}</span>
      </p>
      ${
        report.text &&
        html`
          <p class="text" dir="auto">
            ${report.text}
          </p>
        `
      }
      ${
        report.notice &&
        html`
          <${Details} name=${`notice ${report.id}`} summary=${t("console.notice")}>
            ${() => html`<${Filed} id=${report.notice} />`}
          <//>
        `
      }
      <${Details} name=${`report ${report.id}`} summary=${t("console.then")}>
        <${Evidence} of=${report} kind=${kind} />
      <//>
    </article>
  `;
}

/** A notice, as it was sent: who, by which law, until when it is to be answered, and what else it names.
 * @param {{id: string}} props */
function Filed({ id }) {
  const found = useLoad((signal) => client.getNotice({ noticeId: id }, { signal }), [id]);
  return html`
    <${Loaded} of=${found}>
      ${(/** @type {import("../client.js").Notice} */ notice) =>
        html`
          ${notice.state === "open" && html`<p><${Due} at=${notice.due} /></p>`}
          <dl>
            ${[
              ["notice.name", notice.name],
              ["field.e-mail", notice.email],
              ["console.law", notice.law],
              ["notice.signature", notice.signature],
            ].map(
              ([key, value]) =>
                value &&
                html`
                  <dt>${t(/** @type {any} */ (key === "notice.name" ? "field.name" : key))}</dt>
                  <dd><bdi>${value}</bdi></dd>
                `,
            )}
          </dl>
          <p class="text" dir="auto">${notice.explanation}</p>
          ${
            notice.subjects.length > 1 &&
            html`
              <p class="small">${t("console.notice-subjects")}</p>
              <ul class="notice-subjects">
                ${notice.subjects.map(
                  (one) =>
                    html`
                      <li key=${`${one.kind} ${one.id}`}>
                        <a href=${address(place(one))}>
                          ${t(`notice.kind-${/** @type {"content"} */ (one.kind)}`)}${" "}
                          <code class="small">${one.id.slice(0, 8)}</code>
                        </a>
                        <span class="badge static">
                          ${t(`report.${/** @type {"open"} */ (one.state)}`)}
                        </span>
                      </li>
                    `,
                )}
              </ul>
            `
          }
        `}
    <//>
  `;
}
