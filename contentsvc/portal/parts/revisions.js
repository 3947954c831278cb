/** The revisions of a content, with what each needs of a game. */
import { html, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { replace } from "../replace.js";
import { ago, moment } from "../format.js";
import { t, Told } from "../texts.js";
import { Alert, Button } from "./form.js";
import { Details } from "./details.js";
import { useChange } from "./hooks.js";
import { Lazy } from "./lazy.js";
import { List, useList } from "./list.js";
import { control } from "./names.js";
import { Shaped, shapeable, shotsOf } from "./shaped.js";

/** @typedef {import("../client.js").ContentDetail} Detail */

/** Make a revision the current one, unless another has become it since the page was read.
 * @param {Detail} content @param {string} revisionId */
const current = ({ id: contentId, revisionId: was }, revisionId) =>
  replace(
    (options) => client.getContent({ contentId }, options),
    (now, options) => {
      if (now.revisionId !== was) throw new Told("edit.moved");
      return client.setCurrentRevision({ contentId, body: { revisionId } }, options);
    },
  );

/** The revision that the address names. */
const asked = () => /^#revision-([0-9a-f-]{36})$/.exec(location.hash)?.[1];

/** @param {{content: Detail, edits: boolean, reload: () => Promise<void>}} props */
export function Revisions({ content, edits, reload }) {
  const named = asked();
  const found = useList(
    "listContentRevisions",
    { contentId: content.id, limit: 5 },
    [content.listingId],
    (items, before) =>
      items.length > before && (before > 0 || !named || items.some(({ id }) => id === named)),
    (items) => shapeable(...items.map(({ description }) => description)),
  );
  const shots = shotsOf(content);
  const choose = useChange(reload);
  const [needing, setNeeding] = useState("");
  return html`
    <section class="panel" aria-labelledby="revisions">
      <h2 id="revisions">${t("content.revisions")}</h2>
      <${List}
        of=${found}
        label=${t("content.revisions")}
        item=${(/** @type {any} */ one) =>
          html`
            <div class="revision" id=${`revision-${one.id}`}>
              <p>
                <a class="revision-name" href=${`#revision-${one.id}`} dir="auto">
                  ${one.version || t("content.no-version")}
                </a>${" "}
                <time
                  class="faint small"
                  datetime=${new Date(one.created * 1000).toISOString()}
                  title=${moment(one.created)}
                >
                  ${ago(one.created)}
                </time>
                ${one.current && html`${" "}<span class="badge static">${t("content.current")}</span>`}
              </p>
              ${
                one.description &&
                html`<${Shaped} text=${one.description} under=${2} shots=${shots} class="small" />`
              }
              ${
                !one.current &&
                !one.gone &&
                html`
                  <${Details}
                    name=${`revision ${one.id}`}
                    kind="small"
                    summary=${t("content.files-of", { version: one.version || t("content.no-version") })}
                  >
                    ${() =>
                      html`
                        <${Lazy}
                          of="revision-files"
                          load=${() => import("./revision-files.js")}
                          content=${content}
                          revisionId=${one.id}
                        />
                      `}
                  <//>
                `
              }
              ${
                edits &&
                !one.gone &&
                content.status !== "deleted" &&
                html`
                  <p class="actions">
                    ${
                      !one.current &&
                      html`
                        <${Button}
                          class="button plain small"
                          busy=${choose.busy}
                          aria-label=${control(t("content.choose"), one.version || t("content.no-version"))}
                          onClick=${() => choose.run(() => current(content, one.id))}
                        >
                          ${t("content.choose")}
                        <//>
                      `
                    }
                    <${Button}
                      class="button plain small"
                      aria-haspopup="dialog"
                      aria-label=${t("requires.edit", { version: one.version || t("content.no-version") })}
                      onClick=${() => setNeeding(one.id)}
                    >
                      ${t("requires.title")}
                    <//>
                  </p>
                `
              }
            </div>
          `}
      />
      <${Alert} error=${choose.error} />
      ${
        needing &&
        html`
          <${Lazy}
            of="requires"
            load=${() => import("./requires-dialog.js")}
            contentId=${content.id}
            revisionId=${needing}
            onClose=${() => setNeeding("")}
            onDone=${reload}
          />
        `
      }
    </section>
  `;
}
