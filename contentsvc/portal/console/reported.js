/** A subject that was reported, as it is now and as its reports have it. */
import { html, useState } from "../vendor/preact.js";
import { address } from "../router.js";
import { ago, moment } from "../format.js";
import { t } from "../texts.js";
import { titleOf } from "../parts/collection-form.js";
import { Details } from "../parts/details.js";
import { PersonLink } from "../parts/people.js";
import { Picture } from "../parts/pictures.js";

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
 * @param {{paths: (string | null)[], name: string, id: string, kind?: string}} props */
function Covered({ paths, name, id, kind = "" }) {
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
              label=${t("console.picture", { number: index + 1 })}
              width=${width}
              height=${height}
              kind=${kind}
            />
          `,
      )}
    </p>
  `;
}

/** A report with the subject as it was then.
 * @param {any} props */
export function Report({ report, reporter, kind }) {
  const { evidence } = report;
  return html`
    <article class="report">
      <p class="line">
        <b>${t(/** @type {any} */ (`reason.${report.reason}`))}</b>${" "}
        ${reporter && html`<${PersonLink} person=${reporter} />`}
        ${report.notice && html`<span class="faint small">${t("console.notice-of")}</span>`}${" "}
        <time class="faint small" title=${moment(report.created)}>
          ${ago(report.created)}
        </time>${" "}
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
      <${Details} name=${`report ${report.id}`} summary=${t("console.then")}>
        ${
          kind === "content" &&
          html`
            <${Covered} paths=${evidence.screenshotUris ?? []} name=${evidence.name} id=${report.id} />
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
          `
        }
        ${
          kind === "collection" &&
          html`
            <h3 dir="auto">${evidence.name}</h3>
            <p class="text" dir="auto">
              ${evidence.description}
            </p>
          `
        }
        ${
          kind === "comment" &&
          html`
            <blockquote class="text" dir="auto">
              ${evidence.body}
            </blockquote>
          `
        }
        ${
          kind === "user" &&
          html`
            <${Covered} paths=${[evidence.avatar]} name=${evidence.username} id=${report.id} kind="avatar" />
            <p>
              <bdi>${evidence.username}</bdi>
            </p>
            <p class="text" dir="auto">
              ${evidence.profile ?? ""}
            </p>
            ${evidence.messages?.map(
              (/** @type {any} */ one) =>
                html`
                  <blockquote class="text" dir="auto" key=${one.id}>
                    ${one.text} <span class="faint small">${ago(one.created)}</span>
                  </blockquote>
                `,
            )}
          `
        }
      <//>
    </article>
  `;
}
