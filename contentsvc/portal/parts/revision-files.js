/** The files of an older revision, each of which can be downloaded. */
import { html } from "../vendor/preact.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { OneFile } from "./downloads.js";
import { named } from "./file-names.js";
import { useLoad } from "./hooks.js";
import { Loaded } from "./states.js";

/** @typedef {import("../client.js").ContentDetail} Detail */

/** @param {{content: Detail, revisionId: string}} props */
export default function RevisionFiles({ content, revisionId }) {
  const contentId = content.id;
  const found = useLoad(
    async (signal) => {
      const [all, { packages }] = await Promise.all([
        client.listRevisionFiles({ contentId, revisionId }, { signal }),
        client.getRevision({ contentId, revisionId }, { signal }),
      ]);
      return named(
        all.filter((file) => file.use === "entity" || file.use === "package"),
        { ...content, packages },
      );
    },
    [contentId, revisionId],
  );
  return html`
    <${Loaded} of=${found}>
      ${(/** @type {ReturnType<typeof named>} */ files) =>
        files.length
          ? html`
            <ul class="rows">
              ${files.map(
                (one, index) =>
                  html`
                    <li key=${`${index} ${one.file.path}`}>
                      <${OneFile} content=${content} named=${one} revision=${revisionId} />
                    </li>
                  `,
              )}
            </ul>
          `
          : html`<p class="small faint">${t("content.no-files")}</p>`}
    <//>
  `;
}
